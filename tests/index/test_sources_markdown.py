"""Markdown to text: what a reader of the page sees, and nothing that may take forever."""

import sys

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from index.ingest.html_text import html_text
from index.ingest.markdown import MAX_PARSED, MarkdownReader
from index.ingest.yaml_subset import load_yaml

READER = MarkdownReader()


def text(source: str) -> str:
    return READER.read(source).text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("# 一\n二\n三", "一\n\n二\n三"),
        ("标题\n===\n\n文", "标题\n\n文"),
        ("## 安装 {#install}\n", "安装"),
        ("**粗**、*斜*、~~删~~、`code`", "粗、斜、删、code"),
        ("**注意：**请先备份", "注意：请先备份"),
        ("2 ** 3 与 a_b_c", "2 ** 3 与 a_b_c"),
        ('[文字](https://example.com "题")与<https://example.com/a>', "文字与https://example.com/a"),
        ("[引用][r]\n\n[r]: https://example.com", "引用"),
        ("![替代*文字*](a.png)", "替代文字"),
        ("```python\nprint('<b>')\n```", "print('<b>')"),
        ("段\n\n    缩进 <code>", "段\n\n缩进 <code>"),
        ("- 一\n- 二\n  - 三\n\n段", "一\n二\n三\n\n段"),
        ("- [x] 做完\n- [ ] 没做", "做完\n没做"),
        ("1. 一\n\n2. 二", "一\n\n二"),
        ("> 引\n> 用", "引\n用"),
        ("|列|值|\n|--|--|\n|C++|1|\n|Go|2|", "列\t值\nC++\t1\nGo\t2"),
        ("&copy; &lt;b&gt; &amp; &#x4E2D;", "© <b> & 中"),
        ("a\\*b\\*c", "a*b*c"),
        ("中<b>文</b>字<br>行", "中文字\n行"),
        ("<div>一<p>二</p>&nbsp;<img src='x' alt='图'></div>", "一\n二\n图"),
        ("<script>\nvar a = '丢';\n</script>\n\n<style>b{}</style>\n\n留", "留"),
        ("行内<script>丢</script>留", "行内留"),
        ("提到 <script> 一词", "提到  一词"),
        ("<!-- 注释 -->\n\n文<!-- 注 -->字", "文字"),
        ("[toc]\n\n文", "文"),
        ("公式 $a_1*b*c_2$ 与 $$x_1$$", "公式 $a_1*b*c_2$ 与 $$x_1$$"),
        ("价格 $5 和 $6，*斜*", "价格 $5 和 $6，斜"),
        ("$$\na_1 * b * c\n- d\n$$", "a_1 * b * c\n- d"),
        ("文[^1]和[^注]\n\n[^1]: 脚注文字\n[^注]: https://example.com", "文和\n\n脚注文字\n\nhttps://example.com"),
        ("正则 [^abc] 留下", "正则 [^abc] 留下"),
    ],
)
def test_text(source: str, expected: str) -> None:
    assert text(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{% codeblock lang:js %}\n*a* {{ b }}\n{% endcodeblock %}", "*a* {{ b }}"),
        ("{% highlight ruby %}\nputs '*'\n{% endhighlight %}尾", "puts '*'\n\n尾"),
        ('{{< highlight go "linenos=table" >}}\nx := *p\n{{< /highlight >}}', "x := *p"),
        ("{% note info %}\n提示\n{% endnote %}", "提示"),
        ('{% asset_img a.png "一张图" %}', "一张图"),
        ("{% post_link hello '你好文章' %}", "你好文章"),
        ("{% blockquote 作者, 书名 %}\n引文\n{% endblockquote %}", "作者, 书名\n引文"),
        ('{{< figure src="a.jpg" title="海边 日落" >}}', "海边 日落"),
        ("{{% notice %}}提示{{% /notice %}}", "提示"),
        ("写作 {{</* figure */>}} 即可", "写作 {{< figure >}} 即可"),
        ('[文章]({{< ref "x.md" >}})与[二]({% post_url 2020-01-01-x %})', "文章与二"),
        ("{{ site.title }}的模板 {{ message }}", "的模板 {{ message }}"),
        ("{% raw %}{{ site.x }}{% endraw %}", "{{ site.x }}"),
        ("前{% comment %}丢{% endcomment %}后", "前后"),
        ("{% comment %}\n丢\n\n丢\n{% endcomment %}\n\n留", "留"),
        ("文\n{: .class #id}", "文"),
        ("`{% raw %}` 与\n\n```\n{% endraw %}\n```", "{% raw %} 与\n\n{% endraw %}"),
        ("未闭合 {% raw 与 {{< x", "未闭合 {% raw 与 {{< x"),
    ],
)
def test_tags_of_site_generators(source: str, expected: str) -> None:
    assert text(source) == expected


