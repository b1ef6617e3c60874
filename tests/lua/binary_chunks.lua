-- expect: ok
-- string.dump and load of what it made.
local function twice(f, strip) return assert(load(string.dump(f, strip), "twice", "b")) end

assert(twice(function(...) return select("#", ...), ... end)(1, nil, 3) == 3)
local function fib(n) if n < 2 then return n end return FIB(n - 1) + FIB(n - 2) end
FIB = twice(fib)
assert(FIB(15) == 610)
FIB = twice(fib, true)
assert(FIB(15) == 610)

-- Upvalues are not dumped; the first one is the globals.
local up = 5
local f = twice(function() return up end)
assert(f() == _G)
local g = twice(function() return _ENV and up end)
assert(select(2, debug.getupvalue(g, 2)) == nil)

-- Nothing but fields: every instruction has an inline cache.
local fields = {}
for i = 1, 100 do fields[i] = "v = v . x" end
v = setmetatable({}, {__index = function() return v end})
assert(twice(load(table.concat(fields, "\n")))() == nil and v)
v = nil

-- Functions inside, to-be-closed variables, goto, integer and float loops.
local log = {}
local h = twice(function(...)
  local rawset, setmetatable, ipairs = ...
  return 1
end)
assert(h(1, 2, 3) == 1)
local source = [[
  local log = ...
  do
    local c <close> = setmetatable({}, {__close = function() log[#log + 1] = "closed" end})
    for i = 10, 1, -3 do log[#log + 1] = i end
    for x = 1.0, 2.0, 0.5 do log[#log + 1] = x end
  end
  local i = 1
  ::again::
  if i < 3 then i = i + 1 goto again end
  local t = {a = 1, b = {1, 2, 3}, "x\0y"}
  log[#log + 1] = t[1] .. #t.b .. i
  return function(n) return n // 2, n << 1, -n, ~n, not n end
]]
local plain, binary = {}, {}
local p, b = load(source)(plain), twice(load(source))(binary)
assert(#plain == #binary and #plain == 9)
for i = 1, #plain do
  assert(plain[i] == binary[i] and math.type(plain[i]) == math.type(binary[i]))
end
assert(plain[9] == "x\0y33")
for i, v in ipairs({p(7)}) do assert(select(i, b(7)) == v) end

-- Lines and names survive, unless stripped.
local named = load("local value = ... \n return value.x.y", "@named.lua")
local ok, message = pcall(twice(named), {})
assert(message == "named.lua:2: attempt to index a nil value (field 'x')", message)
ok, message = pcall(twice(named, true), {})
assert(message:find("attempt to index a nil value", 1, true) and not message:find("named"))
assert(debug.getinfo(twice(named), "S").source == "@named.lua")
assert(debug.getinfo(twice(named, true), "S").source == "=?")

-- Pieces, modes, damage.
local text = string.dump(named)
local at = 0
local pieces = load(function() at = at + 1 return text:sub(at, at) end, "pieces", "b")
assert(pieces({x = {y = 4}}) == 4)
ok, message = load(text, "x", "t")
assert(not ok and message == "attempt to load a binary chunk (mode is 't')")
ok, message = load("return 1", "x", "b")
assert(not ok and message == "attempt to load a text chunk (mode is 'b')")
for i = 1, #text - 1 do
  ok, message = load(text:sub(1, i))
  assert(not ok and message:find("truncated"), message)
end
for i = 1, 31 do
  local damaged = text:sub(1, i - 1) .. string.char((text:byte(i) + 1) % 256) .. text:sub(i + 1)
  assert(not load(damaged))
end
assert(not pcall(string.dump, print))
print("ok")
