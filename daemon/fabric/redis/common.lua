-- Shared by every script: it stands before each of them. KEYS[1] is the workspace's prefix, which holds the hash tag, so
-- that every derived key lives in the same slot. Time comes from Redis only. Each command costs the server about as much
-- as what it does: the steps that every task goes through come many in one script, and share their commands.
--
-- A task is one string, t:<id>, of "<state> <entry> <claims> <attempts> <big> <lane> <worker>". States: q waiting, r
-- claimed, d delayed, x dead, D done ("D <entry in results> 0 0 0 - <by>", which expires). The payload is in the entry; in
-- b:<id> when it is big; in the hash k:<id> while there is no entry, which is while the task is delayed or dead.
local P = KEYS[1]
local call = redis.call

local function key(name, id) return P .. name .. ':' .. id end

local function now()
  local t = call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end

-- In microseconds: what dies in the same millisecond keeps its order.
local function micros()
  local t = call('TIME')
  return t[1] * 1000000 + t[2]
end

-- Answers state, entry, claims, attempts, big, lane, worker; nothing for an unknown task.
local function parse(t)
  if t then return string.match(t, '^(%a) (%S+) (%d+) (%d+) (%d) (%S+) (.*)$') end
end

local function read(id) return parse(call('GET', key('t', id))) end

local function write(id, state, entry, claims, attempts, big, lane)
  call('SET', key('t', id), state .. ' ' .. entry .. ' ' .. claims .. ' ' .. attempts .. ' ' .. big .. ' ' .. lane .. ' ')
end

-- A bell holds at most one element: it says that there may be work, not how much.
local function ring(lane)
  local bell = key('bell', lane)
  if call('EXISTS', bell) == 0 then call('RPUSH', bell, '1') end
end

-- A lane's first task makes its stream and wakes whoever knows fewer lanes: those wait on bell:new:<count of lanes>.
local function open_lane(lane)
  call('XGROUP', 'CREATE', key('lane', lane), 'g', '0', 'MKSTREAM')
  local known = call('SCARD', P .. 'lanes')
  if call('SADD', P .. 'lanes', lane) == 1 then
    local bell = key('bell', 'new:' .. known)
    call('RPUSH', bell, '1')
    call('EXPIRE', bell, 10)
  end
end

-- `counts` is "<claims> <attempts> <big>" of a task that is not new and small.
local function append(lane, id, meta, payload, counts)
  local stream = key('lane', lane)
  local function add()
    if counts then return call('XADD', stream, 'NOMKSTREAM', '*', 'i', id, 'm', meta, 'p', payload, 'n', counts) end
    return call('XADD', stream, 'NOMKSTREAM', '*', 'i', id, 'm', meta, 'p', payload)
  end
  local entry = add()
  if not entry then
    open_lane(lane)
    entry = add()
  end
  return entry
end

-- Puts a known task into its lane.
local function push(id, lane, claims, attempts, big, meta, payload)
  local entry = append(lane, id, meta, payload, claims .. ' ' .. attempts .. ' ' .. big)
  write(id, 'q', entry, claims, attempts, big, lane)
  ring(lane)
end

-- How many arguments a command gets from a table at most: Lua's stack is short.
local WIDE = 128

