-- Generations of the index, and the tables that each of them has a partition of.

create table wenci.generation (
    id                 integer generated always as identity primary key,
    state              text not null check (state in ('building', 'serving', 'retired')),
    fingerprint        text not null,
    stream_fingerprint text not null,
    documents          integer not null default 0,
    title_length       bigint not null default 0,
    body_length        bigint not null default 0,
    next_ord           integer not null default 0,
    created_at         timestamptz not null default now(),
    served_at          timestamptz
);
create unique index generation_one_serving on wenci.generation (state) where state = 'serving';
create unique index generation_one_building on wenci.generation (state) where state = 'building';

-- ord is the document number inside a generation; an upsert gives a post a new one, and none is used twice.
create table wenci.post (
    generation   integer not null,
    ord          integer not null,
    id           text collate "C" not null,
    title        text not null,
    body         text not null,
    tags         text[] not null,
    categories   text[] not null,
    url          text,
    published_at timestamptz,
    updated_at   timestamptz,
    extra        jsonb not null,
    content_hash bytea not null,
    fingerprint  text not null,
    title_length integer not null,
    body_length  integer not null,
    indexed_at   timestamptz not null default now(),
    primary key (generation, ord),
    unique (generation, id)
) partition by list (generation);
create index post_published on wenci.post (published_at, ord);
create index post_tags on wenci.post using gin (tags) with (fastupdate = off);

-- field is 0 for the title, 1 for the body, 2 for tags and categories; first is where the passage starts in the field's stream.
create table wenci.passage (
    generation integer not null,
    ord        integer not null,
    field      smallint not null,
    seq        integer not null,
    first      integer not null,
    stream     text not null,
    offsets    bytea not null,
    words      tsvector not null,
    grams      tsvector not null,
    primary key (generation, ord, field, seq)
) partition by list (generation);
create index passage_words on wenci.passage using gin (words) with (fastupdate = off);
create index passage_grams on wenci.passage using gin (grams) with (fastupdate = off);

-- kind is 0 and 1 for the words of title and body, 2 and 3 for their grams, 4 and 5 for words and grams of the tags.
-- ords are little-endian int32 in ascending order, tfs one byte for each of them.
create table wenci.posting (
    generation integer not null,
    kind       smallint not null,
    lexeme     text collate "C" not null,
    segment    integer not null,
    ords       bytea not null,
    tfs        bytea not null,
    primary key (generation, kind, lexeme, segment)
) partition by list (generation);

-- Posts written or deleted in the serving generation while another one is being built.
create table wenci.change (
    id  text collate "C" primary key,
    seq bigint not null
);
create sequence wenci.change_seq owned by wenci.change.seq;

-- Posts of a build that were copied from the serving generation and whose postings are still to be copied.
create table wenci.copied (
    generation integer not null,
    ord        integer not null,
    source_ord integer not null,
    primary key (generation, ord)
);
