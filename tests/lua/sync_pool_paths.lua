-- expect: ok
-- Every way to call get and put: in one go, by a method value, in expressions of all shapes, as tail
-- calls, under hooks, on objects that are pools by turns. All of them mean the same.
local sync = require "sync"
-- With a cycle at any allocation nothing can be said of what pools keep; only that what they hand out
-- is whole, and that nothing is lost count of.
if (os.getenv("NEAP_DEBUG") or ""):find("stress-major", 1, true) then
  local pool = sync.pool{new = function() return {n = 0} end}
  local get, put = pool.get, pool.put
  for _ = 1, 500 do
    local x = pool:get()
    local y = get(pool)
    assert(x ~= y and x.n == 0 and y.n == 0)
    pool:put(pool:get())
    pool:put(x)
    put(pool, y)
  end
  print("ok")
  os.exit(true, true)
end

local item = {}
local function fresh(options)
  local pool = sync.pool(options)
  pool:put(item)
  return pool
end
local function held(pool) return pool:stats().items_held end

for round = 1, 3 do  -- the first round teaches caches
  local pool = fresh()
  local x = pool:get()
  assert(x == item and held(pool) == 0)
  pool:put(x)
  pool:put(pool:get())
  assert((pool:get()) == item)
  pool:put(item)
  local a, b = pool:get()
  assert(a == item and b == nil)
  pool:put(a)
  local t = {pool:get()}
  assert(t[1] == item and #t == 1)
  pool:put(t[1])
  t = {pool:get(), 7}
  assert(t[1] == item and t[2] == 7)
  pool:put(t[1])
  assert(select("#", pool:get()) == 1 and held(pool) == 0)
  pool:put(item)
  pool:get()
  assert(held(pool) == 0)
  pool:put(item, "an extra argument")
  assert(pool:get("another") == item)
  assert(select("#", pool:put(item)) == 0)
  local nothing = pool:put(pool:get())
  assert(nothing == nil and held(pool) == 1)
  local function tail() return pool:get() end
  assert(tail() == item)
  local function tail_put(y) return pool:put(y) end
  assert(select("#", tail_put(item)) == 0)
  local get, put = pool.get, pool.put
  assert(get(pool) == item and held(pool) == 0)
  put(pool, item)
  assert(held(pool) == 1 and pcall(get, pool))
  put(pool, (setmetatable({}, {__index = {value = item}})).value)
  assert(pool:get() == item)
  -- A miss in the middle of an expression.
  local function both(y, z) return y, z end
  local first, second = both(pool:get(), pool:get())
  assert(first == nil and second == nil)
  pool:put({})
  pool:put({})
  pool:put({})
  first, second = both(pool:get(), pool:get())
  assert(first and second and first ~= second and held(pool) == 1)
end

-- One call site, receivers of many kinds: pools, closed pools, files, tables, strings.
do
  local own = {get = function() return "table" end}
  local inherits = setmetatable({}, {__index = own})
  local deep = setmetatable({}, {__index = inherits})
  local pool, full = sync.pool(), fresh()
  local closed = sync.pool()
  closed:close()
  string.get = function() return "string" end
  local receivers = {pool, full, own, inherits, deep, "text", full, inherits, pool, deep}
  local wanted = {nil, item, "table", "table", "table", "string", item, "table", nil, "table"}
  for _ = 1, 5 do
    for i = 1, 10 do
      local receiver = receivers[i]
      local got = receiver:get()
      assert(got == wanted[i], i)
      if receiver == full then receiver:put(got) end
    end
    assert(not pcall(function() local y = closed:get() end))
    assert(not pcall(function(r) local y = r:get() end, io.stdout))
  end
  string.get = nil
end

-- Hooks see the calls.
do
  local pool = fresh()
  local calls = 0
  local function work()
    local x = pool:get()
    pool:put(x)
  end
  work()
  work()
  debug.sethook(function() calls = calls + 1 end, "c")
  work()
  debug.sethook()
  assert(calls >= 3, calls)
  work()
  assert(held(pool) == 1)
end

-- In coroutines, with many registers, and while everything is collected.
do
  local pool = sync.pool{new = function() return {n = 0} end}
  local co = coroutine.wrap(function()
    for _ = 1, 100 do
      local a, b, c = pool:get(), pool:get(), pool:get()
      a.n, b.n, c.n = a.n + 1, b.n + 1, c.n + 1
      coroutine.yield(a.n)
      pool:put(a)
      pool:put(b)
      pool:put(c)
    end
  end)
  for i = 1, 100 do
    assert(co() == i)
    if i % 10 == 0 then collectgarbage("step") end
  end
  co()
  assert(held(pool) == 3)
end

-- Objects that are not tables take the long way in.
do
  local pool = sync.pool()
  local f = function() end
  for _ = 1, 3 do
    pool:put(f)
    local g = pool:get()
    assert(g == f)
  end
  for _, bad in ipairs{1, "x", true} do
    local ok, message = pcall(function() pool:put(bad) end)
    assert(not ok and message:find("sync_pool_paths.lua:%d+: bad argument #1 to 'put' %(object"), message)
  end
end

-- A budget is not escaped: loops burn fuel (the host's tests), and finalizers still run.
do
  local pool, done = fresh(), false
  setmetatable({}, {__gc = function() done = true end})
  for _ = 1, 1e7 do
    local x = pool:get()
    pool:put(x)
    if _ % 1000 == 0 then
      local _ = {{}, {}}
      if done then break end
    end
    if _ == 100000 then collectgarbage() end
  end
  assert(done)
end
print("ok")
