"""Random texts of everything that people write."""

from hypothesis import strategies as st

_PARTS = [
    *"的一是不了在人有我他这中大来上国研究生命起源南京市长江大桥北京大学生产品和服务哈二三四",
    *"學習軟體後裡乾臺灣國語繁體",
    *"𠮷𠀀㐀々〇",
    *"，。、：；！？（）《》“”…—·,.:;!?()'\"-_+#@/%&*~=<>|^`$\\[]{}",
    *"０Ａｂ％ﾊﾞ①Ⅲ㎏½㍿⑴ﬁß",
    *" \n\t\u3000\u00a0\r",
    *"\u200b\u200d\ufeff\u00ad\ufe0f\u0301\u0300\u0327\u20e3",
    *"\x00\x01\x7f\ue000\u0378",
    *"😀👨👩👍🏽🇨🇳❤★→℃€",
    *"カタひらกำ한국ᄒ\u1161\u11ab",
    "C++", "C#", ".NET", "Node.js", "gpt-4o", "k8s", "v3.11.7", "snake_case", "camelCase", "HTMLParser", "e\u0301",
    "3.14", "23,876", "50%", "2026-01-02", "12:30", "100km/h", "https://a.cn/b?c=1", "x@y.org", "www.a.com/b",
    "👨\u200d👩", "1\ufe0f\u20e3", "哈哈哈", "中华人民共和国", "研究生", "iPhone 12", "T恤", "二〇二六",
    "「台中」", "太贵", "我会", "张小明", "李学平等", "欧阳修", "5,000,000-character", "1,500km",
]  # fmt: skip

mixed_texts = st.lists(st.one_of(st.sampled_from(_PARTS), st.sampled_from(_PARTS)), max_size=40).map("".join)
any_texts = st.one_of(mixed_texts, st.text(st.characters(exclude_categories=("Cs",)), max_size=60))
