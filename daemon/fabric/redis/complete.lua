-- ARGV: id, worker, attempt, result, '1' when the result is kept beside, seconds to remember, how many lanes follow, these
-- lanes, then follow-ups as for add_tasks. Counts while the task is open, from whoever it comes: 1 for stored, 0 for
-- duplicate. With lanes, the worker's next task comes with the answer: {stored or duplicate, as claim_next}.
local lanes = tonumber(ARGV[7])
local function answer(stored)
  if lanes == 0 then return stored end
  return { stored, claim_next(ARGV[2], 8, 7 + lanes) }
end

local id, by = ARGV[1], ARGV[2] .. '#' .. ARGV[3]
local t = redis.call('HMGET', key('t', id), 's', 'l', 'e', 'w', 'b')
if not t[1] or t[1] == 'x' then
  -- The value is <entry in results> <by>.
  local done = redis.call('GET', key('done', id))
  return answer(done and string.match(done, ' (.*)$') == by and 1 or 0)
end

if t[1] == 'd' then redis.call('ZREM', P .. 'delayed', id) else end_entry(t[2], t[3]) end
if t[4] then redis.call('HDEL', P .. 'w', t[4]) end
if t[5] then redis.call('UNLINK', key('t', id), key('b', id)) else redis.call('DEL', key('t', id)) end

local entry
if ARGV[5] == '1' then
  entry = redis.call('XADD', P .. 'results', '*', 'b', id)
  redis.call('SET', key('rb', id), ARGV[4])
  redis.call('ZADD', P .. 'rblobs', string.match(entry, '^%d+'), id)
else
  entry = redis.call('XADD', P .. 'results', '*', 'r', ARGV[4])
end
redis.call('SET', key('done', id), entry .. ' ' .. by, 'EX', ARGV[6])
add_tasks(8 + lanes)
return answer(1)
