-- expect: ok
-- Functions that a pool calls may do anything to it: use it, close it, finalize it, collect, yield and
-- never come back. The pool stays one that can be used or says that it is gone, and loses count of
-- nothing.
local sync = require "sync"
-- With a cycle at any allocation nothing can be said of how much a pool keeps.
local is_kept = not (os.getenv("NEAP_DEBUG") or ""):find("stress-major", 1, true)

local function fails(wanted, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok, "no error, expected: " .. wanted)
  assert(tostring(message):find(wanted, 1, true), message)
end
-- What went in and did not come out is there or was evicted.
local function check(pool, held)
  collectgarbage("step")
  local s = pool:stats()
  assert(s.puts - s.drops - (s.gets - s.misses) == s.items_held + s.evictions)
  if is_kept and held then assert(s.items_held == held, s.items_held) end
end
local function finalize(pool) debug.getmetatable(pool).__gc(pool) end
local function new() return {inner = {}} end

-- Each role, doing each of these.
local actions = {
  function(pool) pool:put(new()) pool:get() end,
  function(pool) pool:close() end,
  function(pool) finalize(pool) end,
  function() neap.gc.collect() neap.gc.minor() end,
  function(pool) pool:prewarm(3) end,
  function() error("in a role") end,
  function() error() end,
  function() coroutine.yield() end,
  function() coroutine.wrap(function() coroutine.yield() end)() end,
  function(pool) debug.setuservalue(pool, nil, 1) debug.setuservalue(pool, 7, 2) end,
  function(pool) debug.setmetatable(pool, nil) end,
}
warn("@off")
for _, checked in ipairs{false, true} do
  for _, role in ipairs{"new", "reset", "is_clean", "on_evict"} do
    for i, action in ipairs(actions) do
      local pool, is_inside
      local options = {checked = checked, new = new, max_size = 4, on_evict = function() end}
      if checked then options.is_clean = function() return true end end
      local plain = options[role] or function() end
      if role ~= "is_clean" or checked then
        options[role] = function(...)
          if pool and not is_inside then
            is_inside = true
            local ok, message = pcall(action, pool)
            is_inside = false
            if not ok then error(message, 0) end
          end
          return plain(...)
        end
      end
      pool = sync.pool(options)
      -- In a coroutine: when it yields it is closed in the middle, or goes on.
      local metatable = debug.getmetatable(pool)
      for round = 1, 2 do
        local co = coroutine.create(function()
          local x, y = pool:get(), pool:get()
          pool:put(x)
          for _ = 1, 4 do pcall(pool.put, pool, new()) end
          pool:put(y)
          pool:close()
        end)
        coroutine.resume(co)
        if coroutine.status(co) == "suspended" and round == 2 then coroutine.resume(co) end
        coroutine.close(co)
      end
      debug.setmetatable(pool, metatable)
      local ok, message = pcall(check, pool)
      assert(ok or tostring(message):find("the pool is gone", 1, true), message)
    end
  end
end
collectgarbage()

-- The object that is put is put again by its own reset: the pool has it twice, a checked pool says so.
do
  local pool, is_inside
  local function reset(x)
    if is_inside then return end
    is_inside = true
    pool:put(x)
    is_inside = false
  end
  pool = sync.pool{name = "twice", checked = true, new = new, reset = reset}
  local x = pool:get()
  fails("pool 'twice': object", pool.put, pool, x)
  check(pool, 1)
end

-- Put by another coroutine while a reset waits.
do
  local waits = true
  local pool = sync.pool{checked = true, new = new, reset = function()
    if waits then coroutine.yield() end
  end}
  local x = pool:get()
  local co = coroutine.create(function() pool:put(x) end)
  assert(coroutine.resume(co))
  waits = false
  pool:put(x)
  local ok, message = coroutine.resume(co)
  if is_kept then assert(not ok and message:find("put twice", 1, true), message) end
  check(pool)
end

-- on_evict that gives back what is refused or comes too late has its turn, and so has the program. It
-- once went on for ever inside of close.
for _, options in ipairs{{}, {max_size = 1}, {retain = "flush"}} do
  local pool
  local calls = 0
  options.on_evict = function(x)
    calls = calls + 1
    pool:put(x)
  end
  pool = sync.pool(options)
  pool:put({})
  pool:put({})
  for i = 1, 10000 do local _ = {i} end
  pool:close()
  for i = 1, 10000 do local _ = {i} end
  assert(calls > 0, calls)
end

-- An item whose finalizer puts it back, and a pool that holds itself, the running coroutine, or a
-- coroutine that waits in its own `new`.
do
  local pool, revived = sync.pool(), 0
  local metatable = {}
  metatable.__gc = function(x)
    revived = revived + 1
    if revived < 5 then
      setmetatable(x, metatable)
      pool:put(x)
    end
  end
  pool:put(setmetatable({}, metatable))
  for _ = 1, 30 do collectgarbage() end
  assert(revived == 5, revived)
  check(pool, 0)
  local weak = setmetatable({}, {__mode = "k"})
  local own
  own = sync.pool{new = function() return own end}
  weak[own] = true
  own:put(own:get())
  own = nil
  for _ = 1, 12 do collectgarbage() end
  assert(next(weak) == nil)
  local threads
  threads = sync.pool{new = function() coroutine.yield() return {} end}
  local co = coroutine.create(function()
    threads:put(coroutine.running())
    return threads:get(), threads:get()
  end)
  coroutine.resume(co)
  threads = nil
  collectgarbage()
  coroutine.close(co)
end

-- What options say when they are at their ends.
for _, case in ipairs{
  {{ttl = math.huge, retain = "time"}, "option 'ttl' is inf, allowed: seconds from 1e-9 to 1e9"},
  {{ttl = 5e-324, retain = "time"}, "allowed: seconds from 1e-9"},
  {{ttl = "1", retain = "time"}, "option 'ttl' is '1'"},
  {{budget = math.maxinteger, retain = "bytes"}, "option 'budget' is 9223372036854775807"},
  {{max_size = 0 / 0}, "option 'max_size' is"},
  {{max_bytes = math.mininteger}, "option 'max_bytes' is -9223372036854775808"},
  {{max_item_bytes = 1.5}, "option 'max_item_bytes' is 1.5"},
  {{prewarm = 1 << 40, new = new}, "option 'prewarm' is 1099511627776"},
  {{prewarm = -1, new = new}, "option 'prewarm' is -1, allowed: an integer from 0"},
  {{chaos = {seed = -1}}, "option 'chaos.seed' is -1"},
  {{name = 5}, "option 'name' is 5, allowed: a string"},
} do
  fails(case[2], sync.pool, case[1])
end
for _, name in ipairs{"", "a\0b\"\n\27", ("n"):rep(1 << 16)} do
  local pool = sync.pool{name = name}
  pool:put({})
  check(pool, 1)
end
print("ok")
