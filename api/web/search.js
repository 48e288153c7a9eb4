import { api, day, element, marked, postAddress, relatedItems, say, t, tagChip, translatePage } from "./common.js";
import { samples } from "./samples.js";
import { completions } from "./suggest.js";

const PAGE_SIZE = 10;
const MOST_MISSING = 8;
const $ = (id) => document.getElementById(id);
let running = null;

function stateFromAddress() {
  const parameters = new URLSearchParams(location.search);
  return {
    view: parameters.get("view") === "segment" ? "segment" : "search",
    query: parameters.get("q") ?? "",
    tags: parameters.getAll("tag"),
    categories: parameters.getAll("category"),
    sort: parameters.get("sort") === "newest" ? "newest" : "relevance",
    page: Math.max(1, Number.parseInt(parameters.get("page") ?? "1", 10) || 1),
  };
}

function addressOf(state) {
  const parameters = new URLSearchParams();
  if (state.view === "segment") parameters.set("view", "segment");
  if (state.query || state.tags.length || state.categories.length) parameters.set("q", state.query);
  addLabels(parameters, state);
  if (state.sort !== "relevance") parameters.set("sort", state.sort);
  if (state.page > 1) parameters.set("page", state.page);
  const text = parameters.toString();
  return text ? `/?${text}` : "/";
}

function addLabels(parameters, { tags, categories }) {
  for (const tag of tags) parameters.append("tag", tag);
  for (const category of categories) parameters.append("category", category);
}

function go(state) {
  history.pushState(null, "", addressOf(state));
  render();
  scrollTo(0, 0);
}

function link(state, content, attributes = {}) {
  const follow = (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(state);
  };
  return element("a", { href: addressOf(state), onclick: follow, ...attributes }, ...[content].flat());
}

