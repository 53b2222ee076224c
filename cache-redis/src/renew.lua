-- ARGV: token, generation, lease (ms), leased
local token, life = ARGV[3], ARGV[5]
note_load(token, tonumber(life))
if ARGV[6] ~= '1' then return 1 end

local held_by = holder()
if held_by == token then
  redis.call('PEXPIRE', lease_key, life)
  return 1
end
if held_by or generation() ~= ARGV[4] then return 0 end
take_lease(token, 0, life)
return 1
