-- Words that stand for others in a query. A two-way rule has the same words in both columns; of a one-way rule each of
-- `words` also means each of `meanings`. The pair of count and greatest id names a state of the table: ids only grow.
create table wenci.synonym (
    id       bigint generated always as identity primary key,
    origin   text not null check (origin in ('api', 'file')),
    rule     text collate "C" not null,
    words    text[] not null,
    meanings text[] not null,
    two_way  boolean not null,
    unique (rule)
);
