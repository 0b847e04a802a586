-- ARGV: id, worker, attempt. Back to the end of its lane, without counting an attempt.
local id = ARGV[1]
local t = redis.call('HMGET', key('t', id), 's', 'w', 'c', 'l', 'e')
if t[1] ~= 'r' or t[2] ~= ARGV[2] or t[3] ~= ARGV[3] then return 0 end
local found = redis.call('XRANGE', key('lane', t[4]), t[5], t[5])[1]
if not found then return 0 end
end_entry(t[4], t[5])
redis.call('HDEL', P .. 'w', ARGV[2])
redis.call('HSET', key('t', id), 's', 'q', 'e', push(t[4], id, found[2][4], found[2][6]))
redis.call('HDEL', key('t', id), 'w')
ring(t[4])
return 1
