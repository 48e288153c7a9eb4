-- name: serving
select id, state, fingerprint, stream_fingerprint, documents, title_length, body_length, next_ord, created_at, served_at
from wenci.generation where state = %s

-- name: stale_posts
select count(*) from wenci.post where generation = %(generation)s and fingerprint <> %(fingerprint)s

-- name: try_lock
select pg_try_advisory_lock(%s)

-- name: unlock
select pg_advisory_unlock(%s)

-- name: session_settings
select set_config('statement_timeout', '0', false), set_config('maintenance_work_mem', '256MB', false)

-- name: unused_generations
select id from wenci.generation
where state = 'retired' or (state = 'building' and fingerprint <> %(fingerprint)s) order by id

-- name: short_lock_timeout
set local lock_timeout = '2s'

-- name: keep_readers_out
lock table wenci.generation in access exclusive mode

-- name: drop_generation
select wenci.drop_generation(%s)

-- name: forget_changes
delete from wenci.change

-- name: forget_seen
drop table if exists pg_temp.wenci_seen

-- name: create_seen
create temporary table wenci_seen (id text collate "C" primary key, keep boolean not null default false)

-- name: see
insert into pg_temp.wenci_seen (id) select unnest(%s::text[]) on conflict do nothing returning id

-- name: keep_seen
insert into pg_temp.wenci_seen (id, keep) select unnest(%s::text[]), true on conflict (id) do update set keep = true

-- name: paths_of_dated_unseen
select undated, id, path
from (select id, extra ->> 'path' as path, regexp_replace(id, '(^|/)\d{4}-\d{1,2}-\d{1,2}-([^/]+)$', '\1\2') as undated
      from wenci.post where generation = %(generation)s) as post
where undated = any(%(ids)s) and undated <> id and id not in (select id from pg_temp.wenci_seen)

-- name: paths_of_unseen
select id, id, extra ->> 'path' from wenci.post
where generation = %(generation)s and id = any(%(ids)s) and id not in (select id from pg_temp.wenci_seen)

-- name: absent
select id from wenci.post where generation = %s and id not in (select id from pg_temp.wenci_seen)

-- name: discarded
select built.id
from {post} as built
left join pg_temp.wenci_seen as seen on seen.id = built.id
left join wenci.post as served on served.generation = %(serving)s and served.id = built.id
where seen.keep is distinct from false
  and (served.content_hash is distinct from built.content_hash or (%(prune)s and seen.id is null))

-- name: copyable
select served.ord
from wenci.post as served
left join pg_temp.wenci_seen as seen on seen.id = served.id
where served.generation = %(serving)s and served.ord > %(after)s
  and (%(fingerprint)s::text is null or served.fingerprint = %(fingerprint)s)
  and (seen.keep or (seen.id is null and not %(prune)s))
  and not exists (select from {post} as built where built.generation = %(generation)s and built.id = served.id)
order by served.ord
limit %(limit)s

-- name: copy_served_posts
insert into {post}
select %(generation)s, new.ord, served.id, served.title, served.body, served.tags, served.categories, served.url,
       served.published_at, served.updated_at, served.extra, served.content_hash, served.fingerprint,
       served.title_length, served.body_length, served.indexed_at, served.published_local, served.updated_local
from wenci.post as served
join unnest(%(source_ords)s::integer[], %(ords)s::integer[]) as new (source_ord, ord) on served.ord = new.source_ord
where served.generation = %(serving)s

-- name: copy_served_passages
insert into {passage}
select %(generation)s, new.ord, served.field, served.seq, served.first, served.stream, served.offsets, served.words,
       served.grams
from wenci.passage as served
join unnest(%(source_ords)s::integer[], %(ords)s::integer[]) as new (source_ord, ord) on served.ord = new.source_ord
where served.generation = %(serving)s

-- name: remember_copies
insert into wenci.copied (generation, ord, source_ord)
select %(generation)s, ord, source_ord
from unnest(%(source_ords)s::integer[], %(ords)s::integer[]) as new (source_ord, ord)

-- name: add_copied_totals
update wenci.generation
set documents = generation.documents + added.documents, title_length = generation.title_length + added.title_length,
    body_length = generation.body_length + added.body_length
from (select count(*) as documents, coalesce(sum(title_length), 0) as title_length,
             coalesce(sum(body_length), 0) as body_length
      from {post} where generation = %(generation)s and ord = any(%(ords)s)) as added
where generation.id = %(generation)s

-- name: missing
select served.ord, served.id, served.title, served.body, served.tags, served.categories, served.url,
       served.published_at, served.updated_at, served.extra, served.published_local, served.updated_local
from wenci.post as served
left join pg_temp.wenci_seen as seen on seen.id = served.id
where served.generation = %(serving)s and served.ord > %(after)s
  and (seen.keep or (seen.id is null and not %(prune)s))
  and not exists (select from {post} as built where built.generation = %(generation)s and built.id = served.id)
order by served.ord
limit %(limit)s

-- name: copies
select source_ord, ord from wenci.copied where generation = %s

-- name: served_postings
select kind, lexeme, ords, tfs from wenci.posting where generation = %s order by kind, lexeme, segment

-- name: forget_copies
delete from wenci.copied where generation = %s

-- name: next_ord
select next_ord from wenci.generation where id = %s

-- name: index_generation
select wenci.index_generation(%s)

-- name: attach_generation
select wenci.attach_generation(%s)

-- name: analyze
analyze {post}, {passage}, {posting}

-- name: changes
select id, seq from wenci.change order by seq limit %s

-- name: forget_changes_until
delete from wenci.change where seq <= %s

-- name: posts_of_ids
select id, title, body, tags, categories, url, published_at, updated_at, extra, published_local, updated_local
from wenci.post
where generation = %(generation)s and id = any(%(ids)s)
