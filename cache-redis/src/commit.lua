-- ARGV: field, token, generation, begun (us), entry
local field, token, begun, entry = ARGV[3], ARGV[4], tonumber(ARGV[6]), ARGV[7]

-- Fields nobody can read any more leave; the key lives as long as what remains.
local function store()
  local kind = redis.call('TYPE', entry_key).ok
  -- Not where there is nothing: once a script has written, memory is not looked at any more.
  if kind ~= 'hash' and kind ~= 'none' then redis.call('DEL', entry_key) end
  local stored = redis.pcall('HSET', entry_key, field, entry)
  if type(stored) == 'table' then return stored end
  local latest = end_of(entry)
  for _, other in ipairs(redis.call('HKEYS', entry_key)) do
    if other ~= field then
      local bytes = redis.call('HGET', entry_key, other)
      if stands(bytes) then
        latest = math.max(latest, end_of(bytes))
      else
        redis.call('HDEL', entry_key, other)
      end
    end
  end
  redis.call('PEXPIREAT', entry_key, digits(latest))
  redis.call('DEL', mark_key)
end

local verdict, failure = 'stored', nil
if generation() ~= ARGV[5] then
  verdict = 'superseded'
elseif now - begun > GEN_LIFE * 1000 then
  verdict = 'late'
else
  local there = field_of_entry(field)
  if stands(there) and begun_at(there) > begun then
    verdict = 'older'
  else
    failure = store()
  end
end

free(token)
wake()
return failure or { digits(now), verdict }
