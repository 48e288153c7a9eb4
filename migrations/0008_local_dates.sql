-- The date of a post is what the clock showed that it was dated by, not what that moment is in UTC.

set local statement_timeout = 0;

alter table wenci.post add column published_local timestamp, add column updated_local timestamp;

-- The tables of a build are not attached yet.
do $$
declare
    building integer;
begin
    for building in select id from wenci.generation where state = 'building' loop
        execute format('alter table wenci.%I add column published_local timestamp, add column updated_local timestamp',
                       format('post_%s', building));
        execute format('update wenci.%I set published_local = published_at at time zone ''UTC'','
                       ' updated_local = updated_at at time zone ''UTC''', format('post_%s', building));
        execute format('drop index if exists wenci.%I', format('post_%s_published', building));
    end loop;
end $$;

update wenci.post
set published_local = published_at at time zone 'UTC', updated_local = updated_at at time zone 'UTC'
where published_at is not null or updated_at is not null;

drop index wenci.post_published;
create index post_newest on wenci.post (published_local desc nulls last, id) include (generation, ord);

create or replace function wenci.index_generation(generation integer) returns void
language plpgsql as $$
declare
    post    text := format('post_%s', generation);
    passage text := format('passage_%s', generation);
    posting text := format('posting_%s', generation);
begin
    execute format('create index if not exists %I on wenci.%I (published_local desc nulls last, id) include (generation, ord)',
                   post || '_newest', post);
    execute format('create index if not exists %I on wenci.%I using gin (tags) with (fastupdate = off)',
                   post || '_tags', post);
    execute format('create index if not exists %I on wenci.%I using gin (words) with (fastupdate = off)',
                   passage || '_words', passage);
    execute format('create index if not exists %I on wenci.%I using gin (grams) with (fastupdate = off)',
                   passage || '_grams', passage);
    if not exists (select from pg_constraint where conrelid = format('wenci.%I', passage)::regclass and contype = 'p')
    then
        execute format('alter table wenci.%I add primary key (generation, ord, field, seq)', passage);
    end if;
    if not exists (select from pg_constraint where conrelid = format('wenci.%I', posting)::regclass and contype = 'p')
    then
        execute format('alter table wenci.%I add primary key (generation, kind, lexeme, segment)', posting);
    end if;
end $$;
