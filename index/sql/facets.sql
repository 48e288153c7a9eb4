-- name: columns
select ord, tags, categories, extract(year from published_local)::integer
from wenci.post
where generation = %(generation)s and ord >= %(first)s
order by ord

-- name: created
select created_at from wenci.generation where id = %(generation)s

-- name: ords
select string_agg(int4send(ord), ''::bytea)
from wenci.post
where generation = %(generation)s and id = any(%(ids)s::text[])
