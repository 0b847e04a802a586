-- Dead letter: the task is kept, and readers of the results hear of it. Goes with records.lua.
local function bury(id, lane, claims, attempts, big, reason, code, bytes)
  local t = call('TIME')
  local at = t[1] * 1000 + math.floor(t[2] / 1000)
  write(id, 'x', '-', claims, attempts, big, lane)
  call('HSET', P .. 'k:' .. id, 'r', reason, 'k', code, 'd', at, 'p', bytes)
  -- In microseconds: what dies in the same millisecond keeps its order.
  call('ZADD', P .. 'dlq', t[1] * 1000000 + t[2], id)
  call('XADD', RESULTS, '*', 'x', id, 'r', reason, 'k', code, 'd', at, 'l', lane, 'a', attempts)
end
