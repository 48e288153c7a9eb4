import { api, day, element, relatedItems, safeLink, say, t, tagChip, translatePage } from "./common.js";

const $ = (id) => document.getElementById(id);
const parameters = new URLSearchParams(location.search);
const id = parameters.get("id") ?? "";
const query = parameters.get("q") ?? "";

// The query's words and phrases without its operators.
function termsOf(text) {
  const folded = text.normalize("NFKC").replace(/[“”]/g, '"');
  const phrases = [...folded.matchAll(/"([^"]+)"/g)].map((match) => match[1]);
  const words = folded.replace(/"[^"]*"/g, " ").split(/\s+/)
    .filter((word) => word && word !== "OR" && !/^-|^(tag|before|after):/i.test(word));
  return [...phrases, ...words];
}

// Finds the terms whatever their case, and whatever white space lies between their characters.
function patternFor(terms) {
  const sources = terms.map((term) => Array.from(term.replace(/\s/g, ""))
    .map((character) => character.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("\\s*"));
  const present = sources.filter(Boolean).sort((left, right) => right.length - left.length);
  return present.length ? new RegExp(present.join("|"), "giu") : null;
}

function highlighted(text, pattern) {
  if (!pattern) return [text];
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    parts.push(text.slice(at, match.index), element("mark", {}, match[0]));
    at = match.index + match[0].length;
  }
  return [...parts, text.slice(at)];
}

async function wordsOf(text) {
  const answer = await api("/v1/segment", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ text, offsets: false }),
  });
  return answer.tokens.filter((token) => !["punct", "space"].includes(token.kind)).map((token) => token.text);
}

async function patternIn(post) {
  const terms = termsOf(query);
  const whole = patternFor(terms);
  if (!whole || (post.title + post.body).search(whole) >= 0) return whole;
  return patternFor(await wordsOf(terms.join(" ")).catch(() => []));
}

async function show() {
  try {
    const post = await api(`/v1/posts/${encodeURIComponent(id)}`);
    const pattern = await patternIn(post);
    document.title = `${post.title || t("untitled")} · 稳词 Wenci`;
    const original = post.url && safeLink(post.url);
    $("title").replaceChildren(...highlighted(post.title || t("untitled"), pattern));
    $("meta").replaceChildren(...[
      day(post.published_at), ...post.tags.map(tagChip),
      original ? element("a", { href: original, class: "chip", rel: "noopener noreferrer" }, `${t("original")} ↗`) : null,
    ].filter(Boolean));
    $("body").replaceChildren(...post.body.split(/\n{2,}/).filter((part) => part.trim())
      .map((part) => element("p", {}, ...highlighted(part, pattern))));
    $("post").hidden = false;
    $("related-list").replaceChildren(...await relatedItems(post.id, query));
    $("related").hidden = false;
  } catch (error) {
    say($("status"), error.status === 404 ? t("noPost") : error.message, true);
  }
}

translatePage();
if (query) $("back").href = `/?${new URLSearchParams({ q: query })}`;
void show();
