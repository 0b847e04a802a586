-- ARGV: ids. Drops what nobody has started; answers the ids that are not here any more.
local gone = {}
for _, id in ipairs(ARGV) do
  local state, entry, _, _, _, lane = read(id)
  if state == 'q' then call('XDEL', key('lane', lane), entry) end
  if state == 'd' then call('ZREM', P .. 'delayed', id) end
  if state == 'q' or state == 'd' then call('UNLINK', key('t', id), key('b', id), key('k', id)) end
  if not state or state == 'q' or state == 'd' then gone[#gone + 1] = id end
end
return gone
