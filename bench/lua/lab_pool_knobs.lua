-- What moves the line of lab_two_collections.lua (experiments K4, K7, K9, K10): the rate of other
-- allocation, GOGC, the memory limit. Nothing about the pool changes, only how often the collector
-- runs. The source's program has 32 MiB alive; here it is a quarter, and so is every gap. The clock
-- is allocation: "200 MB/s for 100 ms" is a number of bytes. Bounds on counts.
-- neap run --preset=go bench/lua/lab_pool_knobs.lua [TRIALS]
-- Without --preset=go there is nothing to see: chunks die in the nursery and start no major cycle.
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local verdicts = require "lab.verdicts"
local judge = verdicts.holds
local paced_program, sync = require "lab.paced_program", require "sync"
local kTrials = tonumber(arg and arg[1]) or 100
local kBurst, kBufferBytes, kChunkBytes, kScale = 64, 1024, 16000, 4
paced_program.needs_go("K7")

local program = paced_program.new((32 << 20) // kScale, kChunkBytes)
local progress, room = program.progress, program.room
local function pass(bytes) program:pass(bytes // kChunkBytes) end

-- Bytes that are allocated from one cycle to the next.
local function period_bytes()
  local bytes, cycles = neap.gc.stats().alloc_bytes, progress()
  pass(10 * room())
  return (neap.gc.stats().alloc_bytes - bytes) / (progress() - cycles)
end
-- The share of hits of bursts that come `gap` bytes after their buffers were put, at all phases.
local function hit_rate(gap, period)
  local pool = sync.pool{new = function() return buffer.create(kBufferBytes) end}
  local held, misses = {}, 0
  local function take()
    local before = pool:stats().misses
    for i = 1, kBurst do held[i] = pool:get() end
    return pool:stats().misses - before
  end
  local function give()
    for i = 1, kBurst do pool:put(held[i]) end
  end
  for trial = 1, kTrials do
    take()
    pass((trial * 0.6180339887 - progress()) % 1 * period)
    give()
    pass(gap)
    misses = misses + take()
    give()
  end
  return 1 - misses / (kTrials * kBurst)
end
local function bytes_of(rate, ms) return rate * 1000 * ms / kScale end

local period = period_bytes()
judge("K4", string.format("the period over goal - live: %.3f, 0.9 to 1.1 (source: 0.93 of live)",
                          period / room()), period / room() >= 0.9 and period / room() <= 1.1)
print("       MB/s  gap, ms  period, ms     T/G    hits  source")
local function row(rate, ms, source)
  local rate_period = period_bytes()
  local hits = hit_rate(bytes_of(rate, ms), rate_period)
  print(string.format("%11d%9d%12.1f%8.2f%8.3f  %s", rate, ms, rate_period / bytes_of(rate, 1),
                      bytes_of(rate, ms) / rate_period, hits, source))
  return hits, rate_period
end
local function judge_hits(id, what, hits, least, most)
  judge(id, string.format("hit rate %s: %.3f, %.2f to %.2f", what, hits, least, most),
        hits >= least and hits <= most)
end

-- K7: the same gap of the same pool, beside a program that allocates slowly or fast.
judge_hits("K7", "beside 50 MB/s", row(50, 200, "0.99"), 0.98, 1)
row(200, 200, "")
judge_hits("K7", "beside 800 MB/s", row(800, 200, "0"), 0, 0.01)

-- K10: four times the growth between cycles, four times the period.
local hits, narrow = row(200, 400, "0")
judge_hits("K10", "with GOGC=100", hits, 0, 0)
neap.gc.gogc(400)
neap.gc.collect()
local wide
hits, wide = row(200, 400, "0.99, GOGC=400: 632 ms")
judge_hits("K10", "with GOGC=400", hits, 0.98, 1)
judge("K10", string.format("the period grows %.2f times, 3.8 to 4.2 (source: 4.0)", wide / narrow),
      wide / narrow >= 3.8 and wide / narrow <= 4.2)
neap.gc.gogc(100)
neap.gc.collect()

-- K9: a limit that leaves 2.4 MiB (of the source's 32) between live heap and goal.
judge_hits("K9", "without a limit", row(200, 100, "0.992"), 0.98, 1)
local limit = program.limit_room(2.4 / kScale * (1 << 20))
local limited = period_bytes() / room()
judge("K9", string.format("period over goal - live under it: %.2f, 0.9 to 1.1", limited),
      limited >= 0.9 and limited <= 1.1)
local live_mib = neap.gc.stats().marked_bytes / (1 << 20)
hits = row(200, 100, string.format("0, limit %.1f MiB over %.1f", limit / (1 << 20), live_mib))
judge_hits("K9", "under the limit", hits, 0, 0.01)
verdicts.finish()
