-- name: database_exists
select from pg_database where datname = 'wenci'

-- name: create_database
create database wenci
