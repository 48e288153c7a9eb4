-- name: state
select count(*), coalesce(max(id), 0) from wenci.synonym

-- name: all
select id, origin, words, meanings, two_way from wenci.synonym order by id

-- name: insert
insert into wenci.synonym (origin, rule, words, meanings, two_way)
values (%(origin)s, %(rule)s, %(words)s, %(meanings)s, %(two_way)s)
on conflict (rule) do nothing

-- name: delete
delete from wenci.synonym where id = %s

-- name: delete_origin
delete from wenci.synonym where origin = %(origin)s and rule <> all(%(kept)s::text[])

-- name: lock
lock table wenci.synonym in share row exclusive mode
