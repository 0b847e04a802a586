-- ARGV: ids. Drops what nobody has started; answers the ids that are not here any more.
-- include records
local gone = {}
for _, id in ipairs(ARGV) do
  local state, entry, _, _, _, lane = read(id)
  if state == 'q' then call('XDEL', P .. 'lane:' .. lane, entry) end
  if state == 'd' then call('ZREM', P .. 'delayed', id) end
  if state == 'q' or state == 'd' then call('UNLINK', T .. id, P .. 'b:' .. id, P .. 'k:' .. id) end
  if not state or state == 'q' or state == 'd' then gone[#gone + 1] = id end
end
return gone
