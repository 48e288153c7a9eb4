-- name: enqueue
insert into wenci.job (kind, payload, key, max_attempts)
values (%(kind)s, %(payload)s, %(key)s, %(max_attempts)s)
on conflict (key) where state in ('queued', 'running') do nothing
returning id

-- name: active_of_key
select id from wenci.job where key = %(key)s and state in ('queued', 'running')

-- name: notify
select pg_notify('wenci_job', %s)

-- name: give_up_expired
update wenci.job
set state = case when cancel_requested then 'cancelled' else 'failed' end, finished_at = now(),
    error = coalesce(error, 'its worker ended without a word, ' || attempts || ' times')
where id in (
    select id from wenci.job
    where kind = any(%(kinds)s::text[]) and state = 'running' and lease_until < now()
      and (attempts >= max_attempts or cancel_requested)
    for update skip locked
)

-- name: claim
update wenci.job
set state = 'running', worker = %(worker)s, lease_until = now() + %(lease)s, attempts = attempts + 1,
    started_at = coalesce(started_at, now()), error = null
where id = (
    select id from wenci.job
    where kind = any(%(kinds)s::text[])
      and ((state = 'queued' and run_after <= now()) or (state = 'running' and lease_until < now()))
    order by run_after, id
    limit 1
    for update skip locked
)
returning id, kind, payload, key, state, attempts, max_attempts, worker, lease_until, cancel_requested, progress, report,
          error, created_at, started_at, finished_at

-- name: extend
update wenci.job
set lease_until = now() + %(lease)s, progress = coalesce(%(progress)s, progress)
where id = %(id)s and worker = %(worker)s and attempts = %(attempts)s and state = 'running'
returning cancel_requested

-- name: finish
update wenci.job
set state = %(state)s, report = %(report)s, error = %(error)s, progress = coalesce(%(progress)s, progress),
    lease_until = null, finished_at = now()
where id = %(id)s and worker = %(worker)s and attempts = %(attempts)s and state = 'running'

-- name: retry
update wenci.job
set state = 'queued', error = %(error)s, lease_until = null, run_after = now() + %(delay)s
where id = %(id)s and worker = %(worker)s and attempts = %(attempts)s and state = 'running'

-- name: release
update wenci.job
set state = 'queued', lease_until = null, run_after = now(), attempts = attempts - 1
where id = %(id)s and worker = %(worker)s and attempts = %(attempts)s and state = 'running'

-- name: cancel
update wenci.job
set cancel_requested = true, state = case when state = 'queued' then 'cancelled' else state end,
    finished_at = case when state = 'queued' then now() end
where id = %s and state in ('queued', 'running')

-- name: get
select id, kind, payload, key, state, attempts, max_attempts, worker, lease_until, cancel_requested, progress, report,
       error, created_at, started_at, finished_at
from wenci.job where id = %s

-- name: recent
select id, kind, payload, key, state, attempts, max_attempts, worker, lease_until, cancel_requested, progress, report,
       error, created_at, started_at, finished_at
from wenci.job order by id desc limit %s

-- name: forget
delete from wenci.job where state in ('done', 'failed', 'cancelled') and finished_at < now() - %s
