"""Site conventions: where a site begins, which generator it is for, which folders hold posts, and the ids of posts.

The id of a post is its path below the content folder without extension: `source/_posts/2024/hello.md`,
`_posts/2024/hello.md` and `content/2024/hello.md` are all `2024/hello`. A leaf bundle `talks/one/index.md` is
`talks/one`. A `slug` in the front matter takes the place of the last part; an `id` that of the whole. Folders above the
site, or above the folder that was given where there is no site configuration, never count: an id survives a move.
"""

import os
import re
import tomllib
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from index.ingest.errors import PostError
from index.ingest.fields import Calendar
from index.ingest.yaml_subset import load_yaml

Generator = Literal["hexo", "hugo", "jekyll", "plain"]

MAX_ID_BYTES = 1000
_HUGO_CONFIGS = ("hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config.toml", "config/_default")
_YAML_CONFIGS = ("_config.yml", "_config.yaml")
_BUILT = frozenset({"public", "_site", "themes", "scaffolds", "archetypes", "layouts", "resources", "static", "assets"})
_BUILT |= {"data", "vendor", "_layouts", "_includes", "_data", "_sass", "i18n"}
_NOT_POSTS = frozenset({"readme", "license", "contributing", "changelog", "code_of_conduct", "security"})
_CONTAINERS = frozenset({"_posts", "_drafts"})
DATED_NAME = re.compile(r"(\d{4}-\d{1,2}-\d{1,2})-(.+)", re.DOTALL)


class Site(NamedTuple):
    """A blog: `root` is the folder ids are relative to, `settings` its configuration with lower-case names."""

    root: Path
    generator: Generator
    settings: Mapping[str, object]
    calendar: Calendar
    has_config: bool

    def skips_folder(self, folder: Path) -> bool:
        """Whether `folder` holds no posts: hidden, installed, or one of the generator's own beside the posts."""
        name = folder.name
        if name.startswith(".") or name == "node_modules":
            return True
        return self.has_config and folder.parent == self.root and name in _BUILT

    def skips_file(self, path: Path) -> bool:
        """Hidden files, and a README and its like beside the site's configuration."""
        if path.name.startswith("."):
            return True
        return self.has_config and path.parent == self.root and path.stem.lower() in _NOT_POSTS

    def parts(self, path: Path) -> tuple[str, ...]:
        """The path of a post below the content folder, without extension, a bundle's `index` left out."""
        below = list(path.relative_to(self.root).with_suffix("").parts)
        if len(below) > 1 and below[0] in ("source", "content"):
            del below[0]
        if len(below) > 1 and below[-1] == "index":
            del below[-1]
        kept = [part for part in below[:-1] if part not in _CONTAINERS] + below[-1:]
        return tuple(unicodedata.normalize("NFC", part) for part in kept)


def find_site(given: Path) -> Site:
    """The site that `given` belongs to; without a configuration in it or above it, `given` itself is the root."""
    folder = given if os.path.isdir(given) else given.parent
    for candidate in (folder, *folder.parents):
        config = next((candidate / name for name in _YAML_CONFIGS if os.path.isfile(candidate / name)), None)
        if config is not None:
            return _site(candidate, "hexo" if os.path.isdir(candidate / "source") else "jekyll", config)
        hugo = next((candidate / name for name in _HUGO_CONFIGS if os.path.exists(candidate / name)), None)
        if hugo is not None and os.path.isdir(candidate / "content"):
            return _site(candidate, "hugo", hugo)
    return Site(folder, "plain", {}, Calendar(), False)


def _site(root: Path, generator: Generator, config: Path) -> Site:
    settings = _settings(config)
    return Site(root, generator, settings, _calendar(settings.get("timezone"), generator), True)


def generator_of(site: Site, path: Path) -> Generator:
    """The generator whose conventions `path` follows, guessed from folder names where no configuration tells."""
    if site.has_config:
        return site.generator
    folders = path.parent.parts
    if "_posts" in folders or "_drafts" in folders:
        if "source" in folders:
            return "hexo"
        return "jekyll" if DATED_NAME.fullmatch(path.stem) else "hexo"
    return "hugo" if "content" in folders else "plain"


def check_id(value: str) -> str:
    """`value` if it can be the id of a post: printable, at most 1,000 bytes of UTF-8; PostError otherwise."""
    if not value.strip():
        raise PostError("id is empty")
    if not value.isprintable():
        raise PostError("id has control characters or bytes that are not text")
    if len(value.encode()) > MAX_ID_BYTES:
        raise PostError(f"id is longer than {MAX_ID_BYTES} bytes")
    return value


def _settings(config: Path) -> Mapping[str, object]:
    """The configuration of a site, empty if it cannot be read: posts are not lost for it."""
    try:
        text = config.read_text(encoding="utf-8-sig")
        data = tomllib.loads(text) if config.suffix == ".toml" else load_yaml(text)
    except (OSError, ValueError, RecursionError):
        return {}
    return {str(key).lower(): value for key, value in data.items()} if isinstance(data, dict) else {}


def _calendar(name: object, generator: Generator) -> Calendar:
    """The clock of the zone of that name; UTC if there is none or this machine does not know it.

    Hexo and Jekyll show all dates in the zone of the site, Hugo shows each in its own.
    """
    try:
        return Calendar(ZoneInfo(name), generator != "hugo") if isinstance(name, str) and name else Calendar()
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return Calendar()
