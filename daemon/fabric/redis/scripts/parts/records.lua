-- Returns state, entry, claims, attempts, big, lane, worker; nothing for an unknown task, or where the key holds something else.
local function read(id)
  local record = redis.pcall('GET', T .. id)
  if type(record) == 'string' then return match(record, RECORD) end
end

local function write(id, state, entry, claims, attempts, big, lane)
  call('SET', T .. id, state .. ' ' .. entry .. ' ' .. claims .. ' ' .. attempts .. ' ' .. big .. ' ' .. lane .. ' ')
end

-- Ends an entry: acknowledge and delete only together, and first of all writes, because a full Redis denies the others.
local function end_entry(lane, entry)
  call('XACK', P .. 'lane:' .. lane, 'g', entry)
  call('XDEL', P .. 'lane:' .. lane, entry)
end
