-- Takes one request of ARGV[3] tokens from the minute's limit and returns 0, or takes nothing and returns the
-- milliseconds to wait. Same rule as RateWindow in window.ts; time is Redis's own.
-- KEYS[1]: hash of seconds, fields `r<second>` and `t<second>`. ARGV: limit of requests, limit of tokens (0: none),
-- tokens, requests to count (0 corrects the tokens of an earlier one).
local span = 61
local time = redis.call('TIME')
local now = tonumber(time[1])
local max_requests, max_tokens = tonumber(ARGV[1]), tonumber(ARGV[2])
local tokens, count = tonumber(ARGV[3]), tonumber(ARGV[4])
if max_requests == 0 then max_requests = math.huge end
if max_tokens == 0 then max_tokens = math.huge end

if count > 0 then
  local seconds, known = {}, {}
  local fields = redis.call('HGETALL', KEYS[1])
  local requests, used = count, math.min(tokens, max_tokens)
  for i = 1, #fields, 2 do
    local kind, second = string.sub(fields[i], 1, 1), tonumber(string.sub(fields[i], 2))
    local value = tonumber(fields[i + 1])
    if second <= now - span then
      redis.call('HDEL', KEYS[1], fields[i])
    else
      if not known[second] then
        known[second] = { r = 0, t = 0 }
        seconds[#seconds + 1] = second
      end
      known[second][kind] = value
      if kind == 'r' then requests = requests + value else used = used + value end
    end
  end
  if requests > max_requests or used > max_tokens then
    table.sort(seconds)
    for _, second in ipairs(seconds) do
      requests = requests - known[second].r
      used = used - known[second].t
      if requests <= max_requests and used <= max_tokens then
        return (second + span - now) * 1000 - math.floor(tonumber(time[2]) / 1000)
      end
    end
    return 1000
  end
  redis.call('HINCRBY', KEYS[1], 'r' .. now, count)
end
redis.call('HINCRBY', KEYS[1], 't' .. now, tokens)
redis.call('EXPIRE', KEYS[1], span + 1)
return 0
