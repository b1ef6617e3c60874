-- expect: ok
-- Calls in tail position: no stack is used, whatever calls whatever.
local function count(n, ...)
  if n == 0 then return select("#", ...), ... end
  return count(n - 1, ...)
end
assert(count(500000) == 0)
assert(table.concat({count(300000, "a", "b")}, " ") == "2 a b")

-- Fewer arguments than parameters, and more; nothing of the frame before is seen.
local function three(a, b, c) local d return a, b, c, d end
local function few(x, y, z) local w = {} return three(x, w and nil) end
local function many(x) return three(x, x, x, x, x) end
local function packed(...) return select("#", ...), ... end
assert(select("#", few(1, 2, 3)) == 4 and packed(few(1, 2, 3)) == 4)
local a, b, c, d = few(1, 2, 3)
assert(a == 1 and b == nil and c == nil and d == nil)
a, b, c, d = many(7)
assert(a == 7 and b == 7 and c == 7 and d == nil)

-- To and from functions with more registers, with varargs, native ones, and callable objects.
local even, odd
function even(n)
  local a1, a2, a3, a4, a5, a6 = n, n, n, n, n, n
  if a1 + a6 == 0 then return "even" end
  return odd(n - 1)
end
function odd(n, ...) if n == 0 then return "odd" end return even(n - 1, ...) end
assert(even(100001) == "odd" and odd(100000) == "odd" and even(100000) == "even")
local function native(n) return string.rep("x", n, ",") end
assert(native(3) == "x,x,x" and select("#", (function() return select(2, 1, 2, 3) end)()) == 2)
local callable = setmetatable({}, {__call = function(self, n, ...)
  if n == 0 then return self, ... end
  return self(n - 1, ...)
end})
local self, last = callable(10000, "last")
assert(self == callable and last == "last")
local function through(f, ...) return f(...) end
assert(through(through, through, count, 5, "v") == 1)

-- Captured variables are closed first; a variable to be closed makes the call an ordinary one.
local function capture(n)
  local mine = n
  local function get() return mine end
  return through(function(f) mine = mine + 1 return f() end, get)
end
assert(capture(1) == 2 and capture(5) == 6)
local order = {}
local function closing()
  local guard <close> = setmetatable({}, {__close = function() order[#order + 1] = "closed" end})
  return through(function() order[#order + 1] = "called" end)
end
closing()
assert(table.concat(order, " ") == "called closed")

-- As metamethods, in coroutines, under pcall, with results adjusted by the caller.
local proxy = setmetatable({}, {__index = function(_, k) return through(tostring, k) end})
assert(proxy[12] == "12")
local co = coroutine.wrap(function(...) return through(coroutine.yield, ...) end)
assert(select("#", co(1, 2, 3)) == 3 and co("end") == "end")
local ok, message = pcall(function() return through(error, "thrown", 0) end)
assert(not ok and message == "thrown")
local one, two = (function() return count(0, "x", "y") end)()
assert(one == 2 and two == "x")
local trace = (through(function() return (debug.traceback("t")) end))
assert(trace:find("(...tail calls...)", 1, true))
print("ok")
