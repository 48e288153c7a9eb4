-- name: forget_titles
delete from wenci.suggestion where generation = %(generation)s and kind = 0 and id = any(%(ids)s::text[])
returning tags

-- name: titles_of_ids
select post.id, post.title, post.tags, post.categories, title.stream, title.offsets
from {post} as post
left join {passage} as title
    on title.generation = post.generation and title.ord = post.ord and title.field = 0 and title.seq = 0
where post.generation = %(generation)s and post.id = any(%(ids)s::text[])

-- name: ids_after
select id from {post} where generation = %(generation)s and id > %(after)s order by id limit %(limit)s

-- name: insert_titles
insert into wenci.suggestion (generation, kind, text, id, tags)
select %(generation)s, 0, row.text, row.id, array(select jsonb_array_elements_text(row.tags))
from unnest(%(texts)s::text[], %(ids)s::text[], %(tags)s::jsonb[]) as row (text, id, tags)
returning id, number

-- name: count_tags
insert into wenci.suggestion (generation, kind, text, documents)
select %(generation)s, 1, row.text, row.documents
from unnest(%(texts)s::text[], %(documents)s::integer[]) as row (text, documents)
on conflict (generation, kind, id, text) do update set documents = suggestion.documents + excluded.documents
returning text, number, documents, not exists (
    select from wenci.suggestion_key as k where k.number = suggestion.number
)

-- name: forget_unused_tags
delete from wenci.suggestion
where generation = %(generation)s and kind = 1 and documents <= 0 and text = any(%(texts)s::text[])

-- name: update_key_documents
update wenci.suggestion_key as k set documents = s.documents
from wenci.suggestion as s
where s.generation = %(generation)s and s.kind = 1 and s.text = any(%(texts)s::text[]) and k.number = s.number

-- name: forget_phrases
delete from wenci.suggestion where generation = %(generation)s and kind = 2

-- name: insert_phrases
insert into wenci.suggestion (generation, kind, text, documents)
select %(generation)s, 2, row.text, row.documents
from unnest(%(texts)s::text[], %(documents)s::integer[]) as row (text, documents)
returning text, number

-- name: copy_keys
copy wenci.suggestion_key (generation, number, route, kind, place, key, documents) from stdin

-- name: heads
select passage.ord, passage.stream, passage.offsets,
       case passage.field when 0 then post.title else left(post.body, %(characters)s) end
from {passage} as passage
join {post} as post on post.generation = passage.generation and post.ord = passage.ord
where passage.generation = %(generation)s and passage.field in (0, 1) and passage.seq = 0
  and passage.ord between %(first)s and %(last)s
order by passage.ord, passage.field

-- name: ord_range
select coalesce(min(ord), 0), coalesce(max(ord), -1), count(*) from {post} where generation = %(generation)s

-- name: documents
select documents from wenci.generation where id = %(generation)s

-- name: forget_vocabulary
delete from wenci.vocabulary where generation = %(generation)s

-- name: words
select lexeme, max(documents)
from (select lexeme, kind, sum(octet_length(ords) / 4)::integer as documents
      from {posting} where generation = %(generation)s and kind in (0, 1, 4) and char_length(lexeme) between 2 and 24
      group by lexeme, kind) as counted
group by lexeme having max(documents) >= %(least)s

-- name: copy_vocabulary
copy wenci.vocabulary (generation, word, documents, sound) from stdin

-- name: forget_all
delete from wenci.suggestion where generation = %(generation)s

-- name: state
select changes from wenci.suggestion_state where generation = %(generation)s

-- name: add_changes
insert into wenci.suggestion_state (generation, changes) values (%(generation)s, %(changes)s)
on conflict (generation) do update set changes = suggestion_state.changes + excluded.changes
returning changes

-- name: no_changes
insert into wenci.suggestion_state (generation, changes) values (%(generation)s, 0)
on conflict (generation) do update set changes = 0

-- name: unused
select distinct generation from wenci.suggestion_state
where generation not in (select id from wenci.generation where state in ('serving', 'building'))

-- name: forget_some
delete from wenci.suggestion where number in (
    select number from wenci.suggestion where generation = %(generation)s limit %(limit)s
)

-- name: forget_state
delete from wenci.suggestion_state where generation = %(generation)s

-- name: complete
select wanted.route, k.kind, k.place, k.number, k.documents
from unnest(%(routes)s::smallint[], %(prefixes)s::text[]) as wanted (route, prefix)
cross join (values (0::smallint), (1::smallint), (2::smallint)) as kinds (kind)
cross join lateral (
    select kind, place, number, documents from wenci.suggestion_key
    where generation = %(generation)s and route = wanted.route and kind = kinds.kind
      and key >= wanted.prefix collate "C" and key < wanted.prefix || U&'\+10FFFF' collate "C"
    order by place, documents desc, number limit %(limit)s
) as k

-- name: complete_head
select wanted.route, k.kind, k.place, k.number, k.documents
from unnest(%(routes)s::smallint[], %(prefixes)s::text[]) as wanted (route, prefix)
cross join (values (0::smallint), (1::smallint), (2::smallint)) as kinds (kind)
cross join lateral (
    select kind, place, number, documents from wenci.suggestion_key
    where generation = %(generation)s and route = wanted.route and kind = kinds.kind
      and left(key, 1) = wanted.prefix collate "C"
    order by place, documents desc, number limit %(limit)s
) as k

-- name: suggestions
select s.number, s.text, s.documents, nullif(s.id, ''), post.url
from wenci.suggestion as s
left join wenci.post as post on post.generation = s.generation and post.id = s.id and s.kind = 0
where s.generation = %(generation)s and s.number = any(%(numbers)s::bigint[]) and (s.kind <> 0 or post.id is not null)

-- name: alike
select word, documents, sound from wenci.vocabulary
where generation = %(generation)s and sound = any(%(sounds)s::text[])

-- name: one_different
select wanted.pattern, word, documents
from wenci.vocabulary
join unnest(%(patterns)s::text[]) as wanted (pattern) on word like wanted.pattern
where generation = %(generation)s and sound is not null and char_length(word) = any(%(lengths)s::integer[])

-- name: latin_words
select word, documents from wenci.vocabulary
where generation = %(generation)s and sound is null and char_length(word) between %(shortest)s and %(longest)s

-- name: known
select word from wenci.vocabulary where generation = %(generation)s and word = any(%(words)s::text[])
