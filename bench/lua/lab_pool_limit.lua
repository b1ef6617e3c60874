-- A pool close to the memory limit (experiment K16): a miss allocates, that starts collections, and
-- those cause misses. Bursts of 64 buffers come each 100 ms beside 200 MB/s; the limit goes from
-- 2.0 to 1.1 times what is alive. The clock is allocation. The source has 32 MiB alive; here it is
-- a quarter, and so is every size. How the hits fall is a shape, which decides nothing.
-- neap run --preset=go bench/lua/lab_pool_limit.lua [BURSTS]     (60)
-- Without --preset=go there is nothing to see: chunks die in the nursery and start no major cycle.
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local verdicts, paced_program = require "lab.verdicts", require "lab.paced_program"
local sync = require "sync"
local kBursts, kBurst, kChunkBytes, kScale = tonumber(arg[1]) or 60, 64, 16000, 4
paced_program.needs_go("K16")
local program = paced_program.new((32 << 20) // kScale, kChunkBytes)

-- Sets the limit so that the goal is `factor` times what is alive.
local function limit_to(factor)
  neap.gc.memory_limit("none")
  neap.gc.collect()
  if factor < 2 then program.limit_room((factor - 1) * neap.gc.stats().marked_bytes) end
end

-- The share of hits of a pool, and cycles a second; without `put` every burst is made anew.
local function run(buffer_bytes, puts)
  local made, gap_bytes = 0, 200e6 * 0.1 / kScale
  local pool = sync.pool{new = function()
    made = made + 1
    return buffer.create(buffer_bytes)
  end}
  local held, cycles = {}, neap.gc.stats().majors
  for _ = 1, kBursts do
    program:pass(gap_bytes / kChunkBytes)
    for i = 1, kBurst do held[i] = pool:get() end
    if puts then
      for i = 1, kBurst do pool:put(held[i]) end
    end
    held = {}
  end
  return 1 - made / (kBursts * kBurst), (neap.gc.stats().majors - cycles) / (kBursts * 0.1)
end

print("K16 buffers  limit / live    hits  cycles/s pooled  unpooled")
for _, kib in ipairs{4, 64, 256} do
  local falls, last = true, 1
  for _, factor in ipairs{2.0, 1.7, 1.5, 1.35, 1.2, 1.1} do
    limit_to(factor)
    local hits, pooled = run((kib << 10) // kScale, true)
    limit_to(factor)
    local _, unpooled = run((kib << 10) // kScale, false)
    print(string.format("%7d KiB%14.2f%8.3f%17.1f%10.1f", kib, factor, hits, pooled, unpooled))
    falls, last = falls and hits <= last, hits
  end
  verdicts.shape("K16", kib .. " KiB: hits never rise as the limit tightens", falls)
end
verdicts.finish()
