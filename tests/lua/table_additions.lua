-- expect: ok
-- What `table` has beside Lua 5.4's: new and clear (LuaJIT), clone (Luau).
local function fails(wanted, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok, "no error, expected: " .. wanted)
  assert(tostring(message):find(wanted, 1, true), message)
end
assert(require "table.new" == table.new and require "table.clear" == table.clear)
assert(package.loaded["table.new"] == table.new)

local t = table.new(100, 10)
assert(next(t) == nil and #t == 0)
fails("out of range", table.new, -1, 0)
fails("number expected", table.new)

-- clear: array, fields, dictionary; the metatable stays, no metamethod is called.
do
  local full = {1, 2, 3, x = 1, y = 2, [1.5] = 3, [print] = 4}
  local calls = 0
  setmetatable(full, {__newindex = function() calls = calls + 1 end, __name = "full"})
  table.clear(full)
  assert(next(full) == nil and #full == 0 and full.x == nil and calls == 0)
  assert(getmetatable(full).__name == "full")
  full.x = 5  -- goes to __newindex: the field is absent
  assert(calls == 1 and rawget(full, "x") == nil)
  local again = {}
  for round = 1, 20 do
    for i = 1, 100 do again[i] = {i} end
    for i = 1, 20 do again["k" .. i] = {round} end
    assert(#again == 100 and again.k7[1] == round)
    table.clear(again)
    assert(next(again) == nil and #again == 0)
  end
  local index = {__index = {a = 1}}
  local object = setmetatable({}, index)
  assert(object.a == 1)
  table.clear(index)
  assert(object.a == nil)
  fails("table expected", table.clear, 1)
  fails("got no value", table.clear)
end

-- clone: the entries and the metatable, not what they refer to.
do
  local inner = {}
  local source = setmetatable({1, nil, 3, inner, x = inner, [2.5] = "y"}, {__index = {z = 9}})
  local copy = table.clone(source)
  assert(copy ~= source and copy[1] == 1 and copy[2] == nil and copy[3] == 3 and copy[4] == inner)
  assert(copy.x == inner and copy[2.5] == "y" and copy.z == 9)
  assert(getmetatable(copy) == getmetatable(source))
  copy.x = 1
  assert(source.x == inner)
  local large = {}
  for i = 1, 5000 do large[i] = i large["k" .. i] = -i end
  local twin = table.clone(large)
  for i = 1, 5000 do assert(twin[i] == i and twin["k" .. i] == -i) end
  assert(#twin == 5000 and next(table.clone({})) == nil)
  fails("protected metatable", table.clone, setmetatable({}, {__metatable = "locked"}))
  fails("table expected", table.clone, "x")
  local finalized = 0
  do
    local one = setmetatable({}, {__gc = function() finalized = finalized + 1 end})
    local two = table.clone(one)
    one, two = nil, nil
  end
  collectgarbage()
  collectgarbage()
  assert(finalized == 2)
end
print("ok")
