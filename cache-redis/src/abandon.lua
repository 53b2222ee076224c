-- ARGV: token, generation, kind of marker (f, u or n), first (ms), most (ms)
local token, kind, first, most = ARGV[3], ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])

local function leave_mark()
  local count, standing = 0, first
  if kind == 'f' then
    local last, failures = marker()
    count = last == 'f' and failures + 1 or 1
    standing = math.min(first * 2 ^ (count - 1), most)
  end
  local mark = kind .. ':' .. digits(count) .. ':' .. digits(now + standing * 1000)
  local left = redis.pcall('SET', mark_key, mark, 'PX', digits(standing * 4))
  return left.err and left
end

free(token)
local current = generation() == ARGV[4]
local failure = kind ~= 'n' and current and leave_mark()
wake()
return failure or (current and 1 or 0)
