-- name: create_schema
create schema if not exists wenci

-- name: create_migration_table
create table if not exists wenci.migration (
    name       text primary key,
    checksum   text not null,
    applied_at timestamptz not null default now()
)

-- name: applied_migrations
select name, checksum from wenci.migration order by name

-- name: record_migration
insert into wenci.migration (name, checksum) values (%s, %s)
