-- include time
-- include bury
-- One path for a failure and a crash. The entry is ended by the caller. Returns 1 for a retry, 2 for a dead letter.
local function retry_or_bury(id, lane, claims, attempts, big, reason, code, bytes, may_retry, delay)
  if not may_retry then
    bury(id, lane, claims, attempts + 1, big, reason, code, bytes)
    return 2
  end
  write(id, 'd', '-', claims, attempts + 1, big, lane)
  call('HSET', P .. 'k:' .. id, 'p', bytes)
  call('ZADD', P .. 'delayed', now() + delay, id)
  return 1
end
