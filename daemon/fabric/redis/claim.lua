-- ARGV: how many lanes follow, these lanes in the order to look through, then workers. Answers for each worker its task,
-- see next_tasks, or the number of lanes there are when none was found.
local lanes = tonumber(ARGV[1])
local workers, listed = {}, {}
for i = 2 + lanes, #ARGV do
  if not listed[ARGV[i]] then workers[#workers + 1] = ARGV[i] end
  listed[ARGV[i]] = true
end
local tasks = next_tasks(workers, {}, 2, 1 + lanes)

local answers, found = {}, {}
for i = 2 + lanes, #ARGV do
  local task = tasks[ARGV[i]]
  answers[#answers + 1] = task or call('SCARD', P .. 'lanes')
  if task then found[task[2]] = true end
end
-- There may be more: the next idle worker comes and looks.
for lane in pairs(found) do ring(lane) end
return answers
