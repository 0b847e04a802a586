-- ARGV: worker, then lanes in the order to look through.
-- Answers {id, lane, attempts, claims, meta, payload}, or the number of lanes there are when nothing was found.
local worker = ARGV[1]

local held = redis.call('HGET', P .. 'w', worker)
if held then
  local t = redis.call('HMGET', key('t', held), 's', 'w', 'e', 'l', 'a', 'c', 'b')
  local found = t[1] == 'r' and t[2] == worker and redis.call('XRANGE', key('lane', t[4]), t[3], t[3])[1]
  if found then
    local payload = found[2][6]
    if t[7] then payload = redis.call('GET', key('b', held)) end
    return { held, t[4], t[5] or '0', t[6], found[2][4], payload or '' }
  end
  redis.call('HDEL', P .. 'w', worker)
end

for i = 2, #ARGV do
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
      bury('raw-' .. entry, lane, 0, 'The entry on the stream is no task.', '', table.concat(f, ' '))
    end
  end
end
return redis.call('SCARD', P .. 'lanes')
