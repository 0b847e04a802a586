-- ARGV: ids. Returns one letter each: q waiting, r claimed, d delayed, x dead, D done, - unknown.
-- include records
local states = {}
for i, id in ipairs(ARGV) do states[i] = read(id) or '-' end
return states
