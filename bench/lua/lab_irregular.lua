-- Irregular collections and rare requests (experiments K13, G9). The line of
-- lab_two_collections.lua has two corners because steady allocation spaces collections evenly; with
-- uneven periods the share of hits is that of gaps with at most one collection. And the source's
-- claim that a pool with 20 requests a cycle is as often cold as warm. The clock counts periods:
-- within one, time passes with allocation, and how long it takes is drawn anew for each. Bounds on
-- counts.
-- neap run --preset=go bench/lua/lab_irregular.lua [TRIALS [REQUESTS]]     (2500 4000)
-- Without --preset=go there is nothing to see: chunks die in the nursery and start no major cycle.
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local verdicts, paced_program = require "lab.verdicts", require "lab.paced_program"
local sync = require "sync"
local kTrials, kRequests = tonumber(arg[1]) or 2500, tonumber(arg[2]) or 4000
local kRatios = {0.8, 1.3, 2.0}
paced_program.needs_go("K13")

neap.gc.gogc(25)  -- a period is a quarter of what is alive: 1 MiB
local program = paced_program.new(4 << 20, 4000)
local misses = 0
local function pool_of_buffers()
  misses = 0
  return sync.pool{new = function() misses = misses + 1 return buffer.create(1024) end}
end
local function exponential() return -math.log(1 - math.random()) end

-- Lets `time` pass, in mean periods. `draw` says how long the next period takes; of its chunks an
-- equal share is allocated in any moment, but for the last few, which only its end allocates: the
-- heap's stats are not read then, because that allocates.
local cycles, drawn = 0, 0
local watch <close> = neap.gc.on_cycle(function() cycles = cycles + 1 end)
local function clock(draw)
  local rest, left = draw(), math.huge
  return function(time)
    while time >= rest do
      time = time - rest
      local before = cycles
      while cycles == before do program:pass(1) end
      rest, drawn, left = draw(), drawn + 1, math.huge
    end
    if left > 10 then
      left = program:left() - 10
      program:pass(left * time / rest)
      left = left * (1 - time / rest)
    end
    rest = rest - time
  end
end

-- The hits of objects that come back after each of the gaps. A trial begins at a moment that knows
-- nothing of the period it falls into.
local function hit_rates(draw)
  math.randomseed(12345)
  local pass, pools, hits = clock(draw), {}, {}
  for i = 1, #kRatios do pools[i], hits[i] = pool_of_buffers(), 0 end
  local objects = {}
  for i, pool in ipairs(pools) do objects[i] = pool:get() end
  for _ = 1, kTrials do
    pass(exponential())
    for i, pool in ipairs(pools) do pool:put(objects[i]) end
    for i, pool in ipairs(pools) do
      pass(kRatios[i] - (kRatios[i - 1] or 0))
      local before = misses
      objects[i] = pool:get()
      hits[i] = hits[i] + 1 - (misses - before)
    end
  end
  for i = 1, #hits do hits[i] = hits[i] / kTrials end
  return hits
end

-- Erlang's distribution: the mean of so many exponential draws; one is a Poisson process. P(it is
-- at most t).
local function at_most(stages, t)
  local x = stages * math.max(t, 0)
  local term, above = math.exp(-x), 0
  for i = 1, stages do
    above = above + term
    term = term * x / i
  end
  return 1 - above
end
-- P(at most one collection in a gap): that the rest of a period and the next one are longer. The
-- rest has the density P(a period is longer).
local function predicted(stages, gap)
  if not stages then return math.max(0, math.min(1, 2 - gap)) end
  local kSteps, missed = 2000, 0
  for i = 1, kSteps do
    local rest = (i - 0.5) * gap / kSteps
    missed = missed + (1 - at_most(stages, rest)) * at_most(stages, gap - rest) * gap / kSteps
  end
  return 1 - missed
end

print(string.format("K13  share of hits with uneven periods, %d trials", kTrials))
for _, row in ipairs{{"even periods"}, {"c = 0.2", 25}, {"c = 0.5", 4}, {"Poisson, c = 1", 1}} do
  local name, stages = row[1], row[2]
  local rates = hit_rates(function()
    if not stages then return 1 end
    local sum = 0
    for _ = 1, stages do sum = sum + exponential() end
    return sum / stages
  end)
  for i, ratio in ipairs(kRatios) do
    local wanted = predicted(stages, ratio)
    verdicts.holds("K13", string.format("%s, T/G = %.1f: %.4f, P(N <= 1) %.4f, within 0.03", name,
                                        ratio, rates[i], wanted),
                   math.abs(rates[i] - wanted) <= 0.03)
  end
end

verdicts.equal("K13", "cycles that did not start at the drawn moments", cycles - drawn, 0)

-- G9: 200 requests a second, a collection each 100 ms.
print(string.format("G9  %d requests of one buffer, 20 in a period", kRequests))
local function serve(gap)
  math.randomseed(12345)
  local pool, before = pool_of_buffers(), cycles
  local pass = clock(function() return 1 end)
  for _ = 1, kRequests do
    pass(gap() / 20)
    pool:put(pool:get())
  end
  return misses, kRequests / (cycles - before)
end
local missed, a_cycle = serve(function() return 1 end)
verdicts.equal("G9", "regular requests: misses, the cold one among them (source: half)", missed, 1)
verdicts.within("G9", "regular requests in a cycle (source: about 20)", a_cycle, 19, 22)
missed = serve(exponential)
verdicts.report("G9", string.format("random requests: hit rate %.4f (source claims 0.5)",
                                    1 - missed / kRequests))
verdicts.report("G9", "refuted: a gap is 0.05 of a period, an object is lost when two fall into it")
verdicts.finish()
