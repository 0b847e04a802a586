-- ARGV: id of an entry in the results that is malformed, the reason, its bytes. Makes a dead letter of it, once. Returns 1 when it did.
-- include records
-- include bury
local id = 'raw-' .. ARGV[1]
if call('EXISTS', T .. id) == 1 then return 0 end
bury(id, 'results', 0, 0, 0, ARGV[2], 'invalid_input', string.sub(ARGV[3], 1, BIG))
return 1
