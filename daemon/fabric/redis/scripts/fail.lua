-- ARGV: id, worker, attempt, reason, code, '1' when retryable, max_retry, delay in ms.
-- Returns 0 for a claim that was lost, 1 for a retry, 2 for a dead letter; of a withdrawn task, the reason.
-- include records
-- include retry
local id = ARGV[1]
local state, entry, claims, attempts, big, lane, holder = read(id)
if state ~= 'r' or holder ~= ARGV[2] or claims ~= ARGV[3] then return 0 end
local withdrawn = call('GET', P .. 'wd:' .. id)
if withdrawn then return withdrawn end
local found = call('XRANGE', P .. 'lane:' .. lane, entry, entry)[1]
local bytes = found and found[2][2] or ''
end_entry(lane, entry)
call('HDEL', W, holder)
local may_retry = ARGV[6] == '1' and tonumber(attempts) < tonumber(ARGV[7])
return retry_or_bury(id, lane, claims, attempts, big, ARGV[4], ARGV[5], bytes, may_retry, tonumber(ARGV[8]))