def test_excerpt_and_heading() -> None:
    page = READER.read("开头 **粗**\n\n<!--more-->\n\n# 标题\n\n```\n<!-- more -->\n```")
    assert page.excerpt == "开头 粗"
    assert page.heading == "标题"
    assert page.text == "开头 粗\n\n标题\n\n<!-- more -->"
    assert READER.read("开头<!-- MORE 阅读全文 -->其余").excerpt == "开头"
    assert READER.read("开头\n\n<!-- moreover -->\n\n其余").excerpt is None


@pytest.mark.parametrize("depth", [10, 60, 3000])
@pytest.mark.parametrize("mark", ["- ", "> ", "1. ", "> - "])
def test_deep_nesting_loses_no_text(mark: str, depth: int) -> None:
    assert "底部" in text(mark * depth + "底部\n\n其后")
    assert text(mark * depth + "底部\n\n其后").endswith("其后")


PATHOLOGICAL = {
    "lists": "- " * 20_000,
    "quotes": ">" * 100_000,
    "indented lists": "".join(" " * (2 * level) + "- a\n" for level in range(300)),
    "images": "![" * 1_000,
    "balanced": "[" * 1_000 + "]" * 1_000,
    "emphasis": "*a_ " * 2_000,
    "ticks": "".join("`" * length + " " for length in range(300)),
    "tags": "{% " * 2_500,
    "raw": "a {% raw %} " * 2_000,
    "raw blocks": "{% raw %}\n" * 1_000,
    "shortcodes": "{{< a " * 2_000,
    "mathematics": "$$ a\n" * 1_500,
    "footnotes": "[^1]: a\n" * 1_000,
    "comments": "a <!-- " * 3_000,
    "html comments": "<div>" + "<!--" * 25_000,
    "html quotes": "<div>" + '<a "' * 25_000 + ">",
    "html scripts": "<div>" + "<script>" * 10_000,
    "html spaces": "<div>" + " " * 100_000 + "x",
    "numeral": "<div>&#" + "1" * 100_000,
    "one line": "中" * 1_000_000,
    "table": "|" * 500 + "\n" + "|-" * 500 + "|\n" + "|a\n" * 1_000,
}


@pytest.mark.parametrize("name", PATHOLOGICAL)
def test_pathological_markdown_takes_work_in_proportion_to_its_length(name: str) -> None:
    """Calls of Python functions are counted, not seconds: twice the length is about twice the work."""
    source = PATHOLOGICAL[name]
    short, whole = source[: len(source) // 2], source
    assert _calls(whole) < 3.2 * _calls(short) + 10_000


def _calls(source: str) -> int:
    count = 0

    def listen(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(listen)
    try:
        READER.read(source)
    finally:
        sys.setprofile(None)
    return count


def test_a_huge_source_is_kept_as_it_stands() -> None:
    assert text("*" + "文" * MAX_PARSED) == "*" + "文" * MAX_PARSED


PIECES = st.one_of(
    st.text(max_size=5),
    st.sampled_from([*"[](){}<>!`*_#|$\\&~^%-+\n \t\"'", "<!--", "-->", "{% raw %}", "<script>"]),
)


@settings(max_examples=150, deadline=None)
@given(pieces=st.lists(PIECES, max_size=60))
def test_never_raises(pieces: list[str]) -> None:
    READER.read("".join(pieces))


@settings(max_examples=100, deadline=None)
@given(
    words=st.lists(
        st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=1, max_size=8), min_size=1
    )
)
def test_plain_paragraphs_come_through_unchanged(words: list[str]) -> None:
    assert text("\n\n".join(words)) == "\n\n".join(words)


@settings(max_examples=100, deadline=None)
@given(source=st.text(st.sampled_from("<>/!-ab \n'\"=&;#1"), max_size=80))
def test_html_never_raises(source: str) -> None:
    html_text(source)


def test_unclosed_html_keeps_its_text() -> None:
    assert html_text("<div>一<!-- 二 <p 三") == "一<!-- 二 <p 三"
    assert html_text("a < b 且 c > d") == "a < b 且 c > d"


@pytest.mark.parametrize("fast", [True, False])
def test_yaml_scalars_stay_text(fast: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not fast:
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    source = (
        "a: 2024-01-02\nb: 3.10\nc: on\nd: 12:30\ne: ~\nf: true\ng: 'true'\nh: 0o17\n"
        "i: &x [1, 'null']\nj: *x\nk:\ntrue: 1"
    )
    assert load_yaml(source) == {
        "a": "2024-01-02", "b": "3.10", "c": "on", "d": "12:30", "e": None, "f": True, "g": "true", "h": "0o17",
        "i": ["1", "null"], "j": ["1", "null"], "k": None, "true": "1",
    }  # fmt: skip
    assert load_yaml("") is None
    assert load_yaml("text") == "text"
