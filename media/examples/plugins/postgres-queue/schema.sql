-- The tables of the queue, and its steps. Each step is one function, so that it happens as a whole or not at all.
-- `ws` is the workspace. Times are those of the server.

create sequence if not exists peagen_place;

create table if not exists peagen_lane (
  workspace text not null,
  lane text not null,
  kind text not null,
  tags text[] not null,
  primary key (workspace, lane)
);

create table if not exists peagen_task (
  workspace text not null,
  id text not null,
  lane text not null,
  state text not null default 'waiting' check (state in ('waiting', 'claimed', 'delayed', 'dead', 'done')),
  -- Order within the lane, and of dead letters.
  place bigint not null default nextval('peagen_place'),
  enqueued timestamptz not null default clock_timestamp(),
  schema_v int not null,
  -- MessagePack.
  task bytea not null,
  attempts int not null default 0,
  claims int not null default 0,
  worker text,
  -- The end of the lease of a claimed task, when a delayed one is due, when a dead or done one ended.
  due timestamptz,
  -- Why a claimed task is not wanted any more.
  withdrawn text,
  -- How it ended: `result` (MessagePack), `skip` or `dead` with a reason; null for a purged one.
  ended text check (ended in ('result', 'skip', 'dead')),
  ended_by text,
  result bytea,
  reason text,
  code text,
  primary key (workspace, id)
);
create unique index if not exists peagen_task_worker on peagen_task (workspace, worker) where state = 'claimed';
create index if not exists peagen_task_lane on peagen_task (workspace, lane, place) where state = 'waiting';
create index if not exists peagen_task_due on peagen_task (workspace, state, due) where state <> 'waiting';

-- What collectors have not taken in yet. A collector reads from its own position.
create table if not exists peagen_outcome (
  workspace text not null,
  seq bigserial,
  id text not null,
  attempts int not null,
  due timestamptz not null,
  ended text not null,
  result bytea,
  reason text,
  code text,
  primary key (workspace, seq)
);
create table if not exists peagen_reader (
  workspace text not null,
  name text not null,
  seq bigint not null default 0,
  seen timestamptz not null default clock_timestamp(),
  primary key (workspace, name)
);

-- Steps that end tasks take turns, so that outcomes become visible in the order of their numbers.
create or replace function peagen_turn(ws text) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended(ws, 1));
$$;

-- An empty message: tasks wait. Any other is the id of a task that ended.
create or replace function peagen_notify(ws text, message text) returns void language sql as $$
  select pg_notify('peagen_' || md5(ws), message);
$$;

create or replace function peagen_enqueue(ws text, ids text[], lanes text[], schemas int[], tasks bytea[]) returns void
language plpgsql as $$
begin
  if cardinality(ids) = 0 then return; end if;
  insert into peagen_lane (workspace, lane, kind, tags)
    select distinct ws, l, split_part(l, '/', 1), coalesce(string_to_array(nullif(split_part(l, '/', 2), ''), '+'), '{}')
    from unnest(lanes) l
    on conflict do nothing;
  insert into peagen_task (workspace, id, lane, schema_v, task)
    select ws, t.id, t.lane, t.schema_v, t.task
    from unnest(ids, lanes, schemas, tasks) with ordinality t(id, lane, schema_v, task, n)
    order by n
    on conflict do nothing;
  perform peagen_notify(ws, '');
end $$;

-- The task that the worker holds already, or the first of the first lane that it can serve: what is marked as first, then most
-- specific tags, then the stages that finish work, or all of it in reverse. Every worker serves the marks `first` and `folders`.
create or replace function peagen_claim(ws text, who text, caps text[], lease_ms float8, in_reverse boolean)
returns setof peagen_task language plpgsql as $$
declare
  candidate record;
  taken peagen_task;
begin
  perform pg_advisory_xact_lock(hashtextextended(ws || '/' || who, 2));
  return query select * from peagen_task where workspace = ws and worker = who and state = 'claimed';
  if found then return; end if;
  for candidate in
    select lane from (
      select lane, row_number() over (
        order by 'first' = any(tags) desc, cardinality(tags) desc, array_position(array['evaluate', 'execute', 'mutate', 'render'], kind), lane) as rank
      from peagen_lane where workspace = ws and tags <@ (caps || array['first', 'folders'])
    ) as ranked
    order by case when in_reverse then -rank else rank end
  loop
    update peagen_task
      set state = 'claimed', worker = who, claims = claims + 1, due = clock_timestamp() + lease_ms * interval '1 ms'
      where workspace = ws and id = (
        select id from peagen_task where workspace = ws and lane = candidate.lane and state = 'waiting'
        order by place limit 1 for update skip locked)
      returning * into taken;
    if found then
      return next taken;
      return;
    end if;
  end loop;
end $$;

create or replace function peagen_end(ws text, task_id text, how text, whom text, bytes bytea, why text, why_code text)
returns void language plpgsql as $$
begin
  with ended_task as (
    update peagen_task
      set state = case how when 'dead' then 'dead' else 'done' end, ended = how, ended_by = whom, result = bytes, reason = why,
        code = why_code, worker = null, withdrawn = null, due = clock_timestamp(), place = nextval('peagen_place')
      where workspace = ws and id = task_id
      returning *)
  insert into peagen_outcome (workspace, id, attempts, due, ended, result, reason, code)
    select workspace, id, attempts, due, ended, result, reason, code from ended_task;
  perform peagen_notify(ws, task_id);
end $$;

