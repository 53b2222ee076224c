-- Stands before every script of this folder. ARGV[1] is the command that publishes, ARGV[2] the
-- channel; what a script needs beside them begins at ARGV[3].
local entry_key, lease_key, gen_key, mark_key, load_key = unpack(KEYS)
local GEN_LIFE = 600000

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]

-- The default format of a number has 14 digits; microseconds need 16.
local function digits(number)
  return string.format('%.0f', number)
end

local function u64(bytes, offset)
  local low, high = struct.unpack('<I4I4', bytes, offset + 1)
  return high * 4294967296 + low
end

local function is_entry(bytes)
  return bytes and #bytes >= 112 and string.sub(bytes, 1, 4) == 'HERD'
end

local function begun_at(bytes)
  return u64(bytes, 48)
end

-- Physical end in milliseconds, kept where PEXPIREAT takes it and a double is exact.
local function end_of(bytes)
  return math.min(u64(bytes, 8), 9007199254740991)
end

-- Whether the entry counts: not over, and not stamped by a clock that ran ahead.
local function stands(bytes)
  local latest = now + 1000000
  return is_entry(bytes) and end_of(bytes) * 1000 > now
    and begun_at(bytes) <= latest and u64(bytes, 56) <= latest
end

-- What stands under the entry's key in another type is not ours, and counts as nothing.
local function field_of_entry(field)
  local bytes = redis.pcall('HGET', entry_key, field)
  return type(bytes) == 'string' and bytes
end

local function generation()
  local bytes = redis.pcall('GET', gen_key)
  return type(bytes) == 'string' and bytes or ''
end

-- Token, takeover count and milliseconds left of the lease; nothing if nobody holds it. A lease
-- that would never lapse, or is no lease at all, holds nobody up.
local function holder()
  local lease = redis.pcall('GET', lease_key)
  if type(lease) ~= 'string' then return nil end
  local token, takeovers = string.match(lease, '^(%x+):(%d+)$')
  local left = redis.call('PTTL', lease_key)
  if not token or left <= 0 then return nil end
  return token, tonumber(takeovers), left
end

local function take_lease(token, takeovers, life)
  redis.call('SET', lease_key, token .. ':' .. digits(takeovers), 'PX', life)
end

-- The marker: its kind (f: the load failed, u: it left nothing to store), failures in a row, when
-- the last of them was noted, until when it unlocks, until when it keeps refreshes away. It
-- outlives its end, so that failures in a row are counted.
local function marker()
  local mark = redis.pcall('GET', mark_key)
  if type(mark) ~= 'string' then return { count = 0, noted = 0, unlocks = 0, till = 0 } end
  local kind, count, noted, unlocks, till = string.match(mark, '^([fu]):(%d+):(%d+):(%d+):(%d+)$')
  return {
    kind = kind, count = tonumber(count) or 0, noted = tonumber(noted) or 0,
    unlocks = tonumber(unlocks) or 0, till = tonumber(till) or 0,
  }
end

-- The load mark: a sorted set of tokens by the end of their life, so that a load is counted once
-- and out once, however often it says so. Returns how many loads run.
local function note_load(token, life)
  local ends = now / 1000 + life
  if type(redis.pcall('ZADD', load_key, ends, token)) ~= 'number' then
    redis.call('DEL', load_key)
    redis.call('ZADD', load_key, ends, token)
  end
  redis.call('ZREMRANGEBYSCORE', load_key, '-inf', '(' .. digits(now / 1000))
  redis.call('PEXPIRE', load_key, digits(math.max(life, redis.call('PTTL', load_key))))
  return redis.call('ZCARD', load_key)
end

-- Gives back what a load held.
local function free(token)
  if holder() == token then redis.call('DEL', lease_key) end
  redis.pcall('ZREM', load_key, token)
end

-- By pcall: without the right to publish waiters poll, and the script has still done its work.
local function wake()
  redis.pcall(ARGV[1], ARGV[2], '')
end

