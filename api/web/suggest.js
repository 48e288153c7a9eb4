import { api, element } from "./common.js";

const WAIT = 90;
const COUNT = 8;

// A list of completions under a search field: arrow keys, Enter, Escape; nothing while an input method is composing.
export function completions(input, list, choose) {
  let options = [];
  let chosen = -1;
  let timer = 0;
  let running = null;

  function close() {
    clearTimeout(timer);
    running?.abort();
    options = [];
    chosen = -1;
    list.hidden = true;
    list.replaceChildren();
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function point(at) {
    chosen = at;
    list.childNodes.forEach((node, place) => node.setAttribute("aria-selected", String(place === at)));
    if (at < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", `suggestion-${at}`);
  }

  function show(found) {
    options = found;
    const items = found.map((one, place) => element("li", {
      id: `suggestion-${place}`, role: "option", "aria-selected": "false",
      onpointerdown: (event) => { event.preventDefault(); pick(place); },
    }, element("span", {}, one.text), element("small", {}, one.kind === "tag" ? "#" : String(one.documents))));
    list.replaceChildren(...items);
    list.hidden = !items.length;
    input.setAttribute("aria-expanded", String(items.length > 0));
    point(-1);
  }

  function pick(place) {
    const option = options[place];
    close();
    input.value = option.text;
    choose(option);
  }

  async function ask() {
    running?.abort();
    const text = input.value.trim();
    if (!text) return close();
    running = new AbortController();
    try {
      const answer = await api(`/v1/suggest?${new URLSearchParams({ q: text, limit: COUNT })}`, { signal: running.signal });
      if (document.activeElement === input && input.value.trim() === text) show(answer.suggestions);
    } catch {
      // Completion is a help: without it the search works as well.
    }
  }

  function later(event) {
    clearTimeout(timer);
    if (!event.isComposing) timer = setTimeout(ask, WAIT);
  }

  input.addEventListener("input", later);
  input.addEventListener("compositionend", () => { clearTimeout(timer); timer = setTimeout(ask, WAIT); });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.isComposing || list.hidden) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const places = options.length + 1;
      point((chosen + 1 + step + places) % places - 1);
    } else if (event.key === "Escape") {
      event.preventDefault();
      close();
    } else if (event.key === "Enter" && chosen >= 0) {
      event.preventDefault();
      pick(chosen);
    }
  });
  return close;
}
