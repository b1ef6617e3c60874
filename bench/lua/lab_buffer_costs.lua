-- What pooling a buffer saves (experiments D3, D4, D5, D12, D13): an empty buffer that grows to
-- 4 KiB is seven allocations, a pooled one none; the larger the object the larger the saving; and a
-- service that spends a few percent on collections has little to win. Counts are strict; times
-- (CPU) decide nothing. D4's ten threads need several processors: neap lab D4.
-- neap run --preset=go bench/lua/lab_buffer_costs.lua [REQUESTS]     (100000)
-- Under the defaults, too: what dies young starts no major cycle there.
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local verdicts, paced_program = require "lab.verdicts", require "lab.paced_program"
local sync = require "sync"
local kRequests = tonumber(arg[1]) or 100000
local kRounds = 5

-- 512 writes of 8 bytes into `bytes`, which doubles when it is full; from nothing, if it is nil.
-- What it has become.
local function fill(bytes)
  local size, capacity = 0, bytes and #bytes or 0
  for i = 1, 512 do
    if size == capacity then
      capacity = math.max(64, 2 * capacity)
      local larger = buffer.create(capacity)
      if bytes then buffer.copy(larger, 0, bytes) end
      bytes = larger
    end
    buffer.writef64(bytes, size, i)
    size = size + 8
  end
  return bytes
end
local sink  -- what is made escapes
local function fresh(n)
  for _ = 1, n do sink = fill() end
end
local payloads = sync.pool{new = function() return buffer.create(64) end}
local function pooled(n)
  for _ = 1, n do payloads:put(fill(payloads:get())) end
end

-- What `f` adds to the counters of the heap; the table of stats itself is taken off.
local function counted(f, ...)
  neap.gc.stats()
  local before = neap.gc.stats()
  local between = neap.gc.stats()
  f(...)
  local after = neap.gc.stats()
  local grown = {}
  for name in pairs(after) do
    grown[name] = after[name] - between[name] - (between[name] - before[name])
  end
  return grown
end

-- D3
local gogc = neap.gc.gogc("off")
pooled(1)
local header = counted(buffer.create, 64).alloc_bytes - 64
local grown = counted(fresh, 1)
verdicts.equal("D3", "objects allocated by a buffer that grows (source: 7)", grown.alloc_objects, 7)
verdicts.equal("D3", "bytes of these without 7 headers of " .. header .. " (source: 8,128)",
               grown.alloc_bytes - 7 * header, 8128)
grown = counted(pooled, 1)
verdicts.equal("D3", "objects allocated with a pooled buffer (source: 0)", grown.alloc_objects, 0)
verdicts.equal("D3", "bytes", grown.alloc_bytes, 0)
neap.gc.gogc(gogc)

-- Nanoseconds a call of two functions that take turns: medians, and the wider spread.
local function compare(n, first, second)
  local times = {{}, {}}
  for round = 1, kRounds do
    for i, f in ipairs{first, second} do
      local start = os.clock()
      f(n)
      times[i][round] = (os.clock() - start) / n * 1e9
    end
  end
  return verdicts.median(times[1]), verdicts.median(times[2]),
         math.max(verdicts.spread(times[1]), verdicts.spread(times[2]))
end

-- D4
local fresh_ns, pooled_ns, spread = compare(kRequests // 20, fresh, pooled)
print(string.format("D4  fresh %.0f ns, pooled %.0f   (source: 2,297 and 1,318)", fresh_ns,
                    pooled_ns))
verdicts.at_least("D4", "fresh / pooled, one thread (source: 1.7)", fresh_ns / pooled_ns, 1, spread)

-- D5: an object is had, and its first and last bytes are written.
print("D5    bytes  fresh, ns  pooled, ns  pooled / fresh")
local crossover, smallest, largest, smallest_spread, largest_spread
for _, bytes in ipairs{16, 64, 256, 1024, 4096, 16384, 65536} do
  local objects = sync.pool{new = function() return buffer.create(bytes) end}
  local function touch(object)
    buffer.writei32(object, 0, bytes)
    buffer.writei32(object, bytes - 4, bytes)
    sink = object
  end
  local operations = math.max(100, kRequests // (1 + bytes // 512))
  local made_ns, reused_ns, sizes_spread = compare(operations,
    function(n)
      for _ = 1, n do touch(buffer.create(bytes)) end
    end,
    function(n)
      for _ = 1, n do
        local object = objects:get()
        touch(object)
        objects:put(object)
      end
    end)
  largest, largest_spread = reused_ns / made_ns, sizes_spread
  smallest, smallest_spread = smallest or largest, smallest_spread or sizes_spread
  if largest < 0.8 then crossover = crossover or bytes end
  print(string.format("%11d%11.0f%12.0f%16.2f", bytes, made_ns, reused_ns, largest))
end
verdicts.at_least("D5", "pooled / fresh, 16 bytes (source: nothing to save)", smallest, 0.8,
                  smallest_spread)
if smallest < 0.8 then
  verdicts.report("D5", "here a pool saves even that: a buffer is a userdata, and making one of " ..
                  "any size costs more than a get and a put")
end
verdicts.at_most("D5", "pooled / fresh, 64 KiB (source: much)", largest, 0.5, largest_spread)
verdicts.report("D5", "smallest size at which a pool saves a fifth: " .. (crossover or "none"))

-- D12: collections of a service over 8 MiB of live data, a buffer a request.
local function collections(f)
  local grown = counted(f, kRequests)
  return grown.minors + grown.majors
end
local program <const> = paced_program.new(8 << 20, 4000)
local before, after = collections(fresh), collections(pooled)
local what = string.format("collections in %d requests: pooled %d, fresh %d", kRequests, after,
                           before)
if neap.gc.nursery() == "off" then
  verdicts.holds("D12", what .. "; at most 5 %", before > 0 and after <= 0.05 * before)
else
  verdicts.report("D12", what .. " (minor ones)")
end

-- D13: a buffer of 4 KB and some work a request, over many small live objects.
local small = table.create(200000)
for i = 1, 200000 do small[i] = {i} end
local function work(object)
  local hash = 1
  for i = 0, 999 do
    hash = (hash * 6364136223846793005 + i) & 0xffffffff
    buffer.writei32(object, i * 4, hash)
  end
  sink = object
end
local buffers = sync.pool{new = function() return buffer.create(4080) end}
local shares, runs = {{}, {}}, 0
local function serve(get, put)
  return function(n)
    local start, gc = os.clock(), neap.gc.stats().gc_cpu_ns
    for _ = 1, n do
      local object = get()
      work(object)
      put(object)
    end
    local list = shares[runs % 2 + 1]
    list[#list + 1] = (neap.gc.stats().gc_cpu_ns - gc) / (os.clock() - start) / 1e7
    runs = runs + 1
  end
end
fresh_ns, pooled_ns, spread = compare(kRequests // 10,
  serve(function() return buffer.create(4080) end, function() end),
  serve(function() return buffers:get() end, function(object) buffers:put(object) end))
local share, gain = verdicts.median(shares[1]), 100 * (1 - pooled_ns / fresh_ns)
verdicts.shape("D13", string.format("CPU time won %.1f %%, at most the %.1f %% of collections " ..
                                    "and 5 (with the pool %.1f %%; spread %.0f %%)", gain, share,
                                    verdicts.median(shares[2]), 100 * spread), gain <= share + 5)
verdicts.finish()
