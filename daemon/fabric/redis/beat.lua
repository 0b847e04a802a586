-- ARGV: id, worker, attempt. Renews the lease; 0 when the claim was lost.
local t = redis.call('HMGET', key('t', ARGV[1]), 's', 'w', 'c', 'l', 'e')
if t[1] ~= 'r' or t[2] ~= ARGV[2] or t[3] ~= ARGV[3] then return 0 end
redis.call('XCLAIM', key('lane', t[4]), 'g', 'c', 0, t[5], 'IDLE', 0, 'JUSTID')
return 1
