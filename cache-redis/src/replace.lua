-- ARGV: generation, then field, bytes that were read, bytes to put, for each field
local FIRST, EACH = 4, 3

if redis.pcall('HLEN', entry_key) ~= (#ARGV - FIRST + 1) / EACH then return 0 end
for i = FIRST, #ARGV, EACH do
  if field_of_entry(ARGV[i]) ~= ARGV[i + 1] then return 0 end
end

redis.call('DEL', lease_key, mark_key)
redis.call('SET', gen_key, ARGV[3], 'PX', GEN_LIFE)
local latest = 0
for i = FIRST, #ARGV, EACH do
  redis.call('HSET', entry_key, ARGV[i], ARGV[i + 2])
  if is_entry(ARGV[i + 2]) then latest = math.max(latest, end_of(ARGV[i + 2])) end
end
if latest > 0 then redis.call('PEXPIREAT', entry_key, digits(latest)) end
wake()
return 1