function render() {
  const state = stateFromAddress();
  $("search-view").hidden = state.view !== "search";
  $("segment-view").hidden = state.view !== "segment";
  for (const tab of document.querySelectorAll("[data-view]")) {
    if (tab.dataset.view === state.view) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  if (state.view === "segment") return void cutText();
  $("q").value = state.query;
  document.title = state.query ? `${state.query} · 稳词 Wenci` : "稳词 Wenci";
  void searchPosts(state);
}

async function searchPosts(state) {
  running?.abort();
  const asked = Boolean(state.query.trim() || state.tags.length || state.categories.length);
  $("welcome").hidden = asked;
  if (!asked) void showSamples(state);
  $("hits").replaceChildren();
  $("pages").hidden = true;
  $("meant").hidden = true;
  $("facets").hidden = true;
  renderFilters(state, asked);
  say($("status"), asked ? t("searching") : "");
  if (!asked) return;
  running = new AbortController();
  const parameters = new URLSearchParams({
    q: state.query, sort: state.sort, limit: PAGE_SIZE, offset: (state.page - 1) * PAGE_SIZE,
  });
  addLabels(parameters, state);
  const { signal } = running;
  try {
    renderResult(state, await api(`/v1/search?${parameters}`, { signal }));
    if (state.page === 1) await showFacets(state, signal);
  } catch (error) {
    if (error.name !== "AbortError") say($("status"), error.message, true);
  }
}

function renderFilters(state, asked) {
  const chips = state.tags.map((tag) => link(
    { ...state, tags: state.tags.filter((other) => other !== tag), page: 1 },
    `#${tag} ×`, { class: "chip", "aria-label": t("removeTag", tag) }));
  chips.push(...state.categories.map((category) => link(
    { ...state, categories: state.categories.filter((other) => other !== category), page: 1 },
    `${t("category")}: ${category} ×`, { class: "chip", "aria-label": t("removeCategory", category) })));
  const sorts = ["relevance", "newest"].map((sort) => link(
    { ...state, sort, page: 1 }, t(sort), sort === state.sort ? { "aria-current": "true" } : {}));
  $("filters").replaceChildren(...chips, element("span", { class: "sort" }, ...sorts));
  $("filters").hidden = !asked;
}

function renderResult(state, result) {
  const count = t(result.total_is_exact ? "found" : "foundAbout", result.total.toLocaleString());
  say($("status"), result.total ? count : t("none"));
  for (const notice of result.notices) $("status").append(element("span", { class: "notice" }, notice));
  renderMeant(state, result.did_you_mean);
  const before = (state.page - 1) * PAGE_SIZE;
  $("hits").replaceChildren(...result.hits.map((hit, place) => hitItem(hit, state, before + place + 1)));
  renderPages(state, result.total);
}

function hitItem(hit, state, position) {
  const panel = element("div", { class: "panel", hidden: "" });
  const toggle = (fill) => async (event) => {
    const wasOpen = panel.dataset.by === event.target.textContent && !panel.hidden;
    panel.hidden = wasOpen;
    panel.dataset.by = event.target.textContent;
    if (!wasOpen) panel.replaceChildren(await fill().catch((error) => error.message));
  };
  const tags = hit.tags.map((tag) => link(
    { ...state, tags: [...new Set([...state.tags, tag])], page: 1 }, `#${tag}`, { class: "chip" }));
  return element("li", {},
    element("h2", {}, element("a", { href: postAddress(hit.id, state.query), onclick: () => clicked(state, hit, position) },
      ...(hit.title ? marked(hit.title, hit.title_marks) : [t("untitled")]))),
    element("p", { class: "meta" }, day(hit.published_at), ...tags, ...shortcomings(hit.why)),
    element("p", { class: "snippet" }, ...marked(hit.snippet, hit.snippet_marks)),
    element("div", { class: "extras" },
      element("button", { class: "quiet", type: "button", onclick: toggle(async () => whyList(hit)) }, t("why")),
      element("button", { class: "quiet", type: "button", onclick: toggle(async () =>
        element("ul", { class: "related" }, ...await relatedItems(hit.id, state.query))) }, t("related")),
      panel));
}

// What tells a hit from one that was seen to hold all of the query.
function shortcomings({ missing, unchecked }) {
  const words = missing?.slice(0, MOST_MISSING).join(" · ");
  const more = missing?.length > MOST_MISSING ? " …" : "";
  return [
    words ? element("span", { class: "lacks" }, `${t("missing")}: ${words}${more}`) : null,
    unchecked ? element("span", { class: "lacks" }, t("unchecked")) : null,
  ];
}

function whyList(hit) {
  const { routes, matched, fields, score, swaps, unchecked, ...rest } = hit.why;
  const rows = {
    routes: routes?.map((route) => t(route)),
    matched,
    fields: fields?.map((field) => t(field)),
    swaps: swaps?.map((swap) => `${swap.typed} → ${swap.meant}`) ?? [],
    unchecked: unchecked?.map((what) => t(what)) ?? [],
    score: hit.score.toFixed(1),
    ...rest,
  };
  return element("dl", {}, ...Object.entries(rows).filter(([, value]) => value?.length !== 0).flatMap(([name, value]) => [
    element("dt", {}, t(name)), element("dd", {}, readable(value))]));
}

function readable(value) {
  if (value === true) return "✓";
  if (Array.isArray(value)) return value.map(readable).join(" · ");
  if (value && typeof value === "object") {
    return Object.entries(value).map(([key, item]) => `${key}: ${readable(item)}`).join(", ");
  }
  return String(value);
}

function renderMeant(state, meant) {
  $("meant").hidden = !meant.length;
  $("meant").replaceChildren(t("meant"), ...meant.flatMap((one, place) => [
    place ? " · " : " ", link({ ...state, query: one.query, page: 1 }, one.query)]));
}

// Tags, categories and years of what was found, to narrow it down.
async function showFacets(state, signal) {
  const parameters = new URLSearchParams({ q: state.query, values: 8 });
  addLabels(parameters, state);
  const found = await api(`/v1/facets?${parameters}`, { signal });
  const tags = found.tags.filter(({ value }) => !state.tags.includes(value)).map(({ value, count }) => link(
    { ...state, tags: [...state.tags, value], page: 1 }, [`#${value} `, element("small", {}, String(count))], { class: "chip" }));
  const categories = found.categories.filter(({ value }) => !state.categories.includes(value)).map(({ value, count }) => link(
    { ...state, categories: [...state.categories, value], page: 1 },
    [`${t("category")}: ${value} `, element("small", {}, String(count))], { class: "chip" }));
  const years = found.years.length < 2 ? [] : found.years.map(({ value, count }) => link(
    { ...state, query: inYear(state.query, value), page: 1 }, [`${value} `, element("small", {}, String(count))], { class: "chip" }));
  const chips = [...tags, ...categories, ...years];
  $("facets").replaceChildren(...chips);
  $("facets").hidden = found.of_all || found.documents < 2 || !chips.length;
}

function quoted(tag) {
  return /\s/.test(tag) ? `"${tag}"` : tag;
}

function inYear(query, year) {
  const words = query.split(/\s+/).filter((word) => word && !/^(before|after):/i.test(word));
  return [...words, `after:${year}-01-01`, `before:${Number(year) + 1}-01-01`].join(" ");
}

// Tells the server which hit was opened; the page does not wait for it.
function clicked(state, hit, position) {
  const body = JSON.stringify({ query: state.query, id: hit.id, position });
  navigator.sendBeacon?.("/v1/click", new Blob([body], { type: "application/json" }));
}

function renderPages(state, total) {
  const last = Math.ceil(total / PAGE_SIZE);
  $("pages").hidden = last < 2;
  if (last < 2) return;
  const first = Math.max(1, Math.min(state.page - 2, last - 4));
  const numbers = Array.from({ length: Math.min(5, last) }, (_, index) => first + index);
  const to = (page, label, attributes) => link({ ...state, page }, label, attributes);
  $("pages").replaceChildren(
    ...(state.page > 1 ? [to(state.page - 1, `‹ ${t("previous")}`, { rel: "prev" })] : []),
    ...numbers.map((page) => to(page, String(page), page === state.page ? { "aria-current": "page" } : {})),
    ...(state.page < last ? [to(state.page + 1, `${t("next")} ›`, { rel: "next" })] : []));
}

async function cutText() {
  const granularity = new FormData($("segment-form")).get("granularity");
  try {
    const answer = await api("/v1/segment", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ text: $("text").value, granularity }),
    });
    say($("segment-status"), t("tokens", answer.tokens.length));
    $("tokens").replaceChildren(...answer.tokens.map((token) => element(
      "span", { class: `token ${token.kind}`, title: `${token.kind} · ${token.source} · ${token.granularity}` },
      token.text, element("small", {}, `${token.start}–${token.end}`))));
  } catch (error) {
    say($("segment-status"), error.message, true);
  }
}

