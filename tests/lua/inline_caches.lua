-- expect: ok
-- What one instruction learned from one object must not be believed of another.
local function foo(o) return o.foo end
local function call(o) return o:method() end

-- A field of a map may stand in the map, whatever its class says.
local class = {foo = "class"}
class.__index = class
assert(foo(setmetatable({[0.5] = 1}, class)) == "class")
assert(foo(setmetatable({[0.5] = 1}, class)) == "class")
assert(foo(setmetatable({[0.5] = 1, foo = "own"}, class)) == "own")

-- A metatable that gets a __newindex later is asked for new fields.
local meta, seen = {}, 0
local function new()
  local o = setmetatable({}, meta)
  o.x = 1
  return o
end
for _ = 1, 3 do assert(rawget(new(), "x") == 1) end
meta.__newindex = function(t, k, v) seen = seen + 1 end
assert(rawget(new(), "x") == nil and seen == 1)
rawset(meta, "__newindex", nil)
assert(rawget(new(), "x") == 1 and seen == 1)
meta.__newindex = class
assert(rawget(new(), "x") == nil and class.x == 1)

-- Two levels of inheritance, changed at each of them.
local base = {method = function() return "base" end}
base.__index = base
local middle = setmetatable({}, base)
middle.__index = middle
local object = setmetatable({}, middle)
for _ = 1, 3 do assert(call(object) == "base") end
middle.method = function() return "middle" end
for _ = 1, 3 do assert(call(object) == "middle") end
middle.method = nil
for _ = 1, 3 do assert(call(object) == "base") end
base.method = function() return "new base" end
assert(call(object) == "new base")
object.method = function() return "own" end
assert(call(object) == "own")
object.method = nil
assert(call(object) == "new base")
base.__index = {method = function() return "elsewhere" end}
assert(call(object) == "elsewhere")
rawset(base, "__index", function() return function() return "function" end end)
assert(call(object) == "function")
middle.__index = nil
assert(not pcall(call, object))
middle.__index = {method = function() return "again" end}
assert(call(object) == "again")

-- A class that becomes a map.
local big = {foo = "big"}
big.__index = big
local member = setmetatable({}, big)
for _ = 1, 3 do assert(foo(member) == "big") end
for i = 1, 300 do big["field" .. i] = i end
assert(foo(member) == "big")
big.foo = "bigger"
assert(foo(member) == "bigger")
big.__index = nil
assert(foo(member) == nil)

-- Methods of strings: replaced, removed, of another metatable; and tables at the same place.
local strings = getmetatable("")
local function empty() return {} end
local quiet, text = empty(), "local t = ..."  -- made as the ordinary one was: it has its shape
for name in next, strings do text = text .. " t." .. name .. " = 1" end
load(text)(quiet)
quiet.__index = 5
local function shout(o) return o:upper() end
for _ = 1, 3 do assert(shout("a") == "A") end
local upper = string.upper
string.upper = function(text) return text .. "!" end
assert(shout("a") == "a!")
string.upper = nil
assert(not pcall(shout, "a"))
string.upper = upper
for _ = 1, 3 do assert(shout("a") == "A") end
assert(shout({upper = function() return "own" end}) == "own" and shout("b") == "B")
assert(not pcall(shout, strings) and not pcall(shout, {}) and shout("c") == "C")
debug.setmetatable("", quiet)
assert(not pcall(shout, "a"))
quiet.__index = function(text, name) return function() return text .. name end end
for _ = 1, 3 do assert(shout("a") == "aupper") end
debug.setmetatable("", nil)
assert(not pcall(shout, "a"))
debug.setmetatable("", strings)
for _ = 1, 3 do assert(shout("a") == "A") end
strings.__index = {upper = function() return "other" end}
for _ = 1, 3 do assert(shout("a") == "other") end
strings.__index = string
assert(shout("a") == "A")
print("ok")
