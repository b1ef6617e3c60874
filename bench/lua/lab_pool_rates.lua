-- The rate of other allocation drops out (experiments K6, K8): at the same gap in periods, T/G, a
-- pool has the same share of hits beside slow and fast allocation, and twice the rate halves its
-- memory. On a clock of bytes that would be true by definition, so here time is the CPU time of
-- the program, which spins between its chunks. The source has a period of 32 MiB; here it is 2, and
-- every time a sixteenth. Criteria about time decide nothing.
-- neap run --preset=go bench/lua/lab_pool_rates.lua [TRIALS]     (200: takes a minute)
-- Without --preset=go there is nothing to see: chunks die in the nursery and start no major cycle.
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local verdicts, paced_program = require "lab.verdicts", require "lab.paced_program"
local sync = require "sync"
local kTrials, kBurst, kChunkBytes, kScale = tonumber(arg[1]) or 200, 8, 8000, 16
paced_program.needs_go("K6")
neap.gc.gogc(50)  -- half of what is alive
local program = paced_program.new(4 << 20, kChunkBytes)
local clock = os.clock

-- A program that allocates `rate` MB/s; of a pool a gap, which all run in it at the same time, the
-- share of hits by T/G. Gaps begin at all phases of a period: at multiples of its golden section.
local function run(rate, ratios)
  local seconds = kChunkBytes / (rate * 1e6)  -- from chunk to chunk
  local due = clock()
  local function pass_until(time)
    while due < time do
      if clock() >= due then
        program:pass(1)
        due = due + seconds
      end
    end
    while clock() < time do end
  end
  local misses, pools, held = 0, {}, {}
  for i = 1, #ratios do
    held[i], pools[i] = {}, sync.pool{new = function()
      misses = misses + 1
      return buffer.create(4096 // kScale)
    end}
    for k = 1, kBurst do held[i][k] = pools[i]:get() end
  end
  local expected = program:period() * seconds
  due = clock()
  local hits, start, cycles = {}, clock(), program.progress()
  for trial = 1, kTrials do
    pass_until(clock() + (trial * 0.6180339887 - program.progress()) % 1 * expected)
    for i, pool in ipairs(pools) do
      for k = 1, kBurst do pool:put(held[i][k]) end
    end
    local put = clock()
    for i, pool in ipairs(pools) do
      pass_until(put + ratios[i] * expected)
      misses = 0
      for k = 1, kBurst do held[i][k] = pool:get() end
      hits[i] = (hits[i] or 0) + 1 - misses / kBurst
    end
  end
  local result = {period = (clock() - start) / (program.progress() - cycles), points = {}}
  for i, ratio in ipairs(ratios) do
    local gap = ratio * expected
    result.points[i] = {gap = gap, hits = hits[i] / kTrials, measured = gap / result.period}
  end
  return result
end
local function line(ratio) return math.max(0, math.min(1, 2 - ratio)) end

-- K6. What is compared at a T/G is corrected by the line for how far off it the gaps were.
local kRatios = {0.25, 0.6, 0.9, 1.1, 1.25, 1.4, 1.5, 1.6, 1.75, 1.9, 2.5}
local kRates = {50, 200, 800}
local runs = {}
for i, rate in ipairs(kRates) do
  runs[i] = run(rate, kRatios)
  print(string.format("K6  %3d MB/s: a period of %.1f ms   (source: %d / %d)", rate,
                      runs[i].period * 1000, ({625, 157, 39})[i], kScale))
end
print("K6   T/G  hits beside 50   200   800 MB/s   2 - T/G")
local function corrected(each, k)
  local point = each.points[k]
  return line(kRatios[k]) + point.hits - line(point.measured)
end
local again = run(800, kRatios)
-- So many trials resolve one part in so many, and two rates are compared; what two equal runs
-- differ by is the noise of the machine.
local widest, noise = 0, 2 / kTrials
for k, ratio in ipairs(kRatios) do
  local at = {}
  for i, each in ipairs(runs) do at[i] = corrected(each, k) end
  print(string.format("%9.2f%15.3f%6.3f%6.3f%15.3f", ratio, at[1], at[2], at[3], line(ratio)))
  widest = math.max(widest, math.max(table.unpack(at)) - math.min(table.unpack(at)))
  noise = math.max(noise, math.abs(at[3] - corrected(again, k)))
end
verdicts.at_most("K6", "widest spread over the three rates (source: the rate drops out)", widest,
                 0.03, noise / 0.03)

-- K8: the gap at which half of the objects come back, on a straight line by least squares.
local function half(result)
  local n, x, y, xx, xy = #result.points, 0, 0, 0, 0
  for _, point in ipairs(result.points) do
    x, y = x + point.gap, y + point.hits
    xx, xy = xx + point.gap ^ 2, xy + point.gap * point.hits
  end
  local slope = (n * xy - x * y) / (n * xx - x * x)
  return (0.5 - (y - slope * x) / n) / slope
end
local halves = {}
for i, rate in ipairs{200, 400} do
  local result = run(rate, {1.2, 1.35, 1.5, 1.65, 1.8})
  halves[i] = half(result)
  verdicts.report("K8", string.format("T at half the hits beside %d MB/s: %.2f ms, %.3f G " ..
                                      "(source: 1.5)", rate, halves[i] * 1000,
                                      halves[i] / result.period))
end
verdicts.at_most("K8", "|T at 400 MB/s / T at 200 MB/s - 0.5|",
                 math.abs(halves[2] / halves[1] - 0.5), 0.025, 2 / (5 * kTrials) / 0.025)
verdicts.finish()