-- `starts`: where in ARGV the tasks stand, each of five arguments: id, lane, meta, payload, 1 when the payload is kept
-- beside. A known id is a no-op.
local function add_tasks(starts)
  local rung = {}
  for from = 1, #starts, WIDE do
    local keys = {}
    for i = from, math.min(from + WIDE - 1, #starts) do keys[#keys + 1] = key('t', ARGV[starts[i]]) end
    local records = call('MGET', unpack(keys))
    local made, new = {}, {}
    for i, t in ipairs(keys) do
      if not records[i] and not made[t] then
        made[t] = true
        local at = starts[from + i - 1]
        local id, lane, big = ARGV[at], ARGV[at + 1], ARGV[at + 4]
        local entry
        if big == '1' then
          entry = append(lane, id, ARGV[at + 2], '', '0 0 1')
          new[#new + 1] = key('b', id)
          new[#new + 1] = ARGV[at + 3]
        else
          entry = append(lane, id, ARGV[at + 2], ARGV[at + 3])
        end
        new[#new + 1] = t
        new[#new + 1] = 'q ' .. entry .. ' 0 0 ' .. big .. ' ' .. lane .. ' '
        rung[lane] = true
      end
    end
    if new[1] then call('MSET', unpack(new)) end
  end
  for lane in pairs(rung) do ring(lane) end
end

-- Ends an entry: acknowledge and delete only together, and first of all writes, because a full Redis denies the others.
local function end_entries(lane, entries)
  local stream = key('lane', lane)
  call('XACK', stream, 'g', unpack(entries))
  call('XDEL', stream, unpack(entries))
end

local function end_entry(lane, entry) end_entries(lane, { entry }) end

-- Dead letter: the task is kept, and whoever reads the results hears of it.
local function bury(id, lane, claims, attempts, big, reason, code, meta, payload)
  local at = now()
  write(id, 'x', '-', claims, attempts, big, lane)
  call('HSET', key('k', id), 'r', reason, 'k', code, 'd', at, 'm', meta, 'p', payload)
  call('ZADD', P .. 'dlq', micros(), id)
  call('XADD', P .. 'results', '*', 'x', id, 'r', reason, 'k', code, 'd', at, 'l', lane, 'a', attempts)
end

-- One path for a failure and a crash. The entry is ended by the caller. Answers 1 for a retry, 2 for a dead letter.
local function retry_or_bury(id, lane, claims, attempts, big, reason, code, meta, payload, may_retry, delay)
  if not may_retry then
    bury(id, lane, claims, attempts + 1, big, reason, code, meta, payload)
    return 2
  end
  write(id, 'd', '-', claims, attempts + 1, big, lane)
  call('HSET', key('k', id), 'm', meta, 'p', payload)
  call('ZADD', P .. 'delayed', now() + delay, id)
  return 1
end

-- What this worker holds already, as next_tasks answers; a worker whose answer was lost asks again.
local function held_by(worker, id)
  local state, entry, claims, attempts, big, lane, holder = read(id)
  local found = state == 'r' and holder == worker and call('XRANGE', key('lane', lane), entry, entry)[1]
  if found then return { id, lane, attempts, claims, found[2][4], big == '1' and call('GET', key('b', id)) or found[2][6] } end
  call('HDEL', P .. 'w', worker)
end

-- The next entries of a lane, `count` at most; none when somebody deleted the stream or its group by hand.
local function take(lane, count)
  local stream = key('lane', lane)
  local found = redis.pcall('XREADGROUP', 'GROUP', 'g', 'c', 'COUNT', count, 'STREAMS', stream, '>')
  if not found then return {} end
  if not found.err then return found[1][2] end
  if string.sub(found.err, 1, 7) ~= 'NOGROUP' then error(found) end
  call('XGROUP', 'CREATE', stream, 'g', '0', 'MKSTREAM')
  return {}
end

-- Gives one task each to these workers, which hold none, as long as there are any in the lanes ARGV[from..to]. Adds them
-- to `tasks` as next_tasks answers.
local function claim_for(workers, from, to, tasks)
  local given, records, places = 0, {}, {}
  for i = from, to do
    local lane = ARGV[i]
    while given < #workers do
      local asked = #workers - given
      local entries = take(lane, asked)
      local keys = {}
      for j, found in ipairs(entries) do keys[j] = key('t', found[2][2] or '') end
      local known = entries[1] and call('MGET', unpack(keys))
      for j, found in ipairs(entries) do
        local entry, f, was = found[1], found[2], known[j]
        local formed = f[1] == 'i' and f[3] == 'm' and f[5] == 'p' and (#f == 6 or (#f == 8 and f[7] == 'n'))
        local claims, attempts, big = '0', '0', '0'
        if f[8] then claims, attempts, big = string.match(f[8], '^(%d+) (%d+) (%d)$') end
        if formed and claims and was and string.sub(was, 1, #entry + 3) == 'q ' .. entry .. ' ' then
          local id = f[2]
          given = given + 1
          local worker = workers[given]
          claims = string.format('%d', claims + 1)
          records[#records + 1] = keys[j]
          records[#records + 1] = 'r ' .. entry .. ' ' .. claims .. ' ' .. attempts .. ' ' .. big .. ' ' .. lane .. ' ' .. worker
          places[#places + 1] = worker
          places[#places + 1] = id
          tasks[worker] = { id, lane, attempts, claims, f[4], big == '1' and call('GET', key('b', id)) or f[6] }
        else
          end_entry(lane, entry)
          -- What was cancelled is done with; what nobody registered did not come through enqueue.
          if not (formed and claims and was) then
            local raw = table.concat(f, ' ')
            bury('raw-' .. entry, lane, 0, 0, 0, 'The entry on the stream is no task.', 'invalid_input', '', raw)
          end
        end
      end
      if #entries < asked then break end
    end
  end
  if given > 0 then
    call('MSET', unpack(records))
    call('HSET', P .. 'w', unpack(places))
  end
end

-- For these workers, by name, what they hold, or else their next task in the lanes ARGV[from..to], which are in the order
-- to look through: {id, lane, attempts, claims, meta, payload}. `free`: workers that are known to hold nothing.
local function next_tasks(workers, free, from, to)
  local tasks = {}
  if workers[1] then
    for i, id in ipairs(call('HMGET', P .. 'w', unpack(workers))) do
      local worker = workers[i]
      tasks[worker] = id and held_by(worker, id)
      if not tasks[worker] then free[#free + 1] = worker end
    end
  end
  claim_for(free, from, to, tasks)
  return tasks
end
