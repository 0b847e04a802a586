-- Tries each command that the queue needs on keys of its own, and leaves nothing behind. ARGV: a name for the keys. Answers
-- the commands that are denied.
local denied = {}

-- As Redis 7.0, later ones and Valkey word it.
local refusals = { 'noperm', 'permission', "can't run this command", "can't access" }

local function try(command, ...)
  local answer = redis.pcall(command, ...)
  if type(answer) ~= 'table' or not answer.err then return end
  local text = string.lower(answer.err)
  for _, refusal in ipairs(refusals) do
    if string.find(text, refusal, 1, true) then
      denied[#denied + 1] = command
      return
    end
  end
end

local function name(kind)
  return P .. 'check:' .. ARGV[1] .. ':' .. kind
end

local stream, hash, sorted, set, list, text = name('x'), name('h'), name('z'), name('s'), name('l'), name('t')
try('TIME')
try('XADD', stream, '1-1', 'a', 'b')
try('XGROUP', 'CREATE', stream, 'g', '0')
try('XREADGROUP', 'GROUP', 'g', 'c', 'COUNT', '1', 'STREAMS', stream, '>')
try('XCLAIM', stream, 'g', 'c', '0', '1-1')
try('XAUTOCLAIM', stream, 'g', 'c', '0', '0')
try('XACK', stream, 'g', '1-1')
try('XRANGE', stream, '-', '+')
try('XREVRANGE', stream, '+', '-')
try('XINFO', 'GROUPS', stream)
try('XLEN', stream)
try('XTRIM', stream, 'MAXLEN', '1')
try('XDEL', stream, '1-1')
try('HSET', hash, 'a', 'b')
try('HGET', hash, 'a')
try('HMGET', hash, 'a')
try('HGETALL', hash)
try('HDEL', hash, 'a')
try('ZADD', sorted, '1', 'a')
try('ZCARD', sorted)
try('ZRANGE', sorted, '0', '0')
try('ZRANGEBYSCORE', sorted, '0', '1')
try('ZREM', sorted, 'a')
try('SADD', set, 'a')
try('SCARD', set)
try('SMEMBERS', set)
try('RPUSH', list, 'a')
try('EXPIRE', list, '1')
try('SET', text, 'a', 'PX', '1000')
try('SETEX', text, '1', 'a')
try('GET', text)
try('MGET', text)
try('MSET', text, 'b')
try('EXISTS', text)
try('DEL', stream, hash, sorted, set, list, text)
return denied
