// Queries to try on the start page: made of tags that posts carry, and only such as find something.

const LOOKED_AT = 8;

// Pairs of the key of an explanation and a query; `facets(query, tag)` asks /v1/facets.
export async function samples(facets) {
  const tags = usable(await facets("", null));
  if (!tags.length) return [];
  const [first, second] = tags;
  const beside = usable(await facets("", first)).filter((tag) => tag !== first);
  const longest = tags.reduce((one, other) => (other.length > one.length ? other : one));
  const candidates = [
    ["helpWords", [first, ...beside.slice(0, 1)].map(term).join(" ")],
    ["helpPhrase", `"${longest}"`],
    ["helpExclude", beside.length ? `${term(first)} -${term(beside.at(-1))}` : ""],
    ["helpOr", second ? `${term(first)} OR ${term(second)}` : ""],
  ];
  const finds = await Promise.all(candidates.map(async ([, query]) => query && !(await facets(query, null)).of_all));
  return candidates.filter((_, place) => finds[place]);
}

function usable(found) {
  return found.tags.map(({ value }) => value).filter((tag) => !tag.includes('"')).slice(0, LOOKED_AT);
}

// A tag as a word of a query; in quotes where the query language would take it for something else.
function term(tag) {
  return /^[\p{L}\p{N}][\p{L}\p{N}+#.]*$/u.test(tag) && tag !== "OR" ? tag : `"${tag}"`;
}
