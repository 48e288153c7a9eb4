-- name: post_of_id
select id, title, body, tags, categories, url, published_at, updated_at, extra, published_local, updated_local
from wenci.post
where generation = %(generation)s and id = %(id)s

-- name: holds_own
select exists (select from wenci.post where generation = %s and extra -> 'example' is distinct from 'true')

-- name: serving_id
select id from wenci.generation where state = 'serving'

-- name: lock_serving
select id from wenci.generation where state = 'serving' for update

-- name: lock_creation
select pg_advisory_xact_lock(%s)

-- name: create_generation
select wenci.create_generation(%(fingerprint)s, %(stream_fingerprint)s)

-- name: start_empty
select wenci.index_generation(id), wenci.attach_generation(id) from (values (%s)) as new (id)

-- name: adopt_fingerprint
update wenci.generation set fingerprint = %(fingerprint)s, stream_fingerprint = %(stream_fingerprint)s
where id = %(generation)s and documents = 0

-- name: stored_hashes
select id, content_hash, fingerprint from {post}
where generation = %(generation)s and id = any(%(ids)s)

-- name: take_ords
update wenci.generation set next_ord = next_ord + %(count)s where id = %(generation)s
returning next_ord - %(count)s

-- name: delete_posts
with gone as (
    delete from {post} where generation = %(generation)s and id = any(%(ids)s)
    returning ord, id, title_length, body_length
), passages as (
    delete from {passage} where generation = %(generation)s and ord in (select ord from gone)
), copies as (
    delete from wenci.copied where generation = %(generation)s and ord in (select ord from gone)
), totals as (
    update wenci.generation
    set documents = documents - (select count(*) from gone),
        title_length = title_length - coalesce((select sum(title_length) from gone), 0),
        body_length = body_length - coalesce((select sum(body_length) from gone), 0)
    where id = %(generation)s
)
select id from gone

-- name: add_totals
update wenci.generation
set documents = documents + %(documents)s, title_length = title_length + %(title_length)s,
    body_length = body_length + %(body_length)s
where id = %(generation)s

-- name: copy_posts
copy {post} (generation, ord, id, title, body, tags, categories, url, published_at, updated_at, published_local,
             updated_local, extra, content_hash, fingerprint, title_length, body_length) from stdin

-- name: copy_passages
copy {passage} (generation, ord, field, seq, first, stream, offsets, words, grams) from stdin

-- name: copy_postings
copy {posting} (generation, kind, lexeme, segment, ords, tfs) from stdin

-- name: append_postings
insert into {posting} as posting (generation, kind, lexeme, segment, ords, tfs)
select %(generation)s, kind, lexeme, %(segment)s, ords, tfs
from unnest(%(kinds)s::smallint[], %(lexemes)s::text[], %(ords)s::bytea[], %(tfs)s::bytea[]) as row (kind, lexeme, ords, tfs)
on conflict (generation, kind, lexeme, segment)
do update set ords = posting.ords || excluded.ords, tfs = posting.tfs || excluded.tfs

-- name: log_changes
insert into wenci.change (id, seq)
select id, nextval('wenci.change_seq') from unnest(%s::text[]) as id
where exists (select from wenci.generation where state = 'building')
on conflict (id) do update set seq = excluded.seq
