-- ARGV: 'retry' or 'purge', seconds to remember, ids. Answers how many there were.
local count = 0
for i = 3, #ARGV do
  local id = ARGV[i]
  local state, _, claims, _, big, lane = read(id)
  if state == 'x' and ARGV[1] == 'purge' then
    call('ZREM', P .. 'dlq', id)
    call('UNLINK', key('b', id), key('k', id))
    call('SET', key('t', id), 'D 0-0 0 0 0 - purged', 'EX', ARGV[2])
    count = count + 1
  elseif state == 'x' and string.sub(id, 1, 4) ~= 'raw-' then
    local kept = call('HMGET', key('k', id), 'm', 'p')
    call('ZREM', P .. 'dlq', id)
    call('UNLINK', key('k', id))
    push(id, lane, claims, 0, big, kept[1], kept[2])
    count = count + 1
  end
end
return count
