-- expect: ok
-- sync.pool: what get and put promise, options good and bad, the life of what is in it.
local sync = require "sync"
assert(sync == _G.sync)

-- With a cycle at any allocation nothing can be said of what pools keep; only that what they hand out
-- is whole, and that nothing is lost count of.
if (os.getenv("NEAP_DEBUG") or ""):find("stress-major", 1, true) then
  local evicted = 0
  local pool = sync.pool{new = function() return {1, {2}} end, reset = function(x) x[2] = {2} end,
                         on_evict = function(x) evicted = evicted + x[1] end}
  for i = 1, 500 do
    local x, y = pool:get(), pool:get()
    assert(x ~= y and x[1] == 1 and x[2][1] == 2 and y[2][1] == 2)
    pool:put(x)
    if i % 3 ~= 0 then pool:put(y) end
  end
  pool:close()
  collectgarbage()
  local stats = pool:stats()
  assert(evicted == stats.evictions and stats.puts + stats.misses - stats.gets == evicted)
  print("ok")
  os.exit(true, true)
end

local function fails(wanted, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok, "no error, expected: " .. wanted)
  assert(tostring(message):find(wanted, 1, true), message)
end

-- Without `new` a miss is nil; objects come back.
do
  local pool = sync.pool()
  assert(pool:get() == nil)
  local a, b = {}, {}
  pool:put(a)
  pool:put(b)
  local x, y = pool:get(), pool:get()
  assert(x ~= y and (x == a or x == b) and (y == a or y == b) and pool:get() == nil)
  local stats = pool:stats()
  assert(stats.gets == 4 and stats.puts == 2 and stats.misses == 2 and stats.items_held == 0)
  assert(tostring(pool):find("^sync.pool %(pool%): 0x"))
end

-- `new`, many objects, and every kind of object.
do
  local made = 0
  local pool = sync.pool{name = "bullets", new = function() made = made + 1 return {made} end}
  assert(pool:get()[1] == 1 and pool:get()[1] == 2 and made == 2)
  for i = 1, 1000 do pool:put({i}) end
  local seen = {}
  for _ = 1, 1000 do
    local x = pool:get()
    assert(not seen[x])
    seen[x] = true
  end
  assert(pool:stats().items_held == 0 or pool:stats().misses > 2)
  local thread = coroutine.create(print)
  for _, x in ipairs{print, function() end, thread, io.stdout} do
    local one = sync.pool()
    one:put(x)
    assert(one:get() == x)
  end
end

-- What is no object is refused, and the pool is as it was.
do
  local pool = sync.pool()
  for _, x in ipairs{1, 1.5, "text", true, false, 1 << 60} do
    fails("(object (table, userdata, function or thread) expected, got", pool.put, pool, x)
  end
  fails("got nil", function() pool:put(nil) end)
  fails("got no value", function() pool:put() end)
  fails("sync.pool expected", pool.get, {})
  fails("sync.pool expected", pool.put, io.stdout, {})
  assert(pool:stats().puts == 0 and pool:get() == nil)
end

-- The collector empties it: one cycle demotes, the second drops.
do
  local pool = sync.pool()
  local weak = setmetatable({}, {__mode = "v"})
  weak[1] = {}
  pool:put(weak[1])
  collectgarbage()
  assert(weak[1] and pool:stats().items_held == 1)
  collectgarbage()
  assert(not weak[1] and pool:get() == nil)
  assert(pool:stats().evictions == 1)
  local flush = sync.pool{retain = "flush"}
  flush:put({})
  collectgarbage()
  assert(flush:get() == nil)
  local long = sync.pool{retain = "victim", cycles = 3}
  local item = {}
  long:put(item)
  for _ = 1, 3 do collectgarbage() end
  assert(long:get() == item)
end

