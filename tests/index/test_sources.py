"""Conventions of Hexo, Hugo and Jekyll, ids, encodings, and what one bad post may do to the rest: nothing."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from index.sources import read_posts
from index.types import BadPost, Post, PostWarning, Skipped


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def read(folder: Path) -> tuple[dict[str, Post], dict[str, str]]:
    found = list(read_posts([folder]))
    posts = {post.id: post for post in found if isinstance(post, Post)}
    return posts, {os.path.relpath(bad.where, folder): bad.reason for bad in found if isinstance(bad, BadPost)}


def only(folder: Path, name: str, content: str | bytes) -> Post:
    posts, bad = read(write(folder, {name: content}))
    assert bad == {}
    [post] = posts.values()
    return post


def reason(folder: Path, content: str | bytes, name: str = "bad.md") -> str:
    posts, bad = read(write(folder, {name: content, "good.md": "好的文章"}))
    assert list(posts) == ["good"]
    return bad[name]


def test_hexo_layout(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "_config.yml": "title: 我的博客\ntimezone: Asia/Shanghai\n",
            "README.md": "不是文章",
            "themes/next/README.md": "也不是",
            "node_modules/x/a.md": "也不是",
            "source/_posts/2024/hello.md": (
                "---\ntitle: 你好\ndate: 2024-05-01 08:30:00\nupdated: 2024-06-01\ntags:\n  - C++\n  - 3.10\n"
                "categories:\n  - [技术, 数据库]\n  - [生活]\npermalink: hello/\n---\n开头\n\n<!-- more -->\n\n其余\n"
            ),
            "source/_posts/flat.md": "---\ntitle: 平\ntags: 一 二\ncategories: [技术, 搜索]\n---\n正文",
            "source/_drafts/draft.md": "---\ntitle: 草稿\n---\n草稿",
            "source/_posts/secret.md": "---\ntitle: 密\npassword: 123\n---\n不给人看",
            "source/about/index.md": "---\ntitle: 关于\n---\n我",
        },
    )
    posts, bad = read(tmp_path)
    assert bad == {}
    assert sorted(posts) == ["2024/hello", "about", "flat"]
    hello = posts["2024/hello"]
    assert (hello.title, hello.body, hello.url) == ("你好", "开头\n\n其余", "hello/")
    assert (hello.tags, hello.categories) == (("C++", "3.10"), ("技术/数据库", "生活"))
    assert hello.published_at == datetime(2024, 5, 1, 0, 30, tzinfo=UTC)
    assert hello.updated_at == datetime(2024, 5, 31, 16, tzinfo=UTC)
    assert hello.extra == {"path": "source/_posts/2024/hello.md", "excerpt": "开头"}
    assert (posts["flat"].tags, posts["flat"].categories) == (("一 二",), ("技术/搜索",))


def test_hugo_layout(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "hugo.toml": 'title = "博客"\ntimeZone = "Asia/Tokyo"\n',
            "content/_index.md": "---\ntitle: 首页\n---\n欢迎",
            "content/posts/_index.md": '+++\ntitle = "文章"\n+++\n',
            "content/posts/one/index.md": (
                '+++\ntitle = "一"\ndate = 2024-01-02T03:04:05+08:00\nlastmod = 2024-02-03\n'
                'tags = ["a b", "c"]\ncategories = ["x", "y"]\n+++\n正文'
            ),
            "content/posts/two.md": '{"title": "二", "slug": "second", "publishDate": "2023-01-01"}\n正文',
            "content/posts/three.md": "---\ntitle: 三\ndraft: true\n---\n",
            "public/posts/one.md": "生成的",
        },
    )
    posts, bad = read(tmp_path)
    assert bad == {}
    assert sorted(posts) == ["_index", "posts/_index", "posts/one", "posts/second"]
    one = posts["posts/one"]
    assert (one.tags, one.categories) == (("a b", "c"), ("x", "y"))
    assert one.published_at == datetime(2024, 1, 1, 19, 4, 5, tzinfo=UTC)
    assert one.updated_at == datetime(2024, 2, 2, 15, tzinfo=UTC)
    assert posts["posts/second"].published_at == datetime(2022, 12, 31, 15, tzinfo=UTC)


def test_jekyll_layout(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "_config.yml": "title: blog\n",
            "_posts/2024-03-01-hello-world.md": "---\nlayout: post\ntags: one two\ncategories: a b\n---\n正文",
            "work/_posts/2024-03-02-sub.markdown": "---\ntitle: 子\npublished: true\n---\n正文",
            "_posts/2024-03-03-hidden.md": "---\npublished: false\n---\n不见",
            "_drafts/idea.md": "草稿",
            "_site/x.md": "生成的",
        },
    )
    posts, bad = read(tmp_path)
    assert bad == {}
    assert sorted(posts) == ["2024-03-01-hello-world", "work/2024-03-02-sub"]
    hello = posts["2024-03-01-hello-world"]
    assert (hello.title, hello.tags, hello.categories) == ("hello world", ("one", "two"), ("a", "b"))
    assert hello.published_at == datetime(2024, 3, 1, tzinfo=UTC)
    assert posts["work/2024-03-02-sub"].categories == ("work",)


def test_ids_do_not_depend_on_which_folder_of_the_site_is_given(tmp_path: Path) -> None:
    write(tmp_path, {"_config.yml": "", "source/_posts/a/b.md": "文", "source/_posts/c.md": "文"})
    whole = [post.id for post in read_posts([tmp_path]) if isinstance(post, Post)]
    assert whole == ["c", "a/b"]
    assert [post.id for post in read_posts([tmp_path / "source/_posts"]) if isinstance(post, Post)] == whole
    assert [post.id for post in read_posts([tmp_path / "source/_posts/a/b.md"]) if isinstance(post, Post)] == ["a/b"]


def test_the_same_file_twice_is_read_once(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "文"})
    assert len(list(read_posts([tmp_path, tmp_path, tmp_path / "a.md"]))) == 1


@pytest.mark.parametrize(
    ("name", "content", "title"),
    [
        ("x.md", "---\ntitle: 'Rust: 书'\n---\n# 标题\n", "Rust: 书"),
        ("x.md", "---\ntitle: 1984\n---\n", "1984"),
        ("x.md", "---\ntitle: null\n---\n## 二级 `code`\n", "二级 code"),
        ("x.md", "---\ntitle: 'null'\n---\n", "null"),
        ("my-first_post.md", "正文", "my first post"),
        ("2024-02-30-odd.md", "正文", "odd"),
        ("talk/index.md", "正文", "talk"),
        ("x.md", "title: 旧式\ndate: 2013/7/13 20:46:25\n---\n正文", "旧式"),
        ("x.md", '"title": "JSON",\n"tags": ["a"]\n;;;\n正文', "JSON"),
        ("x.md", ';;;\n{"title": "JSON2"}\n;;;\n正文', "JSON2"),
        ("x.md", "---\r\ntitle: 回车\r\n---\r\n正文", "回车"),
        ("x.md", "\ufeff---\ntitle: 标记\n---\n正文", "标记"),
        ("x.md", "---\ntitle: 终点\n...\n正文", "终点"),
        ("x.md", "---\nTitle: 大小写\ntags:\n\t- a\n---\n正文", "大小写"),
    ],
)
def test_titles(tmp_path: Path, name: str, content: str, title: str) -> None:
    assert only(tmp_path, name, content).title == title


@pytest.mark.parametrize(
    "content", ["---\n\n只是分隔线\n\n---\n\n其余", "---\n只有一条线", "* * *\n\n文", "{% raw %}\n文", "{a} 文"]
)
def test_marks_that_are_no_front_matter(tmp_path: Path, content: str) -> None:
    post = only(tmp_path, "name.md", content)
    assert post.title == "name"
    assert "文" in post.body or "其余" in post.body or "线" in post.body


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("2024-05-01", datetime(2024, 5, 1, tzinfo=UTC)),
        ("2024/5/1 8:05", datetime(2024, 5, 1, 8, 5, tzinfo=UTC)),
        ("2024-05-01T08:05:09.123456789Z", datetime(2024, 5, 1, 8, 5, 9, 123456, tzinfo=UTC)),
        ("2024-05-01 08:05:09 +0800", datetime(2024, 5, 1, 0, 5, 9, tzinfo=UTC)),
        ("2024-05-01 08:05:09 -08", datetime(2024, 5, 1, 16, 5, 9, tzinfo=UTC)),
        ("2024年5月1日", datetime(2024, 5, 1, tzinfo=UTC)),
        ("Wed, 01 May 2024 08:00:00 +0800", datetime(2024, 5, 1, tzinfo=UTC)),
        ("2999-01-01", datetime(2999, 1, 1, tzinfo=UTC)),
        ("2024-05-01 24:00:00", datetime(2024, 5, 2, tzinfo=UTC)),
        ("''", None),
    ],
)
def test_dates(tmp_path: Path, date: str, expected: datetime | None) -> None:
    assert only(tmp_path, "x.md", f"---\ndate: {date}\n---\n文").published_at == expected


@pytest.mark.parametrize(
    "value", ["昨天", "2024-13-01", "2024-02-30", "0000-01-01", "2024-01-01 25:00", "2024-01-01 +99:00"]
)
def test_a_bad_date_costs_the_date_and_not_the_post(tmp_path: Path, value: str) -> None:
    write(tmp_path, {"a.md": f"---\nupdated: {value}\ndate: 2024-05-01\n---\n文"})
    post, warning = read_posts([tmp_path, tmp_path / "a.md"])
    assert isinstance(post, Post)
    assert (post.body, post.published_at, post.updated_at) == ("文", datetime(2024, 5, 1, tzinfo=UTC), None)
    assert warning == PostWarning(str(tmp_path / "a.md"), f"updated is not a date: {value!r}; indexed without it")


def test_a_bad_date_gives_way_to_the_next_one(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "2024-05-01-a.md": "---\ndate: 昨天\ncreated: 2024-04-30\n---\n文",
            "2024-05-01-b.md": "---\ndate: 5\n---\n文",
        },
    )
    found = list(read_posts([tmp_path]))
    assert [str(post.published_at)[:10] for post in found if isinstance(post, Post)] == ["2024-04-30", "2024-05-01"]
    assert [warning.reason[:18] for warning in found if isinstance(warning, PostWarning)] == [
        "date is not a date",
        "date is not a date",
    ]


@pytest.mark.parametrize(
    ("config", "date", "shown"),
    [
        ({}, "2024-05-01", "2024-05-01 00:00:00+00:00"),
        ({}, "2024-05-01 00:30:00 +0800", "2024-05-01 00:30:00+08:00"),
        ({}, "2024-05-01T00:30:00Z", "2024-05-01 00:30:00+00:00"),
        ({"_config.yml": "timezone: Asia/Shanghai"}, "2024-05-01 00:30", "2024-05-01 00:30:00+08:00"),
        ({"_config.yml": "timezone: Asia/Shanghai"}, "2024-04-30T16:30:00Z", "2024-05-01 00:30:00+08:00"),
        ({"_config.yml": "timezone: Nowhere/At_All"}, "2024-04-30T16:30:00-07:00", "2024-04-30 16:30:00-07:00"),
        ({"_config.yml": "", "source/a": ""}, "2024-05-01 00:30:00 +0800", "2024-05-01 00:30:00+08:00"),
        ({"hugo.toml": "timeZone = 'Asia/Tokyo'", "content/a": ""}, "2024-05-01", "2024-05-01 00:00:00+09:00"),
        (
            {"hugo.toml": "timeZone = 'Asia/Tokyo'", "content/a": ""},
            "2024-04-30T23:30:00-07:00",
            "2024-04-30 23:30:00-07:00",
        ),
    ],
)
def test_a_date_is_the_one_that_the_site_shows(tmp_path: Path, config: dict[str, str], date: str, shown: str) -> None:
    """Hexo and Jekyll show all dates in the zone of the site, where it has one; Hugo shows each in its own."""
    name = "content/x.md" if "hugo.toml" in config else "_posts/x.md"
    write(tmp_path, {**config, name: f"---\ndate: {date}\n---\n文"})
    [post] = read_posts([tmp_path])
    assert isinstance(post, Post)
    assert str(post.published_at) == shown


def test_what_is_not_to_be_found_is_said_once(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "_drafts/a.md": "草稿",
            "_drafts/b.md": "---\nslug: own\n---\n草稿",
            "b.md": "---\ndraft: true\ndate: 昨天\n---\n文",
            "c.md": "---\npublished: false\n---\n文",
            "d.md": "---\npassword: 1\ndraft: true\nid: own\n---\n文",
            "e.md": "文",
            "f.md": "---\ndraft: true\nid: [a]\n---\n文",
        },
    )
    found = list(read_posts([tmp_path, tmp_path / "c.md"]))
    assert [one.is_undated for one in found if isinstance(one, Skipped)] == [False] * 4 + [True, False]
    assert [(one.path, one.why, one.id) for one in found if isinstance(one, Skipped)] == [
        ("b.md", "draft", "b"),
        ("c.md", "draft", "c"),
        ("d.md", "password", "own"),
        ("f.md", "draft", None),
        ("_drafts/a.md", "draft", "a"),
        ("_drafts/b.md", "draft", "own"),
    ]
    assert len(found) == 7


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("---\ntitle: a: b\n---\n文", "not valid YAML: line 2"),
        ("---\ntitle: a: b\n---\n文", "put a value that holds `: ` into quotes, as in title: \"a: b\""),
        ("---\ntitle: @a\n---\n文", "line 2: found character that cannot start any token; put a value that begins"),
        ("---\ntitle: 未完\n文", "is not closed"),
        ("---\n- a\n- b\n---\n文", "not a mapping"),
        ("---\ntitle: [a, b]\n---\n文", "title must be text"),
        ("---\ntags: {a: b}\n---\n文", "tags must be names"),
        ("---\ndraft: 也许\n---\n文", "draft must be true or false"),
        ("---\ntitle: *none\n---\n文", "unknown alias"),
        ('---\ntitle: "\\ud800"\n---\n文', ""),
        ("---\n? [a]\n: b\n---\n文", "key that is not text"),
        ("+++\ntitle = \n+++\n文", "not valid TOML"),
        ("+++\ntitle = 'a'\n文", "is not closed"),
        ('{"title": "a"\n文', "not valid JSON"),
        ("---\nslug: '" + "字" * 400 + "'\n---\n文", "id is longer"),
        ("", "file is empty"),
        (" \n\n", "file is empty"),
        ("中文".encode("gb18030"), "iconv -f GB18030"),
        (b"\xff\xff\xff\xff", "not UTF-8: byte 0xff in line 1"),
        (b"a\x00b\x00c", "binary"),
        ("---\na: &a [" + "1," * 9 + "1]\n" + "".join(
            f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 10)}]\n" for i in range(9)
        ) + "---\n文", "more than"),
        ("---\na: " + "[" * 50_000 + "\n---\n文", "nest"),
        ("+++\na = " + "[" * 50_000 + "\n+++\n文", "not valid TOML"),
        ('{"a": ' + "[" * 100_000, "not valid JSON"),
    ],
)  # fmt: skip
def test_malformed_posts_are_reported_and_the_rest_goes_on(tmp_path: Path, content: str | bytes, part: str) -> None:
    assert part in reason(tmp_path, content)


def test_python_objects_in_yaml_stay_data(tmp_path: Path) -> None:
    marker = tmp_path / "owned"
    content = f"---\ntitle: t\nx: !!python/object/apply:os.system ['touch {marker}']\n---\n文"
    assert only(tmp_path, "x.md", content).title == "t"
    assert not marker.exists()


def test_declared_and_marked_encodings(tmp_path: Path) -> None:
    assert (
        only(tmp_path / "a", "x.md", "---\nencoding: gb18030\ntitle: 旧博客\n---\n".encode("gb18030")).title == "旧博客"
    )
    assert only(tmp_path / "b", "x.md", "---\ntitle: 宽\n---\n".encode("utf-16")).title == "宽"


def test_control_characters_stay_and_nul_goes(tmp_path: Path) -> None:
    post = only(tmp_path, "x.md", "一段比较长的正文，里面有\x07响铃和\x00空字符，还有零宽\u200b空格。")
    assert post.body == "一段比较长的正文，里面有\x07响铃和空字符，还有零宽\u200b空格。"


def test_odd_files(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "文", "sub/b.md": "文", "outside/c.md": "文"})
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "loop.md").symlink_to("loop.md")
    (tmp_path / "broken.md").symlink_to("nowhere")
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to(".")
    os.mkfifo(tmp_path / "pipe.md")
    posts, bad = read(tmp_path)
    assert sorted(posts) == ["a", "outside/c", "sub/b"]
    assert sorted(bad) == ["broken.md", "loop.md", "pipe.md"]
    assert bad["pipe.md"] == "not a regular file"


def test_a_linked_folder_outside_is_followed_once(tmp_path: Path) -> None:
    write(tmp_path, {"other/x.md": "文", "blog/a.md": "文"})
    (tmp_path / "blog" / "one").symlink_to(tmp_path / "other")
    (tmp_path / "blog" / "two").symlink_to(tmp_path / "other")
    (tmp_path / "other" / "back").symlink_to(tmp_path / "blog")
    posts, bad = read(tmp_path / "blog")
    assert (sorted(posts), bad) == (["a", "one/x"], {})


def test_unreadable_files_and_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a.md": "文", "locked.md": "文", "closed/b.md": "文"})
    read_bytes, scandir = Path.read_bytes, os.scandir

    def refuse(path: Path) -> bytes:
        if path.name == "locked.md":
            raise PermissionError(13, "Permission denied")
        return read_bytes(path)

    def refuse_folder(path: Path) -> object:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    monkeypatch.setattr(os, "scandir", refuse_folder)
    posts, bad = read(tmp_path)
    assert list(posts) == ["a"]
    assert bad["locked.md"] == "file cannot be read: Permission denied"
    assert bad["closed"] == "folder cannot be read: Permission denied"


def test_names_that_are_not_text(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"\xff.md")).write_text("文")
    except OSError:
        pytest.skip("this file system has only Unicode names")
    [bad] = read_posts([tmp_path])
    assert isinstance(bad, BadPost)
    assert bad.where.endswith("\\xff.md")
    assert "not text" in bad.reason


def test_duplicate_ids_name_both_files(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "---\nslug: same\n---\n一", "b.md": "---\nslug: same\n---\n二"})
    post, bad = read_posts([tmp_path])
    assert isinstance(post, Post)
    assert post.body == "一"
    assert bad == BadPost(str(tmp_path / "b.md"), f"the id 'same' is already that of {tmp_path / 'a.md'}")


@pytest.mark.parametrize(
    ("config", "front", "url"),
    [
        ("url: https://example.com", "", "https://example.com/2024/05/01/a/%E6%96%87/"),
        (
            "url: https://example.com/blog/\npermalink: :year/:i_month/:name.html",
            "",
            "https://example.com/blog/2024/5/%E6%96%87.html",
        ),
        ("url: https://example.com\npermalink: :category/:title/", "", None),
        ("url: https://example.com\nnew_post_name: :year-:title.md", "", None),
        ("url: https://example.com", "slug: other\n", "https://example.com/2024/05/01/a/%E6%96%87/"),
        (
            "url: https://example.com\npermalink: p/:abbrlink/",
            "abbrlink: 4a17b156\n",
            "https://example.com/p/4a17b156/",
        ),
        ("url: https://example.com\npermalink: p/:abbrlink/", "", None),
        ("url: https://example.com\npermalink: :hash/", "hash: abc\n", None),
        ("url: https://example.com\npermalink: :year/", "year: 1999\n", "https://example.com/2024/"),
        ("url: https://example.com", "permalink: /own/\n", "https://example.com/own/"),
        ("url: https://example.com", "url: https://example.org/x\n", "https://example.org/x"),
        ("url: https://example.com", "url: http://[x\n", "http://[x"),
        ("url: https://example.com", "permalink: //[x\n", "//[x"),
        ("title: t", "", None),
        ("title: [", "permalink: own/\n", "own/"),
    ],
)
def test_addresses_of_a_hexo_site(tmp_path: Path, config: str, front: str, url: str | None) -> None:
    post = f"---\ndate: 2024-05-01 23:30:00 +0000\n{front}---\n文"
    write(tmp_path, {"_config.yml": config, "source/_posts/a/文.md": post})
    [found] = read_posts([tmp_path])
    assert isinstance(found, Post)
    assert found.url == url


def test_the_last_hour_there_is(tmp_path: Path) -> None:
    config = "url: https://example.com\ntimezone: Asia/Shanghai\npermalink: :year/:title/"
    write(tmp_path, {"_config.yml": config, "source/_posts/a.md": "---\ndate: 9999-12-31 23:30:00Z\n---\n文"})
    [found] = read_posts([tmp_path])
    assert isinstance(found, Post)
    assert found.url == "https://example.com/9999/a/"


def test_a_page_of_a_hexo_site(tmp_path: Path) -> None:
    write(tmp_path, {"_config.yml": "url: https://example.com", "source/about/index.md": "关于"})
    [found] = read_posts([tmp_path])
    assert isinstance(found, Post)
    assert found.url == "https://example.com/about/"


def test_a_bad_post_has_its_id_where_it_is_known(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "_config.yml": "",
            "source/_posts/a.md": "---\nslug: own\ntitle: [1]\n---\n文",
            "source/_posts/b.md": "---\ntitle: 未完\n文",
            "source/_posts/c.md": "---\nslug: b\n---\n文",
        },
    )
    (tmp_path / "source/_posts/d.md").symlink_to("nowhere")
    found = list(read_posts([tmp_path]))
    assert [bad.id for bad in found if isinstance(bad, BadPost)] == ["own", "b", None, "d"]
    assert len(found) == 4


def test_a_file_given_by_a_path_with_dots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"site/_config.yml": "", "x.md": "---\ntitle: |\n  两行\n  标题\n---\n文"})
    monkeypatch.chdir(tmp_path / "site")
    [post] = read_posts(["../x.md"])
    assert isinstance(post, Post)
    assert (post.id, post.title) == ("x", "两行 标题")


def test_a_fault_of_the_markdown_parser_loses_no_post(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise IndexError

    monkeypatch.setattr("markdown_it.MarkdownIt.parse", fail)
    assert only(tmp_path, "x.md", "---\ntitle: t\n---\n*文*").body == "*文*"


def test_the_example_blog_is_clean() -> None:
    posts, bad = read(Path(__file__).parents[2] / "examples" / "blog")
    assert bad == {}
    assert len(posts) >= 34
    assert sum(len(post.body) >= 3000 for post in posts.values()) >= 3
    assert all(post.title and post.tags and post.categories and post.published_at for post in posts.values())
    assert not any("草稿" in post.title or "未写完" in post.title for post in posts.values())


def test_paths_that_hold_nothing(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("文")
    reasons = [
        bad.reason for bad in read_posts([tmp_path, tmp_path / "none", tmp_path / "x.txt"]) if isinstance(bad, BadPost)
    ]
    assert reasons == [
        "no Markdown files in this folder",
        "no such file or folder",
        "neither a folder nor .md, .jsonl or .jsonl.zst",
    ]


def test_order_depends_on_names_alone(tmp_path: Path) -> None:
    names = ["b.md", "a/z.md", "a.md", "c/1.md", "中/文.md", "B.md"]
    write(tmp_path / "one", dict.fromkeys(names, "文"))
    write(tmp_path / "two", dict.fromkeys(reversed(names), "文"))
    orders = [[post.id for post in read_posts([tmp_path / side]) if isinstance(post, Post)] for side in ("one", "two")]
    assert orders[0] == orders[1]
    assert sorted(orders[0]) == sorted(name.removesuffix(".md") for name in names)


FRONT = st.sampled_from(
    ["---\n", "+++\n", ";;;\n", "{", "}", "title: ", "date: ", "tags: ", "- ", "[", "]", '"', "\n", ": ", "&a ", "*a"]
)
MARKS = st.sampled_from(
    [
        "{% ",
        " %}",
        "{{< ",
        " >}}",
        "$$",
        "$",
        "`",
        "```\n",
        "<",
        ">",
        "<!--",
        "-->",
        "[^1]",
        "](",
        "|",
        "> ",
        "# ",
        "\x00",
        "**",
    ]
)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(st.one_of(FRONT, MARKS, st.text(max_size=6)), max_size=40))
def test_any_text_is_a_post_or_a_bad_post(tmp_path: Path, parts: list[str]) -> None:
    (tmp_path / "x.md").write_text("".join(parts), encoding="utf-8")
    for found in read_posts([tmp_path]):
        assert isinstance(found, (Post, BadPost, PostWarning, Skipped))
        if isinstance(found, Post):
            assert "\x00" not in found.title + found.body
            (found.title + found.body).encode()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.binary(max_size=200), head=st.sampled_from([b"", b"---\n", b"\xef\xbb\xbf", b"\xff\xfe", b"+++\n", b"{"])
)
def test_any_bytes_are_a_post_or_a_bad_post(tmp_path: Path, data: bytes, head: bytes) -> None:
    (tmp_path / "x.md").write_bytes(head + data)
    assert all(isinstance(found, (Post, BadPost, PostWarning, Skipped)) for found in read_posts([tmp_path]))
