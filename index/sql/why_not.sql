-- name: post_of_id
select ord, title, tags, categories, published_at, fingerprint, published_local
from wenci.post
where generation = %(generation)s and id = %(id)s

-- name: building
select id from wenci.generation where state = 'building'

-- name: elsewhere
select generation from wenci.post where generation <> %(generation)s and id = %(id)s order by generation desc limit 1
