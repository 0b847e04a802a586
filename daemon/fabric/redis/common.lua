-- Shared by every script: it stands before each of them. KEYS[1] is the workspace's prefix, which holds the hash tag, so
-- that every derived key lives in the same slot. Time comes from Redis only. Each command costs the server about as much
-- as what it does: the steps that every task goes through use as few as they can.
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
local function read(id)
  local t = call('GET', key('t', id))
  if t then return string.match(t, '^(%a) (%S+) (%d+) (%d+) (%d) (%S+) (.*)$') end
end

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

-- Tasks come as groups of five arguments: id, lane, meta, payload, 1 when the payload is kept beside. A known id is a
-- no-op: that is rare, so it is found out last.
local function add_tasks(from)
  local rung
  for i = from, #ARGV, 5 do
    local id, lane, big = ARGV[i], ARGV[i + 1], ARGV[i + 4]
    local entry
    if big == '1' then
      entry = append(lane, id, ARGV[i + 2], '', '0 0 1')
    else
      entry = append(lane, id, ARGV[i + 2], ARGV[i + 3])
    end
    if call('SET', key('t', id), 'q ' .. entry .. ' 0 0 ' .. big .. ' ' .. lane .. ' ', 'NX') then
      if big == '1' then call('SET', key('b', id), ARGV[i + 3]) end
      if rung ~= lane then ring(lane) end
      rung = lane
    else
      call('XDEL', key('lane', lane), entry)
    end
  end
end

-- Ends an entry: acknowledge and delete only together, and first of all writes, because a full Redis denies the others.
local function end_entry(lane, entry)
  local stream = key('lane', lane)
  call('XACK', stream, 'g', entry)
  call('XDEL', stream, entry)
end

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

-- What the worker holds already, as claim_next answers; a worker whose answer was lost asks again.
local function held_by(worker)
  local id = call('HGET', P .. 'w', worker)
  if not id then return end
  local state, entry, claims, attempts, big, lane, holder = read(id)
  local found = state == 'r' and holder == worker and call('XRANGE', key('lane', lane), entry, entry)[1]
  if found then return { id, lane, attempts, claims, found[2][4], big == '1' and call('GET', key('b', id)) or found[2][6] } end
  call('HDEL', P .. 'w', worker)
end

-- The first task in ARGV[from..to], which are lanes in the order to look through, becomes the worker's. Answers
-- {id, lane, attempts, claims, meta, payload}, or the number of lanes there are when nothing was found.
local function claim_next(worker, from, to)
  for i = from, to do
    local lane = ARGV[i]
    local stream = key('lane', lane)
    while true do
      local found = redis.pcall('XREADGROUP', 'GROUP', 'g', 'c', 'COUNT', '1', 'STREAMS', stream, '>')
      if not found then break end
      if found.err then
        -- Somebody deleted the stream or its group by hand.
        if string.sub(found.err, 1, 7) ~= 'NOGROUP' then return redis.error_reply(found.err) end
        call('XGROUP', 'CREATE', stream, 'g', '0', 'MKSTREAM')
        break
      end
      local entry, f = found[1][2][1][1], found[1][2][1][2]
      local formed = f[1] == 'i' and f[3] == 'm' and f[5] == 'p' and (#f == 6 or (#f == 8 and f[7] == 'n'))
      local claims, attempts, big = '0', '0', '0'
      if f[8] then claims, attempts, big = string.match(f[8], '^(%d+) (%d+) (%d)$') end
      local was
      if formed and claims then
        local id = f[2]
        local t = key('t', id)
        -- Taken and looked at in one command; given back below when it was not waiting.
        claims = claims == '0' and '1' or string.format('%d', claims + 1)
        local mine = 'r ' .. entry .. ' ' .. claims .. ' ' .. attempts .. ' ' .. big .. ' ' .. lane .. ' ' .. worker
        was = call('SET', t, mine, 'KEEPTTL', 'GET')
        if was and string.sub(was, 1, #entry + 3) == 'q ' .. entry .. ' ' then
          call('HSET', P .. 'w', worker, id)
          return { id, lane, attempts, claims, f[4], big == '1' and call('GET', key('b', id)) or f[6] }
        end
        if was then call('SET', t, was, 'KEEPTTL') else call('DEL', t) end
      end
      end_entry(lane, entry)
      -- What was cancelled is done with; what nobody registered did not come through enqueue.
      if not was then
        local raw = table.concat(f, ' ')
        bury('raw-' .. entry, lane, 0, 0, 0, 'The entry on the stream is no task.', 'invalid_input', '', raw)
      end
    end
  end
  return call('SCARD', P .. 'lanes')
end
