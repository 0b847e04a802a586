-- ARGV: how many lanes follow, these lanes in the order to look through, then workers. Returns for each worker three values:
-- id, record and bytes of its task, or the number of lanes there are, 0, 0. A table each would cost more.
local first_lane, last_lane = 2, 1 + ARGV[1]
local asking, free, listed = {}, {}, {}
for i = last_lane + 1, #ARGV do
  if not listed[ARGV[i]] then asking[#asking + 1] = ARGV[i] end
  listed[ARGV[i]] = true
end
-- include claiming

local answers, found, known = {}, {}, nil
for i = last_lane + 1, #ARGV do
  local task, n = tasks[ARGV[i]], #answers
  if task then
    answers[n + 1], answers[n + 2], answers[n + 3] = task[1], task[2], task[3]
    found[task[4]] = true
  else
    known = known or call('SCARD', P .. 'lanes')
    answers[n + 1], answers[n + 2], answers[n + 3] = known, 0, 0
  end
end
-- There may be more: the next idle worker comes and looks.
for lane in pairs(found) do
  local bell = P .. 'bell:' .. lane
  if call('EXISTS', bell) == 0 then call('RPUSH', bell, '1') end
end
return answers