-- Young and old objects survive minors in it.
do
  local pool = sync.pool{retain = "victim", cycles = 8}
  for i = 1, 300 do pool:put({i, tostring(i)}) end
  local sum, garbage = 0, nil
  for i = 1, 20000 do garbage = {i, {i}} end
  for _ = 1, 300 do
    local x = pool:get()
    assert(x[2] == tostring(x[1]))
    sum = sum + x[1]
  end
  assert(sum == 300 * 301 // 2)
end

-- Bounds.
do
  local pool = sync.pool{max_size = 2}
  for _ = 1, 5 do pool:put({}) end
  local stats = pool:stats()
  assert(stats.items_held == 2 and stats.drops == 3)
  local small = sync.pool{max_item_bytes = 500}
  small:put(table.create(1000))
  small:put({})
  assert(small:stats().oversize_drops == 1 and small:stats().items_held == 1)
  local bytes = sync.pool{max_bytes = 1000}
  for _ = 1, 10 do bytes:put(table.create(50)) end
  assert(bytes:stats().bytes_held <= 1000 and bytes:stats().items_held == 2)
  local budget = sync.pool{retain = "bytes", budget = 1000}
  for _ = 1, 10 do budget:put(table.create(50)) end
  for _ = 1, 4 do collectgarbage() end
  assert(budget:get())
  assert(sync.pool{account_bytes = true}:stats().bytes_held == 0)
end

-- reset, and its errors: the object is not in the pool then.
do
  local broken = false
  local pool = sync.pool{
    new = function() return {n = 0} end,
    reset = function(x) if broken then error("broken reset") end x.n = 0 end,
  }
  local x = pool:get()
  x.n = 7
  pool:put(x)
  assert(pool:get() == x and x.n == 0)
  broken = true
  fails("broken reset", function() pool:put(x) end)
  assert(pool:stats().items_held == 0)
  broken = false
  pool:put(x)
  assert(pool:get() == x)
end

-- `new` that fails, yields, uses its pool, returns no object.
do
  local mode = "fail"
  local pool
  pool = sync.pool{name = "odd", new = function()
    if mode == "fail" then error("no more") end
    if mode == "yield" then return coroutine.yield("asked") end
    if mode == "nest" then mode = "plain" local inner = pool:get() pool:put(inner) return {inner} end
    if mode == "number" then return 1 end
    if mode == "nil" then return nil end
    return {}
  end}
  fails("no more", pool.get, pool)
  fails("no more", function() return (pool:get()) end)
  mode = "yield"
  local co = coroutine.wrap(function() local x = pool:get() return x.tag end)
  assert(co() == "asked" and co({tag = "given"}) == "given")
  mode = "nest"
  local outer = pool:get()
  assert(outer[1] == pool:get())
  mode = "number"
  fails("pool 'odd': 'new' returned a number value, an object was expected", pool.get, pool)
  mode = "nil"
  fails("'new' returned a nil value", pool.get, pool)
  mode = "plain"
  assert(pool:get() and pool:stats().items_held == 0)
end

-- close: gets fail, puts drop; __close closes.
do
  local pool = sync.pool{name = "shut", new = function() return {} end}
  pool:put({})
  assert(not pool:closed() and pool:close() == true and pool:close() == false and pool:closed())
  fails("pool 'shut' is closed", pool.get, pool)
  pool:put({})
  assert(pool:stats().items_held == 0)
  local kept
  do
    local scoped <close> = sync.pool()
    kept = scoped
  end
  assert(kept:closed())
end

-- on_evict: refused, evicted, closed, collected with the pool; an error is a warning.
do
  local gone = {}
  local function note(x) gone[#gone + 1] = x.name end
  local pool = sync.pool{on_evict = note, max_size = 1}
  pool:put({name = "a"})
  pool:put({name = "refused"})
  collectgarbage()
  collectgarbage()
  collectgarbage()
  table.sort(gone)
  assert(table.concat(gone, " ") == "a refused", table.concat(gone, " "))
  gone = {}
  pool:put({name = "b"})
  pool:close()
  assert(gone[1] == "b")
  gone = {}
  do
    local dropped = sync.pool{on_evict = note}
    dropped:put({name = "c"})
    dropped = nil
  end
  for _ = 1, 3 do collectgarbage() end
  assert(gone[1] == "c", tostring(gone[1]))
  local failing = sync.pool{on_evict = function() error("in a callback") end}
  warn("@off")
  failing:put({})
  failing:close()
  assert(failing:closed())
end

-- prewarm.
do
  local made = 0
  local function new() made = made + 1 return {} end
  local pool = sync.pool{new = new, prewarm = 10}
  assert(made == 10 and pool:stats().items_held == 10)
  assert(pool:prewarm(5) == pool and pool:stats().items_held == 15)
  fails("out of range", pool.prewarm, pool, -1)
  fails("needs the option 'new'", function() sync.pool{prewarm = 1} end)
  fails("prewarm needs the option 'new'", function() sync.pool():prewarm(1) end)
  local third = 0
  fails("third", sync.pool, {prewarm = 5, new = function()
    third = third + 1
    if third == 3 then error("third") end
    return {}
  end})
end

-- An object that refers to its pool does not keep both for ever; nor does a function.
do
  local weak = setmetatable({}, {__mode = "k"})
  for _, options in ipairs{{}, {retain = "flush"}, {retain = "bytes", budget = 1 << 20},
                           {retain = "time", ttl = 1e-6}} do
    local pool
    options.new = function() return {pool} end
    options.reset = function(x) x[1] = pool end
    pool = sync.pool(options)
    weak[pool] = true
    pool:put(pool:get())
  end
  for _ = 1, 16 do collectgarbage() end
  assert(next(weak) == nil)
end

-- Bad options name the option, the value and what is allowed.
do
  fails("unknown option 'maxsize'", sync.pool, {maxsize = 1})
  fails("unknown option '1'", sync.pool, {{}})
  fails("table expected", sync.pool, 1)
  fails("option 'max_size' is 0, allowed: an integer from 1", sync.pool, {max_size = 0})
  fails("option 'max_size' is 1.5", sync.pool, {max_size = 1.5})
  fails("option 'max_bytes' is 'x'", sync.pool, {max_bytes = "x"})
  fails("option 'new' is a table, allowed: a function", sync.pool, {new = {}})
  fails("option 'retain' is 'forever', allowed: 'victim'", sync.pool, {retain = "forever"})
  fails("option 'cycles' is 9", sync.pool, {cycles = 9})
  fails("'cycles' goes with retain='victim'", sync.pool, {retain = "flush", cycles = 2})
  fails("'ttl' goes with retain='time'", sync.pool, {ttl = 1})
  fails("needs the option 'ttl'", sync.pool, {retain = "time"})
  fails("option 'ttl' is -1", sync.pool, {retain = "time", ttl = -1})
  fails("nan, allowed: seconds", sync.pool, {retain = "time", ttl = 0 / 0})
  fails("needs the option 'budget'", sync.pool, {retain = "bytes"})
  fails("option 'checked' is 1, allowed: true or false", sync.pool, {checked = 1})
  fails("'is_clean' goes with checked", sync.pool, {is_clean = print})
  fails("unknown option 'chaos.mis'", sync.pool, {chaos = {mis = 1}})
  fails("option 'chaos.miss_one_in' is -1", sync.pool, {chaos = {miss_one_in = -1}})
  fails("option 'chaos' is 'yes'", sync.pool, {chaos = "yes"})
end

-- Chaos: gets miss, puts are dropped, the same for the same seed.
do
  local function run(seed)
    local pool = sync.pool{chaos = {seed = seed, miss_one_in = 3, drop_one_in = 5, shuffle = true}}
    local outcome = {}
    for i = 1, 60 do
      pool:put({})
      outcome[i] = pool:get() and "1" or "0"
    end
    return table.concat(outcome)
  end
  assert(run(1) == run(1) and run(1) ~= run(2) and run(1):find("0") and run(1):find("1"))
  local pool = sync.pool{chaos = true}
  for _ = 1, 100 do pool:put({}) end
  assert(pool:stats().drops > 5 and pool:stats().drops < 60)
end

-- A pool that was finalized by hand is gone, and says so.
do
  local pool = sync.pool()
  pool:put({})
  debug.getmetatable(pool).__gc(pool)
  fails("the pool is gone", pool.get, pool)
  fails("the pool is gone", function() local x = pool:get() return x end)
  fails("the pool is gone", function() pool:put({}) end)
  debug.getmetatable(pool).__gc(pool)
end

-- Without its metatable it is no pool any more; the next cycles take what it held.
do
  local weak = setmetatable({}, {__mode = "v"})
  local pool = sync.pool{retain = "bytes", budget = 1000}
  weak[1] = {}
  pool:put(weak[1])
  debug.setmetatable(pool, nil)
  pool = nil
  for _ = 1, 4 do collectgarbage() end
  assert(not weak[1])
end
print("ok")
