-- Eviction by the collector (experiments G1, G2, G3, G6, G7): what a pool still has after k cycles,
-- what use between cycles changes, and what eviction costs. Counts are exact. G6's worker that
-- moves from one P to another needs several: neap lab G6.
-- neap run bench/lua/lab_eviction.lua [OBJECTS]
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local verdicts = require "lab.verdicts"
local judge = verdicts.equal
local sync = require "sync"
local kObjects = tonumber(arg and arg[1]) or 100
neap.gc.gogc("off")  -- only the cycles that are asked for

-- G1: n objects are put, k cycles run, n gets: survives one cycle, gone after the second.
print("G1  the eviction cliff: misses of n gets after k forced cycles")
print("         n     k=0     k=1     k=2     k=3")
local function misses_after(n, cycles)
  local pool = sync.pool{name = "cliff", new = function() return {} end}
  for i = 1, n do pool:put({i}) end
  for _ = 1, cycles do neap.gc.collect() end
  local before = pool:stats().misses
  for _ = 1, n do pool:get() end
  return pool:stats().misses - before
end
for _, n in ipairs{1, 7, 8, 9, kObjects, 100000} do
  local row = {}
  for k = 0, 3 do row[k] = misses_after(n, k) end
  print(string.format("  %8d%8d%8d%8d%8d", n, row[0], row[1], row[2], row[3]))
  judge("G1", "n=" .. n .. ", k=0 and 1", row[0] + row[1], 0)
  judge("G1", "n=" .. n .. ", k=2 and 3", row[2] + row[3], 2 * n)
end

-- G2: a get and a put between any two cycles keep it for ever; two cycles without use empty it.
print("G2  one get and put between cycles")
local made = 0
local pool = sync.pool{name = "touched", new = function() made = made + 1 return {} end}
pool:put(pool:get())
for _ = 1, 1000 do
  neap.gc.collect()
  pool:put(pool:get())
end
judge("G2", "objects made in 1000 cycles, used in each", made, 1)
judge("G6", "misses of a worker that stays in these (source: one in 2.17 cycles)", made, 1)
made = 0
for _ = 1, 100 do
  neap.gc.collect()
  neap.gc.collect()
  pool:put(pool:get())
end
judge("G2", "objects made in 100 rounds of two idle cycles", made, 100)

-- G3: keeping nothing over a cycle (Go before 1.13) against one cycle of grace, the same work.
print("G3  retention: flush against victim, one use per cycle")
for retain, wanted in pairs{flush = 101, victim = 1} do
  local count = 0
  local policy = sync.pool{retain = retain, new = function() count = count + 1 return {} end}
  policy:put(policy:get())
  for _ = 1, 100 do
    neap.gc.collect()
    policy:put(policy:get())
  end
  judge("G3", "objects made with retain=" .. retain .. " in 100 cycles", count, wanted)
end

-- The server that the source quotes: a cycle empties what it pools after every other use.
for retain, bounds in pairs{flush = {0, 0.6}, victim = {0.99, 1}} do
  local count = 0
  local policy = sync.pool{retain = retain, new = function() count = count + 1 return {} end}
  for _ = 1, 1000 do
    policy:put(policy:get())
    policy:put(policy:get())
    neap.gc.collect()
  end
  verdicts.within("G3", "share of hits with retain=" .. retain .. " (source: 0.5 with flush)",
                  1 - count / 2000, bounds[1], bounds[2])
end

-- G7: the price of an eviction is one `new` for each object that was held.
print("G7  refills after two idle cycles")
for _, held in ipairs{1, 4, 12} do
  made = 0
  local refilled = sync.pool{new = function() made = made + 1 return {} end, prewarm = held}
  local out = {}
  neap.gc.collect()
  neap.gc.collect()
  made = 0
  for i = 1, held do out[i] = refilled:get() end
  judge("G7", "calls of new for " .. held .. " held objects", made, held)
end
verdicts.finish()
