-- ARGV: field, after (us), token, lease (ms), exclusive, token to take over from, what there is to
-- serve meanwhile: nothing (0), a value (1), the last one, should the load fail (2)
local field, after, token, life = ARGV[3], tonumber(ARGV[4]), ARGV[5], ARGV[6]
local exclusive, over = ARGV[7] == '1', ARGV[8]

local function answer(...)
  return { digits(now), generation(), ... }
end

local function lead(leased)
  return answer('lead', leased and 1 or 0, note_load(token, tonumber(life)))
end

local bytes = field_of_entry(field)
if stands(bytes) and begun_at(bytes) > after then
  return answer('entry', bytes)
end

local mark = marker()
local can_wait = ARGV[9] == '1' or ARGV[9] == '2' and mark.kind == 'f'
if can_wait and mark.till > now then
  return answer('failing', math.ceil((mark.till - now) / 1000))
end
if not can_wait and mark.unlocks > now then return lead(false) end

if not exclusive then return lead(false) end

local held_by, takeovers, left = holder()
if held_by == token then return lead(true) end -- asked twice, answered once
if held_by and held_by ~= over then
  return answer('held', held_by, takeovers, left)
end
take_lease(token, held_by and takeovers + 1 or 0, life)
return lead(true)
