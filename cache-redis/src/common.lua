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

local function generation()
  return redis.call('GET', gen_key) or ''
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

-- Kind, count and end of the marker. It outlives its end, so that failures in a row are counted.
local function marker()
  local mark = redis.pcall('GET', mark_key)
  if type(mark) ~= 'string' then return nil, 0, 0 end
  local kind, count, till = string.match(mark, '^([fu]):(%d+):(%d+)$')
  return kind, tonumber(count) or 0, tonumber(till) or 0
end

-- Gives back what a load held.
local function free(token)
  if holder() == token then redis.call('DEL', lease_key) end
  if redis.call('EXISTS', load_key) == 1 then
    local running = redis.pcall('DECR', load_key)
    if type(running) ~= 'number' or running <= 0 then redis.call('DEL', load_key) end
  end
end

-- By pcall: without the right to publish waiters poll, and the script has still done its work.
local function wake()
  redis.pcall(ARGV[1], ARGV[2], '')
end

