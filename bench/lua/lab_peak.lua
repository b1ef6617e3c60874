-- What is kept for a peak (experiments B18, B19): a free list is as large as the worst moment was,
-- for ever; a pool that the collector empties forgets it after two cycles; so do columns that are
-- made anew. Counts and bytes of live objects are exact, or bounds.
-- neap run bench/lua/lab_peak.lua [PEAK]     (the source's peak is 300,000)
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local verdicts = require "lab.verdicts"
local judge = verdicts.holds
local sync = require "sync"
local kPeak = tonumber(arg and arg[1]) or 300000
local function bullet() return {x = 0.5, y = 0.5, vx = 0.5, vy = 0.5, ttl = 20, damage = 1} end
local function live_bytes()
  neap.gc.collect()
  local stats = neap.gc.stats()
  return stats.marked_bytes + stats.off_heap_bytes
end

-- `count` bullets are alive at once and then all free.
local function burst(count, put)
  local live = table.create(count)
  for i = 1, count do live[i] = bullet() end
  for i = 1, count do put(live[i]) end
end
local function free_list(count)
  local free = table.create(count)
  burst(count, function(b) free[#free + 1] = b end)
  return free
end

-- B18: bytes that a free list holds for a peak, and for a tenth of it.
local function held_bytes(count)
  local before = live_bytes()
  local free = free_list(count)
  local held = live_bytes() - before
  assert(#free == count)
  return held
end
held_bytes(kPeak)
local peak, steady = held_bytes(kPeak), held_bytes(kPeak // 10)
print(string.format("B18  free list of %d: %.2f MiB, %.1f bytes each (source: 300,000, 22.9, 80)",
                    kPeak, peak / (1 << 20), peak / kPeak))
judge("B18", string.format("held for the peak / for a tenth: %.2f, 9.9 to 10.1", peak / steady),
      peak / steady >= 9.9 and peak / steady <= 10.1)
local before = live_bytes()
local kTypes = {x = "f64", y = "f64", vx = "f64", vy = "f64", ttl = "i32", damage = "i32"}
local columns = soa.new(kTypes, kPeak)
local typed = live_bytes() - before
judge("B18", string.format("columns for the peak: %.1f bytes a bullet, 40 to 42", typed /
                           columns:capacity()),
      typed >= 40 * columns:capacity() and typed <= 42 * columns:capacity())

-- B19: the same burst through a free list and a pool, two cycles later.
local pool = sync.pool{new = bullet}
local free = free_list(kPeak)
burst(kPeak, function(b) pool:put(b) end)
local after_burst = pool:stats()
neap.gc.collect()
neap.gc.collect()
local after_cycles = pool:stats()
judge("B19", string.format("the pool held %d, and holds %d after two cycles, wanted 0",
                           after_burst.items_held, after_cycles.items_held),
      after_cycles.items_held == 0)
judge("B19", string.format("objects that the pool accounts for: %d, wanted %d",
                           after_cycles.evictions, kPeak), after_cycles.evictions == kPeak)
judge("B19", string.format("the free list still holds %d, wanted %d", #free, kPeak), #free == kPeak)
verdicts.finish()
