-- Stands before every script. KEYS[1] is the workspace's prefix, which holds the hash tag, so that every derived key lives
-- in the same slot. Time comes from Redis only. "-- include x" in a script stands for the text of parts/x.lua.
--
-- A task is one string, t:<id>, of "<state> <entry> <claims> <attempts> <big> <lane> <worker>". States: q waiting, r
-- claimed, d delayed, x dead, D done ("D <entry in results> 0 0 0 - <by>", which expires). Its bytes are in the entry, as
-- "<id> <bytes>"; in b:<id> when they are big; in the hash k:<id> while there is no entry, which is while the task is
-- delayed or dead.
--
-- What costs the server: each command about as much as what it does, each byte of a string that Lua sees, each function
-- that is made, each table of an answer. The steps that every task goes through come many in one script and share their
-- commands; they make no functions but those that they seldom need.
local P = KEYS[1]
local T, W, RESULTS = P .. 't:', P .. 'w', P .. 'results'
local call, match = redis.call, string.match
local RECORD = '^(%a) (%S+) (%d+) (%d+) (%d) (%S+) (.*)$'

-- Bytes of a task or a result from which on they are kept in a key of their own.
local BIG = 32768
