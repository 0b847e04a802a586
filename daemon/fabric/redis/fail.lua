-- ARGV: id, worker, attempt, reason, code, '1' when retryable, max_retry, delay in ms.
-- Answers 0 for a claim that was lost, 1 for a retry, 2 for a dead letter.
local id = ARGV[1]
local t = redis.call('HMGET', key('t', id), 's', 'w', 'c', 'l', 'e', 'a')
if t[1] ~= 'r' or t[2] ~= ARGV[2] or t[3] ~= ARGV[3] then return 0 end
local found = redis.call('XRANGE', key('lane', t[4]), t[5], t[5])[1]
local meta, payload = '', ''
if found then meta, payload = found[2][4], found[2][6] end
end_entry(t[4], t[5])
redis.call('HDEL', P .. 'w', ARGV[2])
local attempts = tonumber(t[6] or 0)
local may_retry = ARGV[6] == '1' and attempts < tonumber(ARGV[7])
return retry_or_bury(id, t[4], attempts, ARGV[4], ARGV[5], meta, payload, may_retry, tonumber(ARGV[8]))
