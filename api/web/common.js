// What both pages share: words in two languages, safe building of elements, and calls to the API.

const WORDS = {
  zh: {
    search: "搜索", segment: "分词", searchPosts: "搜索文章", placeholder: "搜索文章",
    welcome: "文章里有的，就一定找得到；作为词出现的排在前面。",
    helpWords: "每个词都要出现", helpPhrase: "原样的短语", helpExclude: "排除一个词", helpOr: "任一个即可",
    segmentLabel: "输入一段文字，看它怎样被切成词", granularity: "粒度", coarse: "词", fine: "细分", searchGranularity: "索引用", cut: "切分",
    found: "找到 {n} 篇", foundAbout: "找到约 {n} 篇", none: "没有找到。换个说法试试？", searching: "正在搜索…",
    relevance: "相关", newest: "最新", why: "为何找到", related: "相关文章", noRelated: "没有相关的文章", previous: "上一页", next: "下一页",
    backToSearch: "回到搜索", original: "原文", tokens: "{n} 个词", documents: "{n} 篇文章", noPost: "没有这篇文章",
    unreachable: "连接不上服务器", removeTag: "去掉标签 {n}", removeCategory: "去掉分类 {n}", category: "分类", untitled: "（无标题）",
    meant: "你要找的是不是：", suggestions: "补全",
    missing: "缺少", unchecked: "未核对", exclusion: "要排除的词",
    routes: "怎样找到", matched: "匹配到", fields: "出现在", score: "得分", phrase: "原样的一整段", words: "词", characters: "跨词的字", spacing: "连写或分写", synonym: "同义词", fuzzy: "相近的拼写", semantic: "意思相近", swaps: "当作", similarity: "相似度", filters: "筛选条件",
    title: "标题", body: "正文", tags: "标签", relaxed: "只含一部分词",
  },
  en: {
    search: "Search", segment: "Segment", searchPosts: "Search posts", placeholder: "Search posts",
    welcome: "Whatever is in a post is found; posts that hold it as words come first.",
    helpWords: "every word must appear", helpPhrase: "a phrase as it stands", helpExclude: "without a word", helpOr: "either one",
    segmentLabel: "Type some text and see how it is cut into words", granularity: "Granularity", coarse: "Words", fine: "Parts", searchGranularity: "As indexed", cut: "Cut",
    found: "{n} found", foundAbout: "about {n} found", none: "Nothing found.", searching: "Searching…",
    relevance: "Relevance", newest: "Newest", why: "Why", related: "Related posts", noRelated: "No related posts", previous: "Previous", next: "Next",
    backToSearch: "Back to search", original: "original", tokens: "{n} tokens", documents: "{n} posts", noPost: "There is no such post",
    unreachable: "The server cannot be reached", removeTag: "Remove tag {n}", removeCategory: "Remove category {n}", category: "Category", untitled: "(untitled)",
    meant: "Did you mean: ", suggestions: "Completions",
    missing: "Missing", unchecked: "Not checked", exclusion: "what is excluded",
    routes: "Route", matched: "Matched", fields: "In", score: "Score", phrase: "in one piece", words: "words", characters: "characters across words", spacing: "written together or apart", synonym: "synonym", fuzzy: "similar spelling", semantic: "near in meaning", swaps: "Read as", similarity: "Similarity", filters: "filters",
    title: "title", body: "body", tags: "tags", relaxed: "Some words only",
  },
};
const LANGUAGE = (navigator.languages?.[0] ?? "zh").toLowerCase().startsWith("zh") ? "zh" : "en";

export function t(key, n) {
  return (WORDS[LANGUAGE][key] ?? key).replace("{n}", n ?? "");
}

export function translatePage() {
  document.documentElement.lang = LANGUAGE === "zh" ? "zh-CN" : "en";
  for (const node of document.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t);
}

// An element with attributes and children; data only ever becomes text.
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// Text with marks: pairs of code-point offsets.
export function marked(text, marks) {
  const points = Array.from(text);
  const parts = [];
  let at = 0;
  for (const [start, end] of marks ?? []) {
    if (start < at) continue;
    parts.push(points.slice(at, start).join(""), element("mark", {}, points.slice(start, end).join("")));
    at = end;
  }
  parts.push(points.slice(at).join(""));
  return parts;
}

export async function api(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: { "Accept-Language": LANGUAGE, ...options.headers } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(t("unreachable"));
  }
  const answer = response.status === 204 ? null : await response.json().catch(() => null);
  if (!response.ok) {
    const failure = new Error(answer?.detail ?? response.statusText);
    failure.status = response.status;
    throw failure;
  }
  return answer;
}

export function say(node, text, isError = false) {
  node.textContent = text;
  node.classList.toggle("error", isError);
}

export function day(moment) {
  return moment ? element("time", { datetime: moment }, moment.slice(0, 10)) : null;
}

export function postAddress(id, query) {
  const parameters = new URLSearchParams({ id });
  if (query) parameters.set("q", query);
  return `/post?${parameters}`;
}

export function tagChip(tag) {
  return element("a", { class: "chip", href: `/?${new URLSearchParams({ q: "", tag })}` }, `#${tag}`);
}

// Only links a browser may open.
export function safeLink(address) {
  try {
    const url = new URL(address, location.href);
    return ["http:", "https:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

export async function relatedItems(id, query) {
  const answer = await api(`/v1/posts/${encodeURIComponent(id)}/related?limit=5`);
  if (!answer.related.length) return [element("li", {}, t("noRelated"))];
  return answer.related.map((post) => {
    const shared = [...post.shared_tags.map((tag) => `#${tag}`), ...post.shared].join(" · ");
    return element("li", {},
      element("a", { href: postAddress(post.id, query) }, post.title || t("untitled")),
      shared ? element("span", { class: "shared" }, shared) : null);
  });
}