-- False: another result was first.
create or replace function peagen_complete(
  ws text, task_id text, whom text, bytes bytea, ids text[], lanes text[], schemas int[], tasks bytea[])
returns boolean language plpgsql as $$
declare t peagen_task;
begin
  perform peagen_turn(ws);
  select * into t from peagen_task where workspace = ws and id = task_id for update;
  if not found or t.state in ('dead', 'done') then return coalesce(t.ended_by = whom, false); end if;
  perform peagen_end(ws, task_id, 'result', whom, bytes, null, null);
  perform peagen_enqueue(ws, ids, lanes, schemas, tasks);
  return true;
end $$;

-- A task that waits again, now or after a delay, or that is dead.
create or replace function peagen_again_or_dead(
  t peagen_task, why text, why_code text, retryable boolean, most int, delay_ms float8)
returns text language plpgsql as $$
begin
  update peagen_task set attempts = attempts + 1 where workspace = t.workspace and id = t.id;
  if not retryable or t.attempts >= most then
    perform peagen_end(t.workspace, t.id, 'dead', null, null, why, why_code);
    return 'dead';
  end if;
  update peagen_task
    set state = 'delayed', worker = null,
      due = clock_timestamp() + least(delay_ms * 2 ^ t.attempts, 3600000) * (0.8 + 0.4 * random()) * interval '1 ms'
    where workspace = t.workspace and id = t.id;
  return 'retry';
end $$;

create or replace function peagen_fail(
  ws text, task_id text, who text, claim int, why text, why_code text, retryable boolean, most int, delay_ms float8)
returns text language plpgsql as $$
declare t peagen_task;
begin
  perform peagen_turn(ws);
  select * into t from peagen_task
    where workspace = ws and id = task_id and state = 'claimed' and worker = who and claims = claim for update;
  if not found then return 'stale'; end if;
  if t.withdrawn is not null then
    perform peagen_end(ws, task_id, 'skip', 'withdraw', null, t.withdrawn, null);
    return 'stale';
  end if;
  return peagen_again_or_dead(t, why, why_code, retryable, most, delay_ms);
end $$;

create or replace function peagen_release(ws text, task_id text, who text, claim int) returns void language plpgsql as $$
declare t peagen_task;
begin
  perform peagen_turn(ws);
  select * into t from peagen_task
    where workspace = ws and id = task_id and state = 'claimed' and worker = who and claims = claim for update;
  if not found then return; end if;
  if t.withdrawn is not null then
    perform peagen_end(ws, task_id, 'skip', 'withdraw', null, t.withdrawn, null);
    return;
  end if;
  update peagen_task set state = 'waiting', worker = null, place = nextval('peagen_place') where workspace = ws and id = task_id;
  perform peagen_notify(ws, '');
end $$;

-- `spare_claimed`: who holds a task hears that it is not wanted, and may still complete it.
create or replace function peagen_cancel(ws text, ids text[], why text, spare_claimed boolean) returns void
language plpgsql as $$
declare t peagen_task;
begin
  perform peagen_turn(ws);
  for t in
    select * from peagen_task where workspace = ws and id = any(ids) and state in ('waiting', 'claimed', 'delayed') for update
  loop
    if t.state = 'claimed' and spare_claimed then
      update peagen_task set withdrawn = why where workspace = ws and id = t.id;
    else
      perform peagen_end(ws, t.id, 'skip', 'cancel', null, why, null);
    end if;
  end loop;
end $$;

create or replace function peagen_sweep(ws text, most int, delay_ms float8, expired text)
returns table (promoted int, reclaimed int, died int) language plpgsql as $$
declare t peagen_task;
begin
  perform peagen_turn(ws);
  update peagen_task set state = 'waiting', place = nextval('peagen_place')
    where workspace = ws and state = 'delayed' and due <= clock_timestamp();
  get diagnostics promoted = row_count;
  reclaimed := 0;
  died := 0;
  for t in select * from peagen_task where workspace = ws and state = 'claimed' and due <= clock_timestamp() for update loop
    if t.withdrawn is not null then
      perform peagen_end(ws, t.id, 'skip', 'withdraw', null, t.withdrawn, null);
    elsif peagen_again_or_dead(t, expired, 'internal', true, most, delay_ms) = 'dead' then
      died := died + 1;
    else
      reclaimed := reclaimed + 1;
    end if;
  end loop;
  if promoted > 0 then perform peagen_notify(ws, ''); end if;
  perform peagen_forget(ws);
  return next;
end $$;

-- What every collector has taken in, collectors that have been silent for an hour, and what ended a week ago.
create or replace function peagen_forget(ws text) returns void language sql as $$
  delete from peagen_reader where workspace = ws and seen < clock_timestamp() - interval '1 hour';
  delete from peagen_outcome where workspace = ws and seq <= (select min(seq) from peagen_reader where workspace = ws);
  delete from peagen_task where workspace = ws and state = 'done' and due < clock_timestamp() - interval '7 days';
$$;

-- `ids`: null for all. Returns how many dead letters wait again, or are gone.
create or replace function peagen_tend(ws text, ids text[], again boolean) returns int language plpgsql as $$
declare tended int;
begin
  perform peagen_turn(ws);
  update peagen_task
    set state = case when again then 'waiting' else 'done' end, ended = null, place = nextval('peagen_place'),
      attempts = case when again then 0 else attempts end, ended_by = case when again then null else 'purge' end
    where workspace = ws and state = 'dead' and (ids is null or id = any(ids));
  get diagnostics tended = row_count;
  if again then perform peagen_notify(ws, ''); end if;
  return tended;
end $$;
