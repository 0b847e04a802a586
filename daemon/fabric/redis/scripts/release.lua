-- ARGV: id, worker, attempt. Back to the end of its lane, without counting an attempt. Of a withdrawn task: the reason.
-- include records
-- include push
local id = ARGV[1]
local state, entry, claims, attempts, big, lane, holder = read(id)
if state ~= 'r' or holder ~= ARGV[2] or claims ~= ARGV[3] then return 0 end
local withdrawn = call('GET', P .. 'wd:' .. id)
if withdrawn then return withdrawn end
local found = call('XRANGE', P .. 'lane:' .. lane, entry, entry)[1]
if not found then return 0 end
end_entry(lane, entry)
call('HDEL', W, holder)
push(id, lane, claims, attempts, big, found[2][2])
return 1
