-- expect: ok
-- Errors, protected calls, assert, select.
local function fails(message, f, ...)
  local ok, err = pcall(f, ...)
  assert(not ok and err == message, tostring(err))
end

assert(select("#", pcall(error)) == 2)
fails("bad argument #1 to 'pcall' (value expected)", pcall)
fails("bad argument #2 to 'xpcall' (function expected, got no value)", xpcall)
fails("assertion failed!", assert, false)
fails("m", assert, false, "m")
fails("bad argument #1 to 'assert' (value expected)", assert)
assert(select("#", assert(1, nil, nil)) == 3)

local ok, err = pcall(function() assert(false) end)
assert(not ok and err:match("^.-:%d+: assertion failed!$"))
ok, err = pcall(function() error("x", 0) end)
assert(err == "x")
ok, err = pcall(function() error("x") end)
assert(err:match("^.-base_calls.lua:%d+: x$"))
local object = {}
ok, err = pcall(error, object)
assert(err == object)
ok, err = pcall(error, nil)
assert(not ok and err == nil)

-- Results pass whatever their number.
local many = {}
for i = 1, 200 do many[i] = i end
local got = table.pack(pcall(table.unpack, many))
assert(got.n == 201 and got[1] == true and got[201] == 200)
got = table.pack(xpcall(table.unpack, print, many))
assert(got.n == 201 and got[1] == true and got[2] == 1 and got[201] == 200)
assert(select("#", pcall(function() end)) == 1)

-- Handlers see the error where it happened, and replace it.
ok, err = xpcall(function(a, b) error({a + b}) end, function(e) return e[1] * 2 end, 3, 4)
assert(not ok and err == 14)
ok, err = xpcall(error, function(e) return e .. "!" end, "x", 0)
assert(err == "x!")

-- Nesting.
ok, err = pcall(pcall, error, "x")
assert(ok and err == false)
local depth = 0
local function nest() depth = depth + 1; if depth < 100 then return pcall(nest) end; return depth end
assert(select(-1, pcall(nest)) == 100)

-- Yields across protected calls.
local co = coroutine.wrap(function()
  return pcall(function() local v = coroutine.yield(1); error(v, 0) end)
end)
assert(co() == 1)
ok, err = co("e")
assert(ok == false and err == "e")

assert(select("#") == 0 and select("#", nil, nil) == 2)
assert(select(2, "a", "b", "c") == "b" and select(-1, "a", "b") == "b")
assert(select("#", select(3, "a", "b")) == 0)
fails("bad argument #1 to 'select' (index out of range)", select, 0)
fails("bad argument #1 to 'select' (index out of range)", select, -2, 1)
print("ok")
