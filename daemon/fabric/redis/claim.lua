-- ARGV: worker, then lanes in the order to look through. Answers as claim_next does.
local task = held_by(ARGV[1]) or claim_next(ARGV[1], 2, #ARGV)
-- There may be more: the next idle worker comes and looks.
if type(task) == 'table' and task[2] then ring(task[2]) end
return task
