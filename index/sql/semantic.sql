-- name: prepare
select wenci.prepare_embedding()

-- name: is_there
select exists (select from pg_attribute
               where attrelid = to_regclass('wenci.embedding') and attname = 'vector' and not attisdropped)

-- name: forget_all
drop table if exists wenci.embedding

-- name: begin_model
insert into wenci.embedding_state (model) values (%(model)s) on conflict (model) do nothing

-- name: states
select model, rows, version from wenci.embedding_state
where exists (select from pg_attribute
              where attrelid = to_regclass('wenci.embedding') and attname = 'vector' and not attisdropped)
order by model

-- name: count_pending
select count(*)
from wenci.post
left join wenci.embedding as e on e.id = post.id
where post.generation = %(generation)s
  and (e.id is null or e.model <> %(model)s or e.content_hash <> post.content_hash)

-- name: pending
select post.id, post.content_hash, post.title, left(post.body, %(characters)s)
from wenci.post
left join wenci.embedding as e on e.id = post.id
where post.generation = %(generation)s and post.id > %(after)s
  and (e.id is null or e.model <> %(model)s or e.content_hash <> post.content_hash)
order by post.id
limit %(limit)s

-- name: store
insert into wenci.embedding (id, model, content_hash, vector)
select row.id, %(model)s, row.content_hash, row.vector::halfvec
from unnest(%(ids)s::text[], %(hashes)s::bytea[], %(vectors)s::text[]) as row (id, content_hash, vector)
on conflict (id) do update
set model = excluded.model, content_hash = excluded.content_hash, vector = excluded.vector

-- name: forget_gone
delete from wenci.embedding as e
where not exists (select from wenci.post where post.generation = %(generation)s and post.id = e.id)

-- name: count_rows
update wenci.embedding_state
set rows = (select count(*) from wenci.embedding as e where e.model = embedding_state.model),
    version = version + 1, updated_at = now()

-- name: forget_models
delete from wenci.embedding_state where rows = 0 and model <> %(model)s

-- name: create_nearest
create index concurrently if not exists embedding_nearest
on wenci.embedding using hnsw (vector halfvec_cosine_ops)

-- name: effort
select set_config('hnsw.ef_search', %s, true)

-- name: nearest
select post.ord, 1 - near.distance
from (
    select id, content_hash, vector <=> %(vector)s::halfvec as distance
    from wenci.embedding
    where model = %(model)s
    order by vector <=> %(vector)s::halfvec
    limit %(limit)s
) as near
join wenci.post on post.generation = %(generation)s and post.id = near.id and post.content_hash = near.content_hash

-- name: cosines
select post.ord, 1 - (e.vector <=> %(vector)s::halfvec)
from wenci.post
join wenci.embedding as e on e.id = post.id and e.content_hash = post.content_hash
where post.generation = %(generation)s and post.ord = any(%(ords)s::integer[]) and e.model = %(model)s

-- name: vector_of
select e.vector::text
from wenci.post
join wenci.embedding as e on e.id = post.id and e.content_hash = post.content_hash
where post.generation = %(generation)s and post.ord = %(ord)s and e.model = %(model)s
