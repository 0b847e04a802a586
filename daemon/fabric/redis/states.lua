-- ARGV: ids. Answers one letter each: q waiting, r claimed, d delayed, x dead, D done, - unknown.
local states = {}
for i = 1, #ARGV do
  states[i] = redis.call('HGET', key('t', ARGV[i]), 's')
    or (redis.call('EXISTS', key('done', ARGV[i])) == 1 and 'D')
    or '-'
end
return states
