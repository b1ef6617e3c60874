-- expect: ok
-- Bounds of numeric loops that are no number: a NaN compares false with everything, and a round is
-- skipped only when its variable is beyond the limit.
local nan = 0 / 0
local function rounds(from, to, by)
  local n = 0
  for i = from, to, by do
    n = n + 1
    if n == 3 then break end
  end
  return n
end
assert(rounds(1.0, nan, 1) == 1 and rounds(1.0, nan, -1) == 1 and rounds(1, nan, 1.0) == 1)
assert(rounds(nan, 1, 1) == 1 and rounds(nan, 1, -1) == 1 and rounds(nan, nan, 1) == 1)
assert(rounds(1.0, 2, nan) == 0 and rounds(2.0, 1, nan) == 1)
-- Integers: a limit that is none is cut to the integers, a NaN to the least one.
assert(rounds(1, nan, 1) == 0 and rounds(1, nan, -1) == 3)
assert(rounds(1, math.huge, 1) == 3 and rounds(1, -math.huge, 1) == 0)
assert(rounds(math.mininteger, nan, -1) == 1)
print("ok")