// Without them the page is as useful, so what goes wrong is not said.
async function showSamples(state) {
  if ($("samples").childElementCount) return;
  const facets = (query, tag) => api(`/v1/facets?${new URLSearchParams({ q: query, values: 20, ...(tag ? { tag } : {}) })}`);
  const found = await samples(facets).catch(() => []);
  $("samples").replaceChildren(...found.map(([help, query]) => element("div", {},
    element("dt", {}, link({ ...state, view: "search", query, page: 1 }, query)), element("dd", {}, t(help)))));
}

async function showHealth() {
  try {
    const state = await api("/readyz");
    $("health").textContent = t("documents", state.documents);
  } catch (error) {
    $("health").textContent = error.message;
  }
}

translatePage();
$("q").placeholder = t("placeholder");
$("suggestions").setAttribute("aria-label", t("suggestions"));
const closeCompletions = completions($("q"), $("suggestions"), (option) => {
  if (option.kind === "title" && option.id) location.href = postAddress(option.id, option.text);
  else go({ ...stateFromAddress(), view: "search", query: option.kind === "tag" ? `tag:${quoted(option.text)}` : option.text, tags: [], categories: [], page: 1 });
});
$("search-form").addEventListener("submit", (event) => {
  event.preventDefault();
  closeCompletions();
  go({ ...stateFromAddress(), view: "search", query: $("q").value, page: 1 });
});
$("segment-form").addEventListener("submit", (event) => { event.preventDefault(); void cutText(); });
$("segment-form").addEventListener("change", (event) => { if (event.target.name === "granularity") void cutText(); });
addEventListener("popstate", render);
render();
void showHealth();
