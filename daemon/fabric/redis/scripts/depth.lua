-- Returns {now, delayed, dead, lane, waiting, claimed, time of the oldest waiting or '', next lane...}.
-- include time
local report = { now(), call('ZCARD', P .. 'delayed'), call('ZCARD', P .. 'dlq') }
for _, lane in ipairs(call('SMEMBERS', P .. 'lanes')) do
  local stream = P .. 'lane:' .. lane
  local groups = redis.pcall('XINFO', 'GROUPS', stream)
  local claimed, last = 0, nil
  if not groups.err and groups[1] then
    for i = 1, #groups[1], 2 do
      if groups[1][i] == 'pending' then claimed = groups[1][i + 1] end
      if groups[1][i] == 'last-delivered-id' then last = groups[1][i + 1] end
    end
  end
  local oldest = last and call('XRANGE', stream, '(' .. last, '+', 'COUNT', 1)[1]
  -- A key of another type is not a lane.
  local length = redis.pcall('XLEN', stream)
  if type(length) == 'number' then
    report[#report + 1] = lane
    report[#report + 1] = length - claimed
    report[#report + 1] = claimed
    report[#report + 1] = oldest and string.match(oldest[1], '^%d+') or ''
  end
end
return report
