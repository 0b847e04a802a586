-- ARGV: id, reason, seconds to remember. Returns 1 when somebody holds the task, whose next beat says that it is not wanted.
-- include records
local state = read(ARGV[1])
if state ~= 'r' then return 0 end
call('SET', P .. 'wd:' .. ARGV[1], ARGV[2], 'EX', ARGV[3])
return 1
