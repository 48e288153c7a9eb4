-- Vectors of posts for the semantic route. They need pgvector, which not every server has: the table is made by the first
-- job that fills it, where that is possible, and everything else works without it.

-- One row for each model that vectors were made with; rows counts those of the model, updated after each batch.
create table wenci.embedding_state (
    model      text collate "C" primary key,
    rows       integer not null default 0,
    version    bigint not null default 0,
    updated_at timestamptz not null default now()
);

-- Makes `wenci.embedding` where the server can have it; says whether it is there. A post has one row, whatever generation.
create function wenci.prepare_embedding() returns boolean
language plpgsql as $$
begin
    if to_regclass('wenci.embedding') is not null then
        return to_regtype('halfvec') is not null;
    end if;
    if to_regtype('halfvec') is null then
        if not exists (select from pg_available_extensions where name = 'vector') then
            return false;
        end if;
        create extension if not exists vector;
    end if;
    if to_regtype('halfvec') is null then
        return false;
    end if;
    execute 'create table if not exists wenci.embedding (
        id           text collate "C" primary key,
        model        text collate "C" not null,
        content_hash bytea not null,
        vector       halfvec(256) not null
    )';
    return true;
exception when insufficient_privilege or feature_not_supported or undefined_file then
    return false;
end $$;
