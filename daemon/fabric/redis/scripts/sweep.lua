-- ARGV: lease in ms, max_retry, first retry delay in ms, jitter factor, reason, how many at most, longest delay in ms,
-- ms during which one sweep of all processes is enough (0: sweep in any case).
-- Promotes what is due and takes back what has expired. Returns {promoted, reclaimed, ms until there may be more of either or -1
-- when there is none, lanes of the dead...}.
local lease, max_retry, limit = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[6])
local report = { 0, 0, 0 }

-- A full Redis denies this write, and sweeping goes on without it.
if ARGV[8] ~= '0' and redis.pcall('SET', P .. 'swept', '1', 'NX', 'PX', ARGV[8]) == false then return report end
-- include records
-- include push
-- include retry

for _, id in ipairs(call('ZRANGEBYSCORE', P .. 'delayed', '-inf', now(), 'LIMIT', 0, limit)) do
  local state, _, claims, attempts, big, lane = read(id)
  call('ZREM', P .. 'delayed', id)
  if state == 'd' then
    local bytes = redis.pcall('HGET', P .. 'k:' .. id, 'p')
    call('UNLINK', P .. 'k:' .. id)
    if type(bytes) == 'string' then
      push(id, lane, claims, attempts, big, bytes)
      report[1] = report[1] + 1
    else
      bury(id, lane, claims, attempts, big, 'The bytes of the delayed task are lost.', 'invalid_input', '')
    end
  end
end

local looked, held = 0, 0
for _, lane in ipairs(call('SMEMBERS', P .. 'lanes')) do
  local cursor = '0-0'
  repeat
    local page = redis.pcall('XAUTOCLAIM', P .. 'lane:' .. lane, 'g', 'c', lease, cursor, 'COUNT', 100)
    -- A stream deleted by hand is made again by the next claim or enqueue.
    if page.err then break end
    cursor = page[1]
    for _, found in ipairs(page[2]) do
      local entry, f = found[1], found[2]
      local id = f[1]
      local state, its, claims, attempts, big, _, holder = read(id)
      end_entry(lane, entry)
      if state == 'r' and its == entry then
        local delay = math.min(tonumber(ARGV[3]) * 2 ^ attempts, tonumber(ARGV[7])) * tonumber(ARGV[4])
        local may_retry = tonumber(attempts) < max_retry
        call('HDEL', W, holder)
        if retry_or_bury(id, lane, claims, attempts, big, ARGV[5], 'internal', f[2], may_retry, math.floor(delay)) == 2 then
          report[#report + 1] = lane
        else
          report[2] = report[2] + 1
        end
      end
      looked = looked + 1
    end
  until cursor == '0-0' or looked >= limit
  local pending = redis.pcall('XPENDING', P .. 'lane:' .. lane, 'g')
  if not pending.err then held = held + pending[1] end
end
if held == 0 then
  local due = call('ZRANGE', P .. 'delayed', 0, 0, 'WITHSCORES')[2]
  report[3] = due and math.max(0, math.ceil(due - now())) or -1
end
return report
