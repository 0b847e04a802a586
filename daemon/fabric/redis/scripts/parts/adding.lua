-- Adds the tasks that stand in ARGV at `starts`, each of three arguments: id, lane, bytes. A known id is a no-op. A bell
-- holds at most one element: it says that there may be work, not how much. Lua's stack is short: 128 at a time.
local rung = {}
for from = 1, #starts, 128 do
  local keys = {}
  for i = from, math.min(from + 127, #starts) do keys[i - from + 1] = T .. ARGV[starts[i]] end
  local known = call('MGET', unpack(keys))
  local made, new, n = {}, {}, 0
  for i = 1, #keys do
    local t = keys[i]
    if not known[i] and not made[t] then
      made[t] = true
      local at = starts[from + i - 1]
      local id, lane, bytes = ARGV[at], ARGV[at + 1], ARGV[at + 2]
      local stream, counts, entry = P .. 'lane:' .. lane, '0 0 0', nil
      if #bytes > BIG then
        counts = '0 0 1'
        new[n + 1], new[n + 2] = P .. 'b:' .. id, bytes
        n = n + 2
      end
      repeat
        if counts == '0 0 0' then
          entry = call('XADD', stream, 'NOMKSTREAM', '*', id, bytes)
        else
          entry = call('XADD', stream, 'NOMKSTREAM', '*', id, '', 'n', counts)
        end
        if not entry then
          -- include open-lane
          open_lane(lane)
        end
      until entry
      new[n + 1], new[n + 2] = t, 'q ' .. entry .. ' ' .. counts .. ' ' .. lane .. ' '
      n = n + 2
      rung[lane] = true
    end
  end
  if n > 0 then call('MSET', unpack(new)) end
end
for lane in pairs(rung) do
  local bell = P .. 'bell:' .. lane
  if call('EXISTS', bell) == 0 then call('RPUSH', bell, '1') end
end
