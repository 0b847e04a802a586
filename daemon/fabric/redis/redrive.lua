-- ARGV: 'retry' or 'purge', seconds to remember, ids. Answers how many there were.
local count = 0
for i = 3, #ARGV do
  local id = ARGV[i]
  local t = redis.call('HMGET', key('t', id), 's', 'l', 'm', 'p')
  if t[1] == 'x' and ARGV[1] == 'purge' then
    redis.call('ZREM', P .. 'dlq', id)
    redis.call('UNLINK', key('t', id), key('b', id))
    redis.call('SET', key('done', id), '0-0 purged', 'EX', ARGV[2])
    count = count + 1
  elseif t[1] == 'x' and string.sub(id, 1, 4) ~= 'raw-' then
    redis.call('ZREM', P .. 'dlq', id)
    redis.call('HSET', key('t', id), 's', 'q', 'a', 0, 'e', push(t[2], id, t[3], t[4]))
    redis.call('HDEL', key('t', id), 'm', 'p', 'r', 'k', 'd')
    ring(t[2])
    count = count + 1
  end
end
return count
