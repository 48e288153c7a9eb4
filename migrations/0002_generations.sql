-- The life of a generation: created empty and beside the others, indexed, attached when it starts to serve, dropped.

create function wenci.create_generation(fingerprint text, stream_fingerprint text) returns integer
language plpgsql as $$
declare
    generation integer;
    parent     text;
    partition  text;
begin
    insert into wenci.generation (state, fingerprint, stream_fingerprint)
    values ('building', create_generation.fingerprint, create_generation.stream_fingerprint)
    returning id into generation;
    foreach parent in array array['post', 'passage', 'posting'] loop
        partition := format('%s_%s', parent, generation);
        execute format('create table wenci.%I (like wenci.%I including defaults including storage '
                       'including compression including constraints)', partition, parent);
        execute format('alter table wenci.%I add constraint %I check (generation = %s)',
                       partition, partition || '_generation', generation);
    end loop;
    -- A build looks up and replaces posts by id while it loads; everything else is indexed afterwards.
    execute format('alter table wenci.%I add unique (generation, id)', format('post_%s', generation));
    execute format('alter table wenci.%I add primary key (generation, ord)', format('post_%s', generation));
    return generation;
end $$;

-- Safe to call again after an interruption.
create function wenci.index_generation(generation integer) returns void
language plpgsql as $$
declare
    post    text := format('post_%s', generation);
    passage text := format('passage_%s', generation);
    posting text := format('posting_%s', generation);
begin
    execute format('create index if not exists %I on wenci.%I (published_at, ord)', post || '_published', post);
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

create function wenci.attach_generation(generation integer) returns void
language plpgsql as $$
declare
    parent    text;
    partition text;
begin
    foreach parent in array array['post', 'passage', 'posting'] loop
        partition := format('%s_%s', parent, generation);
        execute format('alter table wenci.%I attach partition wenci.%I for values in (%s)',
                       parent, partition, generation);
        -- The partition bound says the same from now on.
        execute format('alter table wenci.%I drop constraint %I', partition, partition || '_generation');
    end loop;
    update wenci.generation set state = 'retired' where state = 'serving';
    update wenci.generation set state = 'serving', served_at = now() where id = attach_generation.generation;
end $$;

create function wenci.drop_generation(generation integer) returns void
language plpgsql as $$
declare
    parent text;
begin
    foreach parent in array array['post', 'passage', 'posting'] loop
        execute format('drop table if exists wenci.%I', format('%s_%s', parent, generation));
    end loop;
    delete from wenci.copied where copied.generation = drop_generation.generation;
    delete from wenci.generation where id = drop_generation.generation;
end $$;
