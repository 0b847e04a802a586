-- include open-lane
-- Puts a known task back into its lane. Goes with records.lua.
local function push(id, lane, claims, attempts, big, bytes)
  local stream, bell = P .. 'lane:' .. lane, P .. 'bell:' .. lane
  local counts = claims .. ' ' .. attempts .. ' ' .. big
  local entry = call('XADD', stream, 'NOMKSTREAM', '*', id, bytes, 'n', counts)
  if not entry then
    open_lane(lane)
    entry = call('XADD', stream, '*', id, bytes, 'n', counts)
  end
  write(id, 'q', entry, claims, attempts, big, lane)
  if call('EXISTS', bell) == 0 then call('RPUSH', bell, '1') end
end
