-- ARGV: seconds to remember, how many lanes follow, these lanes, then steps: id, worker, attempt, result, '1' when it is
-- kept beside, how many follow-ups follow, these as for add_tasks. A step counts while its task is open, from whoever it
-- comes. Answers for each step 1 for stored or 0 for duplicate, then with lanes the worker's next task, see next_tasks, or
-- how many lanes there are.
local lanes = tonumber(ARGV[2])
local steps, keys = {}, {}
local at = 3 + lanes
while ARGV[at] do
  steps[#steps + 1] = { id = ARGV[at], worker = ARGV[at + 1], by = ARGV[at + 1] .. '#' .. ARGV[at + 2], at = at }
  keys[#keys + 1] = key('t', ARGV[at])
  at = at + 6 + 5 * ARGV[at + 5]
end

local done, ended, vacated, freed, mine = {}, {}, {}, {}, {}
for i, t in ipairs(call('MGET', unpack(keys))) do
  local step = steps[i]
  local id, worker = step.id, step.worker
  local state, entry, _, _, big, lane, holder = parse(t)
  -- Two steps of one script may be about one task.
  if done[id] then state, holder = 'D', done[id] end
  if not state or state == 'x' or state == 'D' then
    step.stored = state == 'D' and holder == step.by and 1 or 0
  else
    step.stored, step.first, done[id] = 1, true, step.by
    if state == 'd' then
      call('ZREM', P .. 'delayed', id)
      call('UNLINK', key('k', id))
    else
      ended[lane] = ended[lane] or {}
      table.insert(ended[lane], entry)
    end
    -- The worker's place holds this task until another takes it.
    if state == 'r' and holder == worker and lanes > 0 then mine[worker] = true
    elseif state == 'r' then vacated[#vacated + 1] = holder end
    if big == '1' then freed[#freed + 1] = key('b', id) end
  end
end
for lane, entries in pairs(ended) do end_entries(lane, entries) end
if vacated[1] then call('HDEL', P .. 'w', unpack(vacated)) end
if freed[1] then call('UNLINK', unpack(freed)) end

local starts = {}
for _, step in ipairs(steps) do
  if step.first then
    local id, from = step.id, step.at
    local result
    if ARGV[from + 4] == '1' then
      result = call('XADD', P .. 'results', '*', 'b', id)
      call('SET', key('rb', id), ARGV[from + 3])
      call('ZADD', P .. 'rblobs', string.match(result, '^%d+'), id)
    else
      result = call('XADD', P .. 'results', '*', 'r', ARGV[from + 3])
    end
    call('SET', key('t', id), 'D ' .. result .. ' 0 0 0 - ' .. step.by, 'EX', ARGV[1])
    for i = 1, tonumber(ARGV[from + 5]) do starts[#starts + 1] = from + 1 + 5 * i end
  end
end
add_tasks(starts)

local answers = {}
if lanes == 0 then
  for i, step in ipairs(steps) do answers[i] = step.stored end
  return answers
end

local asking, free, listed = {}, {}, {}
for _, step in ipairs(steps) do
  local worker = step.worker
  local list = mine[worker] and free or asking
  if not listed[worker] then list[#list + 1] = worker end
  listed[worker] = true
end
-- A bell that an enqueue rang is still there for the idle.
local tasks = next_tasks(asking, free, 3, 2 + lanes)
local idle, known = {}, nil
for _, step in ipairs(steps) do
  local task = tasks[step.worker]
  if not task then
    known = known or call('SCARD', P .. 'lanes')
    if mine[step.worker] then idle[#idle + 1] = step.worker end
  end
  answers[#answers + 1] = step.stored
  answers[#answers + 1] = task or known
end
if idle[1] then call('HDEL', P .. 'w', unpack(idle)) end
return answers
