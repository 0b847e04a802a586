-- ARGV: id, worker, attempt. Renews the lease; 0 when the claim was lost or withdrawn.
-- include records
local state, entry, claims, _, _, lane, holder = read(ARGV[1])
if state ~= 'r' or holder ~= ARGV[2] or claims ~= ARGV[3] then return 0 end
if call('EXISTS', P .. 'wd:' .. ARGV[1]) == 1 then return 0 end
call('XCLAIM', P .. 'lane:' .. lane, 'g', 'c', 0, entry, 'IDLE', 0, 'JUSTID')
return 1
