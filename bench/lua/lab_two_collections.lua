-- A pool remembers two collections (experiments K1, K5, K11, K14, K15). Bursts of 64 buffers come a
-- gap apart, and other allocation sets the pace of the collector. The source claims that the share
-- of hits falls with the gap on a straight line, from all at one period between collections to none
-- at two. Here the clock is allocation: a tick is a byte, so that a run is the same on any machine.
-- Live are 8 MiB, of the source's 32. Exact criteria, and bounds on counts.
-- neap run --preset=go bench/lua/lab_two_collections.lua [TRIALS]
-- Without --preset=go chunks die in the nursery and start no major cycle: a finding, shown beside.
-- K2, K3 and K12 need several Ps, and a script has one: neap lab K2 K3 K12.
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local verdicts = require "lab.verdicts"
local judge = verdicts.holds
local paced_program, sync = require "lab.paced_program", require "sync"
local kTrials = tonumber(arg and arg[1]) or 300
local kBurst, kBufferBytes, kChunkBytes, kLiveBytes = 64, 1024, 16000, 8 << 20
local kRatios = {0.05, 0.25, 0.6, 0.9, 1.1, 1.25, 1.4, 1.5, 1.6, 1.75, 1.9, 2.5}
local kBound = kTrials >= 300 and 0.01 or 0.03  -- the source's 60 trials a point met 0.03

local program = paced_program.new(kLiveBytes, kChunkBytes)
local progress = program.progress
local function pass(chunks) program:pass(chunks) end

-- Calls `f`; the bytes that are allocated in a period meanwhile, and what it returns.
local function period_bytes(f, ...)
  local cycles_before, bytes_before = progress()
  local result = f(...)
  local cycles, bytes = progress()
  return (bytes - bytes_before) / (cycles - cycles_before), result
end
-- Major cycles so far. The table of stats may start one itself: then the bytes in use fall.
local function cycles()
  local used, majors
  repeat
    used, majors = collectgarbage("count"), neap.gc.stats().majors
  until collectgarbage("count") > used
  return majors
end

-- 64 buffers are out at the same time.
local held = {}
local function take(pool)
  local misses = pool:stats().misses
  for i = 1, kBurst do held[i] = pool:get() end
  return pool:stats().misses - misses
end
local function give(pool)
  for i = 1, kBurst do
    pool:put(held[i])
    held[i] = nil
  end
end
local function pool_of_buffers(options)
  options = options or {}
  options.new = function() return buffer.create(kBufferBytes) end
  return sync.pool(options)
end

print("K1  misses of 64 with k forced cycles between bursts")
local gogc = neap.gc.gogc("off")
local source = {[0] = "about 0", "a few", "64", "not run"}
for k = 0, 3 do
  local pool, misses, bursts = pool_of_buffers(), 0, 20
  take(pool)
  give(pool)
  for _ = 1, bursts do
    for _ = 1, k do neap.gc.collect() end
    misses = misses + take(pool)
    give(pool)
  end
  local wanted = k < 2 and 0 or kBurst
  judge("K1", string.format("k=%d: %g misses per burst, wanted %d (source: %s)", k, misses / bursts,
                            wanted, source[k]), misses == wanted * bursts)
end
neap.gc.gogc(gogc)

-- Gaps of `chunks`, which begin at all phases of the period evenly: at multiples of its golden
-- section.
local against = {}  -- hits by cycles in the gap: against[0], [1], [2 or more]
local function hit_rate(pool, chunks, period)
  local misses = 0
  for trial = 1, kTrials do
    take(pool)
    pass((trial * 0.6180339887 - progress()) % 1 * period)
    local before = cycles()
    give(pool)
    pass(chunks)
    local missed = take(pool)
    local between = math.min(neap.gc.stats().majors - before, 2)
    give(pool)
    misses = misses + missed
    local seen = against[between] or {hits = 0, misses = 0}
    seen.hits, seen.misses = seen.hits + kBurst - missed, seen.misses + missed
    against[between] = seen
  end
  return 1 - misses / (kTrials * kBurst)
end

if neap.gc.nursery() ~= "off" then
  local before = neap.gc.stats().majors
  pass(20 * #program.live)
  verdicts.report("K5", "major cycles under the defaults in 20 periods of --preset=go: " ..
                  neap.gc.stats().majors - before .. ", and only these age a pool")
else
  local _, bytes = progress()
  pass(1000)
  local chunk_bytes = (select(2, progress()) - bytes) / 1000
  local period = period_bytes(pass, 5000) / chunk_bytes
  print(string.format("K5  the gap T in periods G of %.0f chunks, %d trials each", period, kTrials))
  print("       T/G  measured    hits  2 - T/G  difference  K14: budget")
  local plain, budget = pool_of_buffers(), pool_of_buffers{retain = "bytes", budget = 128 << 10}
  local worst, edge, kept = 0, 0, 1
  for _, ratio in ipairs(kRatios) do
    local mean, hits = period_bytes(hit_rate, plain, ratio * period, period)
    local measured = ratio * period * chunk_bytes / mean
    local predicted = math.max(0, math.min(1, 2 - measured))
    local remembered = against
    against = {}
    local retained = hit_rate(budget, ratio * period, period)
    against = remembered
    print(string.format("%10.2f%10.3f%8.4f%9.4f%12.4f%13.4f", ratio, measured, hits, predicted,
                        hits - predicted, retained))
    worst, kept = math.max(worst, math.abs(hits - predicted)), math.min(kept, retained)
    if ratio <= 0.05 then edge = hits end
  end
  judge("K5", string.format("largest difference from the line %.4f, at most %.2f (source: 0.03)",
                            worst, kBound), worst <= kBound)
  judge("K15", string.format("hits at T/G = 0.05 %.4f, at least 0.999", edge), edge >= 0.999)
  print("K11 objects by the cycles that started between their put and their get")
  for between = 0, 2 do
    local seen = against[between] or {hits = 0, misses = 0}
    local cycles_text = between .. (between == 2 and " or more" or "")
    judge("K11", string.format("%s: %d hits, %d misses", cycles_text, seen.hits, seen.misses),
          (between < 2 and seen.misses or seen.hits) == 0 and seen.hits + seen.misses > 0)
  end
  judge("K14", string.format("with a budget of bytes the worst hit rate is %.4f, at least 0.99",
                             kept), kept >= 0.99)
end
verdicts.finish()
