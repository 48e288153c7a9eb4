-- name: salt
insert into wenci.analytics_salt (day, salt) values (%(day)s, %(salt)s)
on conflict (day) do update set day = excluded.day
returning salt

-- name: forget_salts
delete from wenci.analytics_salt where day < %(day)s

-- name: add_searches
insert into wenci.search_event (at, query, total, first, latency_ms, client)
select * from unnest(%(at)s::timestamptz[], %(query)s::text[], %(total)s::integer[], %(first)s::integer[],
                     %(latency_ms)s::real[], %(client)s::text[])

-- name: add_clicks
insert into wenci.click_event (at, query, post, position, client)
select * from unnest(%(at)s::timestamptz[], %(query)s::text[], %(post)s::text[], %(position)s::integer[],
                     %(client)s::text[])

-- name: forget_searches
delete from wenci.search_event where id in (
    select id from wenci.search_event where at < %(until)s order by at limit %(limit)s
)

-- name: forget_clicks
delete from wenci.click_event where id in (
    select id from wenci.click_event where at < %(until)s order by at limit %(limit)s
)

-- name: totals
select count(*), count(distinct lower(btrim(query))), count(*) filter (where total = 0), count(distinct client),
       percentile_cont(0.5) within group (order by latency_ms), percentile_cont(0.95) within group (order by latency_ms),
       max(latency_ms)
from wenci.search_event where at >= %(since)s and first = 0

-- name: click_totals
select count(*), coalesce(avg(1.0 / position), 0)::float8 from wenci.click_event where at >= %(since)s

-- name: queries
select lower(btrim(s.query)) as text, count(*), percentile_cont(0.5) within group (order by s.total)::integer,
       percentile_cont(0.5) within group (order by s.latency_ms), coalesce(max(c.clicks), 0), max(s.at)
from wenci.search_event as s
left join (
    select lower(btrim(query)) as text, count(*) as clicks from wenci.click_event where at >= %(since)s group by 1
) as c on c.text = lower(btrim(s.query))
where s.at >= %(since)s and s.first = 0 and (s.total = 0 or not %(zero)s)
group by 1 order by 2 desc, 1 limit %(limit)s

-- name: clicked
select post, count(*) from wenci.click_event where at >= %(since)s group by post order by 2 desc, 1 limit %(limit)s
