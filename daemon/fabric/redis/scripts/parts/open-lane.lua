-- A lane's first task makes its stream and wakes the callers that know fewer lanes: they wait on bell:new:<count of lanes>.
local function open_lane(lane)
  call('XGROUP', 'CREATE', P .. 'lane:' .. lane, 'g', '0', 'MKSTREAM')
  local known = call('SCARD', P .. 'lanes')
  if call('SADD', P .. 'lanes', lane) == 1 then
    local bell = P .. 'bell:new:' .. known
    call('RPUSH', bell, '1')
    call('EXPIRE', bell, 10)
  end
end
