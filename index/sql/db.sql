-- name: vector
select (select extversion from pg_extension where extname = 'vector'),
       exists (select from pg_available_extensions where name = 'vector')
