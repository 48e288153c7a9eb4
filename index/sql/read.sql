-- name: collection_state
select id, next_ord, documents, title_length, body_length, created_at, fingerprint, stream_fingerprint,
       pg_postmaster_start_time(), pg_current_xact_id_if_assigned() is not null
from wenci.generation where state = 'serving'

-- name: lengths
select string_agg(int4send(ord) || int4send(title_length) || int4send(body_length), ''::bytea)
from wenci.post
where generation = %(generation)s and ord >= %(first)s

-- name: live_ords
select string_agg(int4send(ord), ''::bytea)
from wenci.post
where generation = %(generation)s

-- name: postings
select kind, lexeme, ords, tfs
from wenci.posting
where generation = %(generation)s and kind = any(%(kinds)s::smallint[]) and lexeme = any(%(lexemes)s::text[])

-- name: later_postings
select kind, lexeme, ords, tfs
from wenci.posting
where generation = %(generation)s and kind = any(%(kinds)s::smallint[]) and lexeme = any(%(lexemes)s::text[])
  and segment >= %(segment)s

-- name: phrase_ords
select string_agg(int4send(ord), ''::bytea)
from wenci.passage
where generation = %(generation)s and grams @@ %(phrase)s::tsquery

-- name: phrase_among
select string_agg(int4send(ord), ''::bytea)
from wenci.passage
where generation = %(generation)s and ord = any(%(ords)s::integer[]) and grams @@ %(phrase)s::tsquery

-- name: literal_among
select string_agg(int4send(ord), ''::bytea)
from wenci.passage
where generation = %(generation)s and ord = any(%(ords)s::integer[]) and position(%(literal)s in stream) > 0

-- name: standing_among
select string_agg(int4send(ord), ''::bytea)
from wenci.passage
where generation = %(generation)s and ord = any(%(ords)s::integer[]) and words @@ %(phrase)s::tsquery

-- name: tag_among
select string_agg(int4send(ord), ''::bytea)
from wenci.passage
where generation = %(generation)s and ord = any(%(ords)s::integer[]) and field = 2
  and position(',' || %(tag)s || ',' in ',' || stream || ',') > 0

-- name: dated_ords
select string_agg(int4send(ord), ''::bytea)
from wenci.post
where generation = %(generation)s
  and published_local >= coalesce(%(after)s::timestamp, '-infinity')
  and published_local < coalesce(%(before)s::timestamp, 'infinity')

-- name: ords_of_moments
select string_agg(int4send(ord), ''::bytea)
from wenci.post
where generation = %(generation)s
  and published_at >= coalesce(%(after)s::timestamptz, '-infinity')
  and published_at < coalesce(%(before)s::timestamptz, 'infinity')
  -- No clock is a day off: so far the index leads.
  and published_local >= coalesce(%(after)s::timestamptz at time zone 'UTC' - interval '1 day', '-infinity')
  and published_local < coalesce(%(before)s::timestamptz at time zone 'UTC' + interval '1 day', 'infinity')

-- name: newest
select ord
from wenci.post
where generation = %(generation)s and ord = any(%(ords)s::integer[])
order by published_local desc nulls last, id
limit %(limit)s offset %(offset)s

-- name: newest_of_many
select ord
from wenci.post
where generation = %(generation)s and case when ord <= %(top)s then get_bit(%(mask)s, ord) = 1 end
order by published_local desc nulls last, id
limit %(limit)s offset %(offset)s

-- name: ids
select id
from wenci.post
where generation = %(generation)s and ord = any(%(ords)s::integer[])

-- name: posts
select ord, id, title, url, published_at, tags, published_local
from wenci.post
where generation = %(generation)s and ord = any(%(ords)s::integer[])

-- name: passages
select ord, field, seq, first, stream, offsets
from wenci.passage
where generation = %(generation)s and ord = any(%(ords)s::integer[]) and seq < %(passages)s

-- name: later_passages
select ord, field, seq, first, stream, offsets
from wenci.passage
where generation = %(generation)s and ord = any(%(ords)s::integer[]) and seq >= %(passages)s
  and exists (select from unnest(%(literals)s::text[]) as wanted (text) where position(wanted.text in stream) > 0)

-- name: body_slices
select wanted.ord, substr(post.body, wanted.start + 1, wanted.length), char_length(post.body) <= wanted.start + wanted.length
from unnest(%(ords)s::integer[], %(starts)s::integer[], %(lengths)s::integer[]) as wanted (ord, start, length)
join wenci.post on post.generation = %(generation)s and post.ord = wanted.ord

-- name: source_post
select ord, title, body, tags
from wenci.post
where generation = %(generation)s and id = %(id)s

-- name: tag_holders
select wanted.tag, string_agg(int4send(post.ord), ''::bytea)
from unnest(%(tags)s::text[]) as wanted (tag)
join wenci.post on post.generation = %(generation)s and post.tags @> array[wanted.tag]
group by wanted.tag
