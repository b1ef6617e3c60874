-- ring.lua SLOTS PUSHES: a ring of 1 KiB strings; each push makes one and drops the oldest.
-- Prints one RESULT line: times of pushes, the sum of what was read back. A message ends in its
-- number, because equal strings would be one string where all are interned.
local slots, pushes = tonumber((...)), tonumber((select(2, ...)))
local clock, byte, rep, char, format = os.clock, string.byte, string.rep, string.char, string.format
local ring, times, sum = {}, {}, 0
for i = 0, pushes - 1 do
  local start = clock()
  local message = rep(char(i % 128), 1016) .. format("%8d", i)
  local at = i % slots + 1
  local old = ring[at]
  if old then sum = sum + byte(old, i % 1016 + 1) end
  ring[at] = message
  times[i + 1] = clock() - start
end
table.sort(times)
local function at(fraction) return times[math.min(pushes, math.floor(fraction * pushes) + 1)] end
print(string.format("RESULT p50_us=%.3f p999_us=%.3f worst_ms=%.4f chk=%.0f", at(.5) * 1e6,
                    at(.999) * 1e6, times[pushes] * 1e3, sum))
