-- Newest first and ranges of dates, both from one index that needs no row.
create index post_newest on wenci.post (published_at desc nulls last, id) include (ord);
drop index wenci.post_published;

create or replace function wenci.index_generation(generation integer) returns void
language plpgsql as $$
declare
    post    text := format('post_%s', generation);
    passage text := format('passage_%s', generation);
    posting text := format('posting_%s', generation);
begin
    execute format('create index if not exists %I on wenci.%I (published_at desc nulls last, id) include (ord)',
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
