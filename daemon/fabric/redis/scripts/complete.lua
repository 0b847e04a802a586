-- ARGV: seconds to remember, how many lanes follow, these lanes, then steps: id, worker, attempt, result, how many
-- follow-ups follow, these as in adding.lua. A step counts while its task is open, no matter who sends it. Returns for each
-- step 1 for stored or 0 for duplicate, then with lanes the worker's next task as claim.lua does.
local first_lane, last_lane = 3, 2 + ARGV[2]
local steps, keys = {}, {}
local at, count = last_lane + 1, 0
while ARGV[at] do
  count = count + 1
  steps[count], keys[count] = at, T .. ARGV[at]
  at = at + 5 + 3 * ARGV[at + 4]
end

-- Of the steps: whether each is stored; those that are the first of their task; where their follow-ups stand.
local stored, first, starts = {}, {}, {}
local done, ended, vacated, freed, mine = {}, {}, {}, {}, {}
local records = call('MGET', unpack(keys))
for i = 1, count do
  local at = steps[i]
  local id, worker = ARGV[at], ARGV[at + 1]
  local by = worker .. '#' .. ARGV[at + 2]
  local state, entry, _, big, lane, holder
  -- Two steps of one script may be about one task.
  if done[id] then state, holder = 'D', done[id]
  elseif records[i] then state, entry, _, _, big, lane, holder = match(records[i], RECORD) end
  if not state or state == 'x' or state == 'D' then
    stored[i] = state == 'D' and holder == by and 1 or 0
  else
    stored[i], done[id] = 1, by
    first[#first + 1] = i
    for j = 1, tonumber(ARGV[at + 4]) do starts[#starts + 1] = at + 2 + 3 * j end
    if state == 'd' then
      call('ZREM', P .. 'delayed', id)
      call('UNLINK', P .. 'k:' .. id)
    else
      local entries = ended[lane]
      if entries then entries[#entries + 1] = entry else ended[lane] = { entry } end
    end
    -- The worker's place holds this task until another takes it.
    if state == 'r' and holder == worker and last_lane >= first_lane then mine[worker] = true
    elseif state == 'r' then vacated[#vacated + 1] = holder end
    if big == '1' then freed[#freed + 1] = P .. 'b:' .. id end
  end
end
-- Acknowledge and delete only together, and first of all writes, because a full Redis denies the others.
for lane, entries in pairs(ended) do
  call('XACK', P .. 'lane:' .. lane, 'g', unpack(entries))
  call('XDEL', P .. 'lane:' .. lane, unpack(entries))
end
if vacated[1] then call('HDEL', W, unpack(vacated)) end
if freed[1] then call('UNLINK', unpack(freed)) end

-- One entry carries the results of several tasks, as long as they are small; or the name of a big one.
local j = 1
while first[j] do
  local from, fields, bytes = j, { '*' }, 0
  repeat
    local result = ARGV[steps[first[j]] + 3]
    bytes = bytes + #result
    if bytes > BIG and j > from then break end
    local n = #fields
    fields[n + 1], fields[n + 2] = 'r', result
    j = j + 1
  until not first[j]
  local big = #fields[3] > BIG and fields[3]
  if big then fields = { '*', 'b', ARGV[steps[first[from]]] } end
  local entry = call('XADD', RESULTS, unpack(fields))
  if big then
    call('SET', P .. 'rb:' .. fields[3], big)
    call('ZADD', P .. 'rblobs', match(entry, '^%d+'), fields[3])
  end
  for k = from, j - 1 do
    local i = first[k]
    call('SETEX', keys[i], ARGV[1], 'D ' .. entry .. ' 0 0 0 - ' .. done[ARGV[steps[i]]])
  end
end
-- include adding

if last_lane < first_lane then return stored end

local asking, free, listed = {}, {}, {}
for i = 1, count do
  local worker = ARGV[steps[i] + 1]
  if not listed[worker] then
    local list = mine[worker] and free or asking
    list[#list + 1], listed[worker] = worker, true
  end
end
-- A bell that an enqueue rang is still there for the idle.
-- include claiming

local answers, idle, known = {}, {}, nil
for i = 1, count do
  local worker, n = ARGV[steps[i] + 1], 4 * i
  local task = tasks[worker]
  answers[n - 3] = stored[i]
  if task then
    answers[n - 2], answers[n - 1], answers[n] = task[1], task[2], task[3]
  else
    known = known or call('SCARD', P .. 'lanes')
    answers[n - 2], answers[n - 1], answers[n] = known, 0, 0
    if mine[worker] then idle[#idle + 1] = worker end
  end
end
if idle[1] then call('HDEL', W, unpack(idle)) end
return answers
