-- ARGV: 'retry' or 'purge', seconds to remember, ids. Returns how many there were.
-- include records
-- include push
local count = 0
for i = 3, #ARGV do
  local id = ARGV[i]
  local state, _, claims, _, big, lane = read(id)
  if state == 'x' and ARGV[1] == 'purge' then
    call('ZREM', P .. 'dlq', id)
    call('UNLINK', P .. 'b:' .. id, P .. 'k:' .. id)
    call('SET', T .. id, 'D 0-0 0 0 0 - purged', 'EX', ARGV[2])
    count = count + 1
  elseif state == 'x' and string.sub(id, 1, 4) ~= 'raw-' then
    local bytes = call('HGET', P .. 'k:' .. id, 'p')
    call('ZREM', P .. 'dlq', id)
    call('UNLINK', P .. 'k:' .. id)
    push(id, lane, claims, 0, big, bytes)
    count = count + 1
  end
end
return count
