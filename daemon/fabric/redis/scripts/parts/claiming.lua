-- Leaves in `tasks`, by worker, what those in `asking` hold already, and one task each for the others of them and for those
-- in `free`, which hold none, as long as there are any in the lanes ARGV[first_lane..last_lane], in this order: {id, record,
-- bytes, lane}.
local tasks = {}
if asking[1] then
  for i, id in ipairs(call('HMGET', W, unpack(asking))) do
    local worker = asking[i]
    local record = id and call('GET', T .. id)
    if record then
      -- A worker whose answer was lost asks again.
      local state, entry, _, _, big, lane, holder = match(record, RECORD)
      local held = state == 'r' and holder == worker and call('XRANGE', P .. 'lane:' .. lane, entry, entry)[1]
      if held then tasks[worker] = { id, record, big == '1' and call('GET', P .. 'b:' .. id) or held[2][2], lane } end
    end
    if not tasks[worker] then
      if id then call('HDEL', W, worker) end
      free[#free + 1] = worker
    end
  end
end

local given, wanted, claimed, places = 0, #free, {}, {}
for i = first_lane, last_lane do
  local lane = ARGV[i]
  local stream, tail = P .. 'lane:' .. lane, ' ' .. lane .. ' '
  while given < wanted do
    local asked = wanted - given
    local found = redis.pcall('XREADGROUP', 'GROUP', 'g', 'c', 'COUNT', asked, 'STREAMS', stream, '>')
    if found and found.err then
      -- Somebody deleted the stream or its group, or all keys: made again, the lane must be in the registry, too.
      if string.sub(found.err, 1, 7) == 'NOGROUP' then
        -- include open-lane
        open_lane(lane)
      elseif string.sub(found.err, 1, 9) ~= 'WRONGTYPE' then
        error(found)
      end
      found = false
    end
    if not found then break end
    local entries, keys = found[1][2], {}
    for j = 1, #entries do keys[j] = T .. entries[j][2][1] end
    local known = call('MGET', unpack(keys))
    for j = 1, #entries do
      local entry, f = entries[j][1], entries[j][2]
      local counts, next_counts, big = f[4] or '0 0 0', '1 0 0', '0'
      if f[4] then
        local claims, attempts
        claims, attempts, big = match(counts, '^(%d+) (%d+) (%d)$')
        next_counts = claims and string.format('%d %s %s', claims + 1, attempts, big)
      end
      local formed = #f <= 4 and next_counts
      if formed and known[j] == 'q ' .. entry .. ' ' .. counts .. tail then
        local id, worker, at = f[1], free[given + 1], 2 * given
        local record = 'r ' .. entry .. ' ' .. next_counts .. tail .. worker
        claimed[at + 1], claimed[at + 2] = keys[j], record
        places[at + 1], places[at + 2] = worker, id
        tasks[worker] = { id, record, big == '1' and call('GET', P .. 'b:' .. id) or f[2], lane }
        given = given + 1
      else
        -- include records
        -- include bury
        end_entry(lane, entry)
        -- What was cancelled is done with; what nobody registered did not come through enqueue.
        if not (formed and known[j]) then
          bury('raw-' .. entry, lane, 0, 0, 0, 'The entry on the stream is not a task.', 'invalid_input', table.concat(f, ' '))
        end
      end
    end
    if #entries < asked then break end
  end
end
if given > 0 then
  call('MSET', unpack(claimed))
  call('HSET', W, unpack(places))
end
