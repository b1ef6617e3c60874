-- A pool under collection (experiments G4, G5): buffers of 4 KiB, made for each use, from a pool,
-- and from a pool while a cycle is forced every millisecond. Allocations are counted by the heap
-- itself; misses without a collection are exact, times decide nothing.
-- neap run bench/lua/lab_pool_time.lua [OPERATIONS]
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local verdicts = require "lab.verdicts"
local judge = verdicts.holds
local sync = require "sync"
local kOperations = tonumber(arg and arg[1]) or 200000
local kBytes = 4096

local sink  -- what is made escapes
local function without_pool(n)
  for i = 1, n do
    sink = buffer.create(kBytes)
    buffer.writei32(sink, 0, i)
  end
end
-- With a cycle after each `period` seconds; it looks at the clock if there is none, too.
local function with_pool(pool, n, period)
  local due = os.clock() + period
  for i = 1, n do
    sink = pool:get()
    buffer.writei32(sink, 0, i)
    pool:put(sink)
    if i % 1024 == 0 and os.clock() >= due then
      neap.gc.collect()
      due = os.clock() + period
    end
  end
end

-- The row of a run: ns, bytes and objects allocated per operation.
local function measure(name, f, ...)
  neap.gc.collect()
  local before, start = neap.gc.stats(), os.clock()
  f(...)
  local nanos = (os.clock() - start) / kOperations * 1e9
  local after = neap.gc.stats()
  local row = {
    name = name, nanos = nanos, cycles = after.majors - before.majors,
    bytes = (after.alloc_bytes - before.alloc_bytes) / kOperations,
    objects = (after.alloc_objects - before.alloc_objects) / kOperations,
  }
  print(string.format("  %-16s %9.1f ns/op %9.1f B/op %6.2f allocs/op %7d cycles", name, row.nanos,
                      row.bytes, row.objects, row.cycles))
  return row
end

local made = 0
local function pool_of_buffers()
  made = 0
  return sync.pool{new = function() made = made + 1 return buffer.create(kBytes) end}
end
local fresh = measure("no pool", without_pool, kOperations)
local pooled = measure("pool", with_pool, pool_of_buffers(), kOperations, math.huge)
judge("G4", "misses without a collection: " .. made .. ", wanted 1", made == 1)
local collected = measure("pool under gc", with_pool, pool_of_buffers(), kOperations, 0.001)
judge("G4", string.format("misses in %d cycles with use between any two: %d, wanted 1",
                          collected.cycles, made), made == 1)
judge("G4", "no pool: 1 object of 4096 bytes and its header per operation",
      math.floor(fresh.objects) == 1 and fresh.bytes >= kBytes and fresh.bytes < kBytes + 128)
judge("G4", "pool: less than 1 object per 1000 operations", pooled.objects < 0.001)

-- G5: ratios of medians, each row thrice. A fast allocator needs no pool: under the defaults it is
-- a report.
local times = {{fresh.nanos}, {pooled.nanos}, {collected.nanos}}
for round = 2, 3 do
  times[1][round] = measure("no pool", without_pool, kOperations).nanos
  for i, period in ipairs{math.huge, 0.001} do
    times[i + 1][round] = measure(i == 1 and "pool" or "pool under gc", with_pool,
                                  pool_of_buffers(), kOperations, period).nanos
  end
end
local nanos, spread = {}, 0
for i, list in ipairs(times) do
  nanos[i], spread = verdicts.median(list), math.max(spread, verdicts.spread(list))
end
if neap.gc.nursery() == "off" then
  verdicts.at_least("G5", "no pool / pool (source: 51)", nanos[1] / nanos[2], 10, spread)
  verdicts.report("G5", "both rows hold the interpreter's own steps, the source's do not")
  verdicts.at_most("G5", "pool under gc / pool (source: 1.14)", nanos[3] / nanos[2], 1.5, spread)
else
  verdicts.report("G5", string.format("no pool / pool %.1f, under gc / pool %.2f",
                                      nanos[1] / nanos[2], nanos[3] / nanos[2]))
end
verdicts.finish()
