"""What a reindex may read."""

from pathlib import Path

import pytest

from api.indexing import ForbiddenSourceError, SourceError, existing, sources_for
from api.settings import Settings


def test_what_is_asked_for_is_what_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blog, home = tmp_path / "blog", tmp_path / "home"
    for folder in (blog / "posts", home / "posts"):
        folder.mkdir(parents=True)
    monkeypatch.chdir(blog)
    monkeypatch.setenv("HOME", str(home))
    settings = Settings(data_dir=tmp_path, sources=(Path(),))
    assert sources_for(["posts", str(blog)], settings) == [Path("posts"), blog]
    with pytest.raises(ForbiddenSourceError, match="~/posts is outside"):
        sources_for(["~/posts"], settings)  # not blog/~/posts when it is checked and home/posts when it is read
    assert existing(["~/posts"]) == [home / "posts"]


@pytest.mark.parametrize("name", ["nothing", "loop", "loop/post.md", "x" * 3_000, "~nobody-of-this-name/posts"])
def test_what_is_not_there_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(SourceError, match="no such file or folder"):
        existing([name])
    with pytest.raises(SourceError, match="no such file or folder"):
        sources_for([name], Settings(data_dir=tmp_path, sources=(tmp_path,)))
