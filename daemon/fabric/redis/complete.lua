-- ARGV: id, worker, attempt, result, '1' when the result is kept beside, seconds to remember, then follow-ups as for
-- add_tasks. Counts while the task is open, from whoever it comes; answers 1 for stored and 0 for duplicate.
local id, by = ARGV[1], ARGV[2] .. '#' .. ARGV[3]
local t = redis.call('HMGET', key('t', id), 's', 'l', 'e', 'w', 'b')
if not t[1] or t[1] == 'x' then
  -- The value is <entry in results> <by>.
  local done = redis.call('GET', key('done', id))
  return done and string.match(done, ' (.*)$') == by and 1 or 0
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
add_tasks(7)
return 1
