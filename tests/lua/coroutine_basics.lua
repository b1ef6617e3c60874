-- expect: ok
-- Values in and out, status, wrap, errors.
local function fails(message, f, ...)
  local ok, err = pcall(f, ...)
  assert(not ok and err == message, tostring(err))
end

local co = coroutine.create(function(a, b)
  assert(a == 1 and b == 2)
  local c, d = coroutine.yield(3, 4, 5)
  assert(c == "c" and d == nil)
  return "end", nil
end)
assert(coroutine.status(co) == "suspended")
local r = table.pack(coroutine.resume(co, 1, 2))
assert(r.n == 4 and r[1] == true and r[2] == 3 and r[4] == 5)
r = table.pack(coroutine.resume(co, "c"))
assert(r.n == 3 and r[1] and r[2] == "end" and r[3] == nil)
assert(coroutine.status(co) == "dead")
local ok, err = coroutine.resume(co)
assert(ok == false and err == "cannot resume dead coroutine")

local main, is_main = coroutine.running()
assert(is_main and coroutine.status(main) == "running" and not coroutine.isyieldable())
assert(coroutine.isyieldable(main) == false)
ok, err = coroutine.resume(main)
assert(not ok and err == "cannot resume non-suspended coroutine")
fails("attempt to yield from outside a coroutine", coroutine.yield)

coroutine.wrap(function()
  local me, outer = coroutine.running()
  assert(not outer and coroutine.isyieldable() and coroutine.status(main) == "normal")
  assert(select(2, coroutine.resume(me)) == "cannot resume non-suspended coroutine")
  fails("cannot close a running coroutine", coroutine.close, me)
  fails("cannot close a normal coroutine", coroutine.close, main)
end)()

-- wrap
local gen = coroutine.wrap(function(n) for i = 1, n do coroutine.yield(i, -i) end return "done" end)
local a, b = gen(2)
assert(a == 1 and b == -1)
assert(gen() == 2 and gen() == "done")
fails("cannot resume dead coroutine", gen)
local bad = coroutine.wrap(function() error("inside", 0) end)
ok, err = pcall(function() bad() end)
assert(not ok and err:match("^.-coroutine_basics.lua:%d+: inside$"), err)
bad = coroutine.wrap(function() error({7}) end)
ok, err = pcall(bad)
assert(not ok and err[1] == 7)
local closed = false
bad = coroutine.wrap(function()
  local x <close> = setmetatable({}, {__close = function() closed = true end})
  error("e")
end)
assert(not pcall(bad) and closed)

fails("bad argument #1 to 'coroutine.create' (function expected, got number)", coroutine.create, 1)
ok, err = pcall(coroutine.resume, 1)
assert(err:find("thread expected", 1, true) or err:find("coroutine expected", 1, true))

-- Many values.
local big = {}
for i = 1, 150 do big[i] = i end
co = coroutine.create(function(...)
  while true do assert(select("#", ...) == 150); coroutine.yield(...) end
end)
for _ = 1, 3 do
  r = table.pack(coroutine.resume(co, table.unpack(big)))
  assert(r.n == 151 and r[151] == 150)
end

-- Yields across pcall, metamethods, iterators.
co = coroutine.wrap(function()
  local t = setmetatable({}, {__index = function(_, k) return coroutine.yield(k) end,
                              __add = function(x, y) return coroutine.yield("add") end})
  local sum = t.key + (t + 1)
  for k in function() return coroutine.yield("iter") end do sum = sum + k end
  local p, q = pcall(function() return coroutine.yield("pcall") end)
  return sum, p, q
end)
assert(co() == "key" and co(1) == "add" and co(2) == "iter" and co(10) == "iter")
assert(co(nil) == "pcall")
local s, p, q = co("v")
assert(s == 13 and p == true and q == "v")
ok, err = coroutine.resume(coroutine.create(function()
  table.sort({3, 2, 1}, function(x, y) coroutine.yield() end)
end))
assert(not ok and err == "attempt to yield across a C-call boundary")

-- Deep nesting and many coroutines.
local function nest(n) if n == 0 then return "bottom" end; return coroutine.wrap(nest)(n - 1) end
assert(nest(100) == "bottom")
for i = 1, 1000 do assert(coroutine.wrap(function(x) return x end)(i) == i) end
collectgarbage()
print("ok")
