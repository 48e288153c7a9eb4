-- Jobs for workers. A running job belongs to its worker until `lease_until`; after that any worker may take it again.
create table wenci.job (
    id               bigint generated always as identity primary key,
    kind             text not null,
    payload          jsonb not null default '{}',
    key              text,
    state            text not null default 'queued'
                     check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
    attempts         integer not null default 0,
    max_attempts     integer not null default 3,
    run_after        timestamptz not null default now(),
    worker           text,
    lease_until      timestamptz,
    cancel_requested boolean not null default false,
    progress         jsonb not null default '{}',
    report           jsonb,
    error            text,
    created_at       timestamptz not null default now(),
    started_at       timestamptz,
    finished_at      timestamptz
);
create index job_queued on wenci.job (run_after, id) where state = 'queued';
create index job_running on wenci.job (lease_until) where state = 'running';
create unique index job_key on wenci.job (key) where state in ('queued', 'running');
