-- ARGV: generation, field, entry. Deletes first, as invalidate does.
redis.call('DEL', entry_key, lease_key, mark_key)
local set = redis.pcall('SET', gen_key, ARGV[3], 'PX', GEN_LIFE)
local failure = set.err and set
if not failure then
  local stored = redis.pcall('HSET', entry_key, ARGV[4], ARGV[5])
  failure = type(stored) == 'table' and stored
end
if not failure then redis.call('PEXPIREAT', entry_key, digits(end_of(ARGV[5]))) end
wake()
return failure or 1
