-- What misses cost, and what a full pool costs (experiments G8, G11): the price of an eviction is a
-- call of `new`, however dear that is; a pool full of objects is work for every collection that
-- marks them. Numbers of misses are exact, times (CPU) and the shape of marking decide nothing.
-- Stealing, the other half of G11, needs several Ps: neap lab G11.
-- neap run --preset=go bench/lua/lab_miss_costs.lua [PAIRS [OBJECTS]]     (60 1000000)
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local verdicts, sync = require "lab.verdicts", require "sync"
local kPairs, kObjects = tonumber(arg[1]) or 60, tonumber(arg[2]) or 1000000
local kRounds, kLevels = 3, 8
neap.gc.gogc("off")  -- only the cycles that are asked for
neap.gc.collect()

-- G8: two cycles, then a get and a put: a miss each time. `new` is dear in every second pair, so
-- that whatever changes during the run meets both kinds alike.
local function pairs_with(cost)
  local is_dear, misses, costs, times = false, 0, {}, {[true] = {}, [false] = {}}
  local pool = sync.pool{new = function()
    misses = misses + 1
    local start = os.clock()
    while is_dear and os.clock() - start < cost do end
    if is_dear then costs[#costs + 1] = os.clock() - start end
    return buffer.create(4096)
  end}
  pool:put(pool:get())
  misses = 0
  for i = 1, 2 * kPairs do
    is_dear = i % 2 == 1
    local start = os.clock()
    neap.gc.collect()
    neap.gc.collect()
    pool:put(pool:get())
    local list = times[is_dear]
    list[#list + 1] = os.clock() - start
  end
  table.sort(times[false])
  local quartiles = times[false][kPairs * 3 // 4 + 1] - times[false][kPairs // 4 + 1]
  local lost = verdicts.median(times[true]) - verdicts.median(times[false])
  local taken = #costs > 0 and verdicts.median(costs) or cost
  return misses / (2 * kPairs), lost / taken, quartiles / taken
end
for _, cost in ipairs{1e-5, 1e-4, 1e-3, 1e-2} do
  local misses, ratio, noise = pairs_with(cost)
  local name = string.format("new of %g us", cost * 1e6)
  verdicts.equal("G8", name .. ": misses in a pair of cycles", misses, 1.0)
  verdicts.at_most("G8", string.format("%s: |lost time / (misses x cost) - 1| (ratio %.3f)", name,
                                       ratio), math.abs(ratio - 1), 0.05, noise / 0.05)
end

-- G11: the time of a cycle, by objects in a pool. They are old when it begins.
local function mark_ms(count)
  local pool = sync.pool()
  for i = 1, count do pool:put({i}) end
  neap.gc.minor()
  local before = neap.gc.stats().gc_cpu_ns
  neap.gc.collect()
  return (neap.gc.stats().gc_cpu_ns - before) / 1e6
end
print("G11   objects  ms of a cycle")
local n, x, y, xx, xy, yy = 0, 0, 0, 0, 0, 0
for level = 0, kLevels do
  local count, times = kObjects * level // kLevels, {}
  for round = 1, kRounds do times[round] = mark_ms(count) end
  local ms = math.min(table.unpack(times))  -- other programs only add to it
  print(string.format("%13d%15.2f", count, ms))
  n, x, y = n + 1, x + count, y + ms
  xx, xy, yy = xx + count ^ 2, xy + count * ms, yy + ms ^ 2
end
local r2 = (n * xy - x * y) ^ 2 / ((n * xx - x * x) * (n * yy - y * y))
verdicts.shape("G11", string.format("time over objects is a line: R^2 %.4f, at least 0.98", r2),
               r2 >= 0.98)
verdicts.finish()
