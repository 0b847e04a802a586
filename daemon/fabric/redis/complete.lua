-- ARGV: id, worker, attempt, result, '1' when the result is kept beside, seconds to remember, how many lanes follow, these
-- lanes, then follow-ups as for add_tasks. Counts while the task is open, from whoever it comes: 1 for stored, 0 for
-- duplicate. With lanes, the worker's next task comes with the answer: {stored or duplicate, as claim_next}.
local id, worker, lanes = ARGV[1], ARGV[2], tonumber(ARGV[7])
local by = worker .. '#' .. ARGV[3]

local state, entry, _, _, big, lane, holder = read(id)
if not state or state == 'x' or state == 'D' then
  local stored = state == 'D' and holder == by and 1 or 0
  if lanes == 0 then return stored end
  return { stored, held_by(worker) or claim_next(worker, 8, 7 + lanes) }
end

if state == 'd' then
  call('ZREM', P .. 'delayed', id)
  call('UNLINK', key('k', id))
else
  end_entry(lane, entry)
end
if state == 'r' and (holder ~= worker or lanes == 0) then call('HDEL', P .. 'w', holder) end
if big == '1' then call('UNLINK', key('b', id)) end

local result
if ARGV[5] == '1' then
  result = call('XADD', P .. 'results', '*', 'b', id)
  call('SET', key('rb', id), ARGV[4])
  call('ZADD', P .. 'rblobs', string.match(result, '^%d+'), id)
else
  result = call('XADD', P .. 'results', '*', 'r', ARGV[4])
end
call('SET', key('t', id), 'D ' .. result .. ' 0 0 0 - ' .. by, 'EX', ARGV[6])
add_tasks(8 + lanes)
if lanes == 0 then return 1 end

-- The worker's place holds this task until another takes it. A bell that an enqueue rang is still there for the idle.
local task = holder ~= worker and held_by(worker) or claim_next(worker, 8, 7 + lanes)
if type(task) == 'number' and holder == worker then call('HDEL', P .. 'w', worker) end
return { 1, task }
