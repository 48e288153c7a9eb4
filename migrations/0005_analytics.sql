-- What was searched for and what was opened. `client` is a hash with a salt that is thrown away after its day.

create table wenci.search_event (
    id         bigint generated always as identity primary key,
    at         timestamptz not null,
    query      text not null,
    total      integer not null,
    first      integer not null,
    latency_ms real not null,
    client     text
);
create index search_event_at on wenci.search_event (at);

create table wenci.click_event (
    id       bigint generated always as identity primary key,
    at       timestamptz not null,
    query    text not null,
    post     text not null,
    position integer,
    client   text
);
create index click_event_at on wenci.click_event (at);

create table wenci.analytics_salt (
    day  date primary key,
    salt bytea not null
);
