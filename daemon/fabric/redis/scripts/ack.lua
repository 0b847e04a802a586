-- ARGV: reader, the last entry it has taken in, ms until it counts as gone (0: it leaves), '1' when it may trim. Trims the
-- results to what every living reader has taken in. The trim comes before the other writes: it frees memory, which a full Redis allows.
-- Returns 1 when the reader was known before, else 0. A position that is none counts as that of a reader that is gone.
-- include time
local at = now()
local function parts(entry)
  local ms, seq = string.match(entry, '^(%d+)-(%d+)$')
  return tonumber(ms), tonumber(seq)
end

local gone = call('ZRANGEBYSCORE', P .. 'readers:until', '-inf', at)
local dead = {}
for _, reader in ipairs(gone) do dead[reader] = true end

local ms, seq = parts(ARGV[2])
local remembered = call('HGET', P .. 'readers', ARGV[1]) and 1 or 0
local positions = call('HGETALL', P .. 'readers')
for i = 1, #positions, 2 do
  if positions[i] ~= ARGV[1] and not dead[positions[i]] then
    local other_ms, other_seq = parts(positions[i + 1])
    if not other_ms then gone[#gone + 1] = positions[i]
    elseif other_ms < ms or (other_ms == ms and other_seq < seq) then ms, seq = other_ms, other_seq end
  end
end

if ARGV[4] == '1' then
  call('XTRIM', RESULTS, 'MINID', string.format('%.0f-%.0f', ms, seq + 1))
  local blobs = call('ZRANGEBYSCORE', P .. 'rblobs', '-inf', '(' .. string.format('%.0f', ms), 'LIMIT', 0, 500)
  for _, id in ipairs(blobs) do
    call('UNLINK', P .. 'rb:' .. id)
    call('ZREM', P .. 'rblobs', id)
  end
end
for _, reader in ipairs(gone) do
  call('HDEL', P .. 'readers', reader)
  call('ZREM', P .. 'readers:until', reader)
end
if tonumber(ARGV[3]) > 0 then
  call('HSET', P .. 'readers', ARGV[1], ARGV[2])
  call('ZADD', P .. 'readers:until', at + tonumber(ARGV[3]), ARGV[1])
else
  call('HDEL', P .. 'readers', ARGV[1])
  call('ZREM', P .. 'readers:until', ARGV[1])
end
return remembered
