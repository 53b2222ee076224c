-- ARGV: token, generation, kind of marker (f, u or n), first (ms), most (ms), begun (us)
local token, kind, first, most = ARGV[3], ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])
local begun = tonumber(ARGV[8])

-- Every marker unlocks for `first`. A failure keeps refreshes away for that long, doubled for each
-- failure in a row: a load begun before the last one was noted belongs to the same incident.
local function leave_mark()
  local count, standing = 0, first
  if kind == 'f' then
    local last = marker()
    count = last.kind == 'f' and last.count or 0
    if begun >= last.noted or count == 0 then count = count + 1 end
    standing = math.min(first * 2 ^ (count - 1), math.max(first, most))
  end
  local parts = { digits(count), digits(now), digits(now + first * 1000), digits(now + standing * 1000) }
  local mark = kind .. ':' .. table.concat(parts, ':')
  local left = redis.pcall('SET', mark_key, mark, 'PX', digits(standing * 4))
  return left.err and left
end

free(token)
-- Too late: the generation that would have told of a change may have left by now.
local current = generation() == ARGV[4] and now - begun <= GEN_LIFE * 1000
local failure = kind ~= 'n' and current and leave_mark()
wake()
return failure or (current and 1 or 0)
