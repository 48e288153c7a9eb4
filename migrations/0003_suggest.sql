-- Completion and spelling, for each generation: what can be suggested, what it is found by, and the words that stand in posts.

-- kind is 0 for a title (of the post `id`), 1 for a tag or category, 2 for a phrase; documents is how many posts have it.
create table wenci.suggestion (
    number     bigint generated always as identity primary key,
    generation integer not null,
    kind       smallint not null,
    text       text collate "C" not null,
    id         text collate "C" not null default '',
    tags       text[] not null default '{}',
    documents  integer not null default 1,
    unique (generation, kind, id, text)
);

-- route is 0 for the text itself, 1 for its full pinyin, 2 for the initials; place is 0 where the suggestion begins, else 1.
create table wenci.suggestion_key (
    generation integer not null,
    number     bigint not null references wenci.suggestion on delete cascade,
    route      smallint not null,
    kind       smallint not null,
    place      smallint not null,
    key        text collate "C" not null,
    documents  integer not null
);
create index suggestion_key_number on wenci.suggestion_key (number);
create index suggestion_key_prefix on wenci.suggestion_key (generation, route, kind, key) include (place, documents, number);
create index suggestion_key_head
on wenci.suggestion_key (generation, route, kind, left(key, 1), place, documents desc, number);

-- sound is the pinyin of a Han word, null for any other.
create table wenci.vocabulary (
    generation integer not null,
    word       text collate "C" not null,
    documents  integer not null,
    sound      text collate "C",
    primary key (generation, word)
);
create index vocabulary_sound on wenci.vocabulary (generation, sound) where sound is not null;

-- changes counts the posts written since phrases and vocabulary were taken from the posts.
create table wenci.suggestion_state (
    generation integer primary key,
    changes    integer not null default 0
);

create function wenci.forget_suggestions() returns trigger
language plpgsql as $$
begin
    delete from wenci.suggestion where generation = old.id;
    delete from wenci.vocabulary where generation = old.id;
    delete from wenci.suggestion_state where generation = old.id;
    return null;
end $$;
create trigger generation_suggestions after delete on wenci.generation
for each row execute function wenci.forget_suggestions();
