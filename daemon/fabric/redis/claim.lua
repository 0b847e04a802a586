-- ARGV: worker, then lanes in the order to look through. Answers as claim_next does.
local worker = ARGV[1]

local held = redis.call('HGET', P .. 'w', worker)
if held then
  local t = redis.call('HMGET', key('t', held), 's', 'w', 'e', 'l', 'a', 'c', 'b')
  local found = t[1] == 'r' and t[2] == worker and redis.call('XRANGE', key('lane', t[4]), t[3], t[3])[1]
  if found then
    local payload = found[2][6]
    if t[7] then payload = redis.call('GET', key('b', held)) end
    return { held, t[4], t[5] or '0', t[6], found[2][4], payload or '' }
  end
  redis.call('HDEL', P .. 'w', worker)
end

return claim_next(worker, 2, #ARGV)
