-- expect: ok
-- Checked pools: each way to misuse one is an error that says where the object was got and put, and
-- leaves the pool usable.
local sync = require "sync"

local function fails(wanted, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok, "no error, expected: " .. wanted)
  assert(tostring(message):find(wanted, 1, true), message)
  return message
end
-- With a cycle at any allocation nothing can be said of what pools keep; only that what they hand out
-- is whole, and that nothing is lost count of.
if (os.getenv("NEAP_DEBUG") or ""):find("stress-major", 1, true) then
  local pool = sync.pool{checked = true, new = function() return {1, {}, x = "x"} end,
                         is_clean = function(x) return x[1] == 1 end}
  for _ = 1, 300 do
    local x, y = pool:get(), pool:get()
    assert(x ~= y and x.x == "x" and #y == 2)
    pool:put(x)
    assert(not pcall(pool.put, pool, {}))
    y[1] = 2
    assert(not pcall(pool.put, pool, y))
  end
  print("ok")
  os.exit(true, true)
end
local function line() return debug.getinfo(2, "l").currentline end

-- Double put.
do
  local pool = sync.pool{name = "bullets", checked = true, new = function() return {} end}
  local x = pool:get() local got = line()
  pool:put(x) local put = line()
  local message = fails("put twice", function() pool:put(x) end)
  assert(message:find("pool 'bullets': object", 1, true), message)
  assert(message:find("got at sync_pool_checked.lua:" .. got, 1, true) or
         message:find("sync_pool_checked.lua:" .. got, 1, true), message)
  assert(message:find("sync_pool_checked.lua:" .. put, 1, true), message)
  assert(pool:get() == x and pool:stats().items_held == 0)
  pool:put(x)
  assert(pool:get() == x)
end

-- Put of what the pool has not handed out.
do
  local pool = sync.pool{checked = true, new = function() return {} end}
  fails("put but never handed out", function() pool:put({}) end)
  assert(pool:stats().items_held == 0 and pool:get())
  local plain = sync.pool()
  plain:put({})
  assert(plain:get())
end

-- Use after put: of fields, elements, dictionaries, the metatable; and none after a collection.
do
  local changes = {
    function(t) t.x = 2 end,
    function(t) t.new = true end,
    function(t) t[1] = 5 end,
    function(t) t[#t + 1] = "more" end,
    function(t) t[print] = nil end,
    function(t) setmetatable(t, {}) end,
    function(t) t.inner = {} end,
    function(t) t.x = nil end,
  }
  for i, change in ipairs(changes) do
    local pool = sync.pool{checked = true, retain = "victim", cycles = 8, new = function()
      return {x = 1, inner = {}, "one", "two", [print] = 1, [1.5] = 2}
    end}
    local t = pool:get()
    pool:put(t) local put = line()
    change(t)
    local message = fails("used after put", function() return (pool:get()) end)
    assert(message:find(":" .. put, 1, true), message)
    assert(pool:stats().items_held == 0)
    local other = pool:get()
    pool:put(other)
    collectgarbage("step")
    collectgarbage()
    for _ = 1, 1000 do local _ = {{}} end
    assert(pool:get() == other, i)
  end
  -- What is in a table that the object refers to is not looked at.
  local pool = sync.pool{checked = true, new = function() return {inner = {}} end}
  local t = pool:get()
  pool:put(t)
  t.inner.x = 1
  assert(pool:get() == t)
end

-- Dirty puts.
do
  local pool = sync.pool{name = "clean", checked = true, new = function() return {n = 0} end,
                         is_clean = function(x) return x.n == 0 end}
  local x = pool:get()
  x.n = 1
  fails("pool 'clean': object", function() pool:put(x) end)
  fails("put back dirty", function() pool:put(x) end)
  x.n = 0
  pool:put(x)
  assert(pool:get() == x)
  local failing = sync.pool{checked = true, new = function() return {} end,
                            is_clean = function() error("cannot say") end}
  local y = failing:get()
  fails("cannot say", function() failing:put(y) end)
  assert(failing:stats().items_held == 0)
end

-- What is not back, the oldest first; the dead can never come back.
do
  local pool = sync.pool{checked = true, new = function() return {} end}
  local a = pool:get() local got = line()
  local b = pool:get()
  pool:put(b)
  local list = pool:unreturned()
  assert(#list == 1 and list[1].place:find("sync_pool_checked.lua:" .. got, 1, true))
  assert(list[1].dead == false and math.type(list[1].object) == "integer")
  a = nil
  collectgarbage()
  collectgarbage()
  assert(pool:unreturned()[1].dead == true)
  local ok, message = pcall(sync.pool().unreturned, sync.pool())
  assert(not ok and message:find("needs the option 'checked'", 1, true))
end

-- Functions and userdata pass through unharmed: their bytes are not touched.
do
  local pool = sync.pool{checked = true, prewarm = 3, new = function()
    return function() return 42 end
  end}
  local f = pool:get()
  assert(f() == 42)
  pool:put(f)
  assert(f() == 42 and pool:get() == f)
  local natives = sync.pool{checked = true, new = function() return math.abs end}
  local abs = natives:get()
  natives:put(abs)
  assert(math.abs(-1) == 1 and natives:get() == abs and abs(-1) == 1)
end

-- With bounds, chaos, eviction callbacks.
do
  local gone = 0
  local pool = sync.pool{checked = true, max_size = 2, chaos = {seed = 3, miss_one_in = 5},
                         on_evict = function() gone = gone + 1 end, new = function() return {} end}
  local out = {}
  for _ = 1, 50 do
    for i = 1, 4 do out[i] = pool:get() end
    for i = 1, 4 do pool:put(out[i]) end
  end
  pool:close()
  collectgarbage()
  local stats = pool:stats()
  assert(stats.items_held == 0 and gone >= 50 * 2, gone)
end
print("ok")
