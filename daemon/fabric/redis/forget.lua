-- ARGV: ids. Drops what nobody has started.
for i = 1, #ARGV do
  local id = ARGV[i]
  local t = redis.call('HMGET', key('t', id), 's', 'l', 'e')
  if t[1] == 'q' then redis.call('XDEL', key('lane', t[2]), t[3]) end
  if t[1] == 'd' then redis.call('ZREM', P .. 'delayed', id) end
  if t[1] == 'q' or t[1] == 'd' then redis.call('UNLINK', key('t', id), key('b', id)) end
end
return 1
