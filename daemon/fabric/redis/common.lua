-- Shared by every script: it stands before each of them. KEYS[1] is the workspace's prefix, which holds the hash tag, so
-- that every derived key lives in the same slot. Time comes from Redis only.
local P = KEYS[1]

local function key(name, id) return P .. name .. ':' .. id end

local function now()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end

-- In microseconds: what dies in the same millisecond keeps its order.
local function micros()
  local t = redis.call('TIME')
  return t[1] * 1000000 + t[2]
end

-- A bell holds at most one element: it says that there may be work, not how much.
local function ring(lane)
  local bell = key('bell', lane)
  if redis.call('EXISTS', bell) == 0 then redis.call('RPUSH', bell, '1') end
end

-- A lane's first task makes its stream and wakes whoever knows fewer lanes: those wait on bell:new:<count of lanes>.
local function open_lane(lane)
  redis.call('XGROUP', 'CREATE', key('lane', lane), 'g', '0', 'MKSTREAM')
  local known = redis.call('SCARD', P .. 'lanes')
  if redis.call('SADD', P .. 'lanes', lane) == 1 then
    local bell = key('bell', 'new:' .. known)
    redis.call('RPUSH', bell, '1')
    redis.call('EXPIRE', bell, 10)
  end
end

local function push(lane, id, meta, payload)
  local stream = key('lane', lane)
  local entry = redis.call('XADD', stream, 'NOMKSTREAM', '*', 'i', id, 'm', meta, 'p', payload)
  if not entry then
    open_lane(lane)
    entry = redis.call('XADD', stream, '*', 'i', id, 'm', meta, 'p', payload)
  end
  return entry
end

-- Tasks come as groups of five arguments: id, lane, meta, payload, '1' when the payload is kept beside. A known id is a no-op.
local function add_tasks(from)
  local lanes = {}
  for i = from, #ARGV, 5 do
    local id, lane, meta, payload, big = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4]
    if redis.call('EXISTS', key('t', id), key('done', id)) == 0 then
      if big == '1' then
        redis.call('SET', key('b', id), payload)
        redis.call('HSET', key('t', id), 's', 'q', 'e', push(lane, id, meta, ''), 'l', lane, 'b', '1')
      else
        redis.call('HSET', key('t', id), 's', 'q', 'e', push(lane, id, meta, payload), 'l', lane)
      end
      lanes[lane] = true
    end
  end
  for lane in pairs(lanes) do ring(lane) end
end

-- Ends an entry: acknowledge and delete only together, and first of all writes, because a full Redis denies the others.
local function end_entry(lane, entry)
  local stream = key('lane', lane)
  redis.call('XACK', stream, 'g', entry)
  redis.call('XDEL', stream, entry)
end

-- Dead letter: the task stays in its hash, and whoever reads the results hears of it.
local function bury(id, lane, attempts, reason, code, meta, payload)
  local at = now()
  redis.call('HSET', key('t', id), 's', 'x', 'l', lane, 'a', attempts, 'r', reason, 'k', code, 'd', at, 'm', meta, 'p', payload)
  redis.call('HDEL', key('t', id), 'e', 'w')
  redis.call('ZADD', P .. 'dlq', micros(), id)
  redis.call('XADD', P .. 'results', '*', 'x', id, 'r', reason, 'k', code, 'd', at, 'l', lane, 'a', attempts)
end

-- One path for a failure and a crash. The entry is ended by the caller. Answers 1 for a retry, 2 for a dead letter.
local function retry_or_bury(id, lane, attempts, reason, code, meta, payload, may_retry, delay)
  if not may_retry then
    bury(id, lane, attempts + 1, reason, code, meta, payload)
    return 2
  end
  redis.call('HSET', key('t', id), 's', 'd', 'a', attempts + 1, 'm', meta, 'p', payload)
  redis.call('HDEL', key('t', id), 'e', 'w')
  redis.call('ZADD', P .. 'delayed', now() + delay, id)
  return 1
end

-- The first task in ARGV[from..to], which are lanes in the order to look through, becomes the worker's. Answers
-- {id, lane, attempts, claims, meta, payload}, or the number of lanes there are when nothing was found.
local function claim_next(worker, from, to)
  for i = from, to do
    local lane = ARGV[i]
    local stream = key('lane', lane)
    while true do
      local read = redis.pcall('XREADGROUP', 'GROUP', 'g', 'c', 'COUNT', '1', 'STREAMS', stream, '>')
      if not read then break end
      if read.err then
        -- Somebody deleted the stream or its group by hand.
        if string.sub(read.err, 1, 7) ~= 'NOGROUP' then return redis.error_reply(read.err) end
        redis.call('XGROUP', 'CREATE', stream, 'g', '0', 'MKSTREAM')
        break
      end
      local entry, f = read[1][2][1][1], read[1][2][1][2]
      local id = f[2]
      local t = {}
      local formed = #f == 6 and f[1] == 'i' and f[3] == 'm' and f[5] == 'p'
      if formed then t = redis.call('HMGET', key('t', id), 's', 'e', 'a', 'c', 'b') end
      if t[1] == 'q' and t[2] == entry then
        local claims = (t[4] or 0) + 1
        local payload = f[6]
        if t[5] then payload = redis.call('GET', key('b', id)) end
        redis.call('HSET', key('t', id), 's', 'r', 'w', worker, 'c', claims)
        redis.call('HSET', P .. 'w', worker, id)
        -- There may be more: the next idle worker comes and looks.
        ring(lane)
        return { id, lane, t[3] or '0', claims, f[4], payload or '' }
      end
      end_entry(lane, entry)
      -- What was cancelled or enqueued twice is done with; what nobody registered did not come through enqueue.
      if not formed or (not t[1] and redis.call('EXISTS', key('done', id)) == 0) then
        bury('raw-' .. entry, lane, 0, 'The entry on the stream is no task.', 'invalid_input', '', table.concat(f, ' '))
      end
    end
  end
  return redis.call('SCARD', P .. 'lanes')
end
