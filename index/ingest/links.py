"""The address of a post on its site."""

import re
from collections.abc import Mapping
from datetime import datetime
from urllib.parse import quote, urljoin, urlsplit

from index.ingest.fields import text_field
from index.ingest.site import Site

_OWN = ("url", "permalink", "external_link")
_PLACE = re.compile(r":(\w+)")
_HEXOS_OWN = frozenset({"id", "post_title", "hash", "category", "categories", "tags", "updated", "date"})
"""Names that a pattern fills with what is not, or not so, in the front matter."""
_TIMES = frozenset({"year", "month", "day", "i_month", "i_day", "hour", "minute", "second"})
_DEFAULT_PATTERN = ":year/:month/:day/:title/"


def post_url(
    front: Mapping[str, object], site: Site, parts: tuple[str, ...], is_article: bool, published: datetime | None
) -> str | None:
    """The address in the front matter, made absolute where the site's configuration has its `url`.

    Without one, a Hexo site's `permalink` pattern is filled in, as Hexo does from the file's name whatever `slug` says.
    None where the pattern needs what is not known here: no link is better than a wrong one.
    """
    own = next((value for name in _OWN if (value := text_field(front, name))), None)
    address = _address(site)
    if own is not None:
        return _absolute(own, address)
    if address is None or site.generator != "hexo":
        return None
    path = _filled(front, site, parts, published) if is_article else "/".join(parts) + "/"
    return None if path is None else address + quote(path.lstrip("/"))


def _absolute(own: str, address: str | None) -> str:
    try:
        return urljoin(address, own.lstrip("/")) if address and not urlsplit(own).scheme else own
    except ValueError:
        return own


def _address(site: Site) -> str | None:
    value = site.settings.get("url") or site.settings.get("baseurl")
    is_web = isinstance(value, str) and value.startswith(("http://", "https://"))
    return f"{str(value).rstrip('/')}/" if is_web else None


def _filled(front: Mapping[str, object], site: Site, parts: tuple[str, ...], published: datetime | None) -> str | None:
    if site.settings.get("new_post_name") not in (None, ":title.md"):
        return None
    title = "/".join(parts)
    values = _fields(front) | {"title": title, "slug": title, "name": parts[-1]}
    if published is not None:
        values |= {"year": f"{published:%Y}", "month": f"{published:%m}", "day": f"{published:%d}"}
        values |= {"i_month": str(published.month), "i_day": str(published.day)}
        values |= {"hour": f"{published:%H}", "minute": f"{published:%M}", "second": f"{published:%S}"}
    pattern = str(site.settings.get("permalink") or _DEFAULT_PATTERN)
    if any(name not in values for name in _PLACE.findall(pattern)):
        return None
    return _PLACE.sub(lambda place: values[place.group(1)], pattern)


def _fields(front: Mapping[str, object]) -> dict[str, str]:
    """What a pattern may take from the front matter itself, such as `:abbrlink`."""
    names = [name for name, value in front.items() if isinstance(value, str) and name not in _HEXOS_OWN | _TIMES]
    return {name: text for name in names if (text := text_field(front, name))}
