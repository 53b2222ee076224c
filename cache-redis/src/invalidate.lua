-- ARGV: generation. Deletes first: a server out of memory may refuse the rest.
redis.call('DEL', entry_key, lease_key, mark_key)
local set = redis.pcall('SET', gen_key, ARGV[3], 'PX', GEN_LIFE)
wake()
return set.err and set or 1
