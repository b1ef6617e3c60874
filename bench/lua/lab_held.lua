-- Held bytes (experiments G10, D6, D7): an object that once grew keeps its size as long as somebody
-- uses it; a guard on the size of what is put bounds that. Criteria are exact.
-- neap run bench/lua/lab_held.lua [LARGE BYTES [CYCLES]]
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local verdicts = require "lab.verdicts"
local judge = verdicts.holds
local sync = require "sync"
local buffer = require "string.buffer"
local kLarge = tonumber(arg and arg[1]) or 40000000
local kCycles = tonumber(arg and arg[2]) or 100
local kGuard = 64 << 10
local function off_heap() return neap.gc.stats().off_heap_bytes end

-- One large use, then a small one in each cycle. The bytes outside the heap after each.
local function run(guard)
  neap.gc.collect()
  local before = off_heap()
  local pool = sync.pool{new = function() return buffer.new(4096) end,
                         reset = function(b) b:reset() end, max_item_bytes = guard}
  local b = pool:get()
  b:reserve(kLarge)
  pool:put(b)
  b = nil
  local held = {}
  for cycle = 1, kCycles do
    local small = pool:get()
    small:put(("x"):rep(1000))
    pool:put(small)
    small = nil
    neap.gc.collect()
    held[cycle] = off_heap() - before
  end
  return held
end
for id, large in pairs{G10 = kLarge} do
  local bare, guarded = run(nil), run(kGuard)
  print("  held bytes after cycle        1          2          " .. kCycles)
  for name, held in pairs{["no guard"] = bare, ["guard"] = guarded} do
    print(string.format("  %-22s%11d%11d%13d", name, held[1], held[2], held[kCycles]))
  end
  local least, most = math.huge, 0
  for cycle = 1, kCycles do
    least = math.min(least, bare[cycle])
    if cycle >= 2 then most = math.max(most, guarded[cycle]) end
  end
  judge(id, string.format("without a guard at least %d bytes stay for %d cycles: %d", large,
                          kCycles, least), least >= large)
  judge(id, string.format("with one at most %d after 2 cycles: %d", kGuard, most), most <= kGuard)
end

-- D6: nothing is held two cycles after the last put.
local pool = sync.pool()
for _ = 1, 1000 do pool:put({}) end
neap.gc.collect()
neap.gc.collect()
judge("D6", "objects held two cycles after the last put: " .. pool:stats().items_held,
      pool:stats().items_held == 0)

-- Other answers to the same question: a budget of bytes, a bound on the number.
local budget = sync.pool{retain = "bytes", budget = 1 << 20}
for _ = 1, 100 do budget:put(buffer.new(64 << 10)) end
judge("D7", "a budget of 1 MiB holds at any moment: " .. budget:stats().bytes_held,
      budget:stats().bytes_held <= 1 << 20 and budget:stats().items_held > 0)
local bounded = sync.pool{max_size = 10}
for _ = 1, 100 do bounded:put({}) end
judge("D7", "max_size=10 keeps 10 and drops 90",
      bounded:stats().items_held == 10 and bounded:stats().drops == 90)
verdicts.finish()
