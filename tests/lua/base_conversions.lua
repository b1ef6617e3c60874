-- expect: ok
-- tonumber, tostring, type, print's arguments, warn, collectgarbage.
local function fails(message, f, ...)
  local ok, err = pcall(f, ...)
  assert(not ok and err == message, tostring(err))
end

assert(_VERSION == "Lua 5.4" and _G._G == _G)
assert(tonumber("0x10") == 16 and tonumber(" 12 ") == 12 and tonumber("1e1") == 10.0)
assert(tonumber("") == nil and tonumber("1 2") == nil and tonumber({}) == nil and tonumber(3) == 3)
assert(math.type(tonumber("3.0")) == "float" and math.type(tonumber("3")) == "integer")
assert(tonumber("ff", 16) == 255 and tonumber("-Zz", 36) == -1295 and tonumber(" 11 ", 2) == 3)
assert(tonumber("8", 8) == nil and tonumber("", 10) == nil and tonumber("-", 10) == nil)
assert(tonumber("1e", 10) == nil and tonumber("7fffffffffffffff", 16) == math.maxinteger)
assert(tonumber("ffffffffffffffff", 16) == -1)
fails("bad argument #1 to 'tonumber' (string expected, got number)", tonumber, 10, 10)
fails("bad argument #2 to 'tonumber' (base out of range)", tonumber, "1", 99)
fails("bad argument #1 to 'tonumber' (value expected)", tonumber)

assert(tostring(1) == "1" and tostring(1.0) == "1.0" and tostring(nil) == "nil")
assert(tostring(1e15) == "1e+15" and tostring(-0.0) == "-0.0" and tostring(1/0) == "inf")
assert(tostring({}):match("^table: 0x") and tostring(print):match("^function: "))
assert(tostring(setmetatable({}, {__tostring = function() return "me" end})) == "me")
assert(tostring(setmetatable({}, {__name = "Kind"})):match("^Kind: "))
fails("'__tostring' must return a string", tostring,
      setmetatable({}, {__tostring = function() return {} end}))

for _, v in ipairs({{1, "number"}, {"", "string"}, {{}, "table"}, {print, "function"},
                    {true, "boolean"}, {coroutine.create(print), "thread"}}) do
  assert(type(v[1]) == v[2])
end
assert(type(nil) == "nil" and type(io.stdout) == "userdata" and type(1 << 60) == "number")
fails("bad argument #1 to 'type' (value expected)", type)

fails("bad argument #1 to 'warn' (string expected, got no value)", warn)
fails("bad argument #2 to 'warn' (string expected, got table)", warn, "a", {})

assert(collectgarbage() == 0 and collectgarbage("collect") == 0)
assert(math.type(collectgarbage("count")) == "float" and collectgarbage("count") > 0)
assert(collectgarbage("isrunning"))
assert(collectgarbage("stop") == 0 and not collectgarbage("isrunning"))
collectgarbage("step", 0)
assert(not collectgarbage("isrunning"))
assert(collectgarbage("restart") == 0 and collectgarbage("isrunning"))
local mode = collectgarbage("incremental")
assert(collectgarbage("generational") == "incremental")
assert(collectgarbage("incremental") == "generational")
local pause = collectgarbage("setpause", 300)
assert(collectgarbage("setpause", pause) == 300)
local ended = false
for _ = 1, 100000 do if collectgarbage("step", 100) then ended = true; break end end
assert(ended)
collectgarbage(mode)
fails("bad argument #1 to 'collectgarbage' (invalid option 'x')", collectgarbage, "x")

-- Inside a finalizer it does nothing and says so.
local inside = "not run"
setmetatable({}, {__gc = function() inside = collectgarbage() end})
for _ = 1, 10 do collectgarbage() end
assert(inside == nil, tostring(inside))

-- A number that __tostring gives is text, too.
for number, text in pairs{[7] = "7", [1.5] = "1.5", [1 << 60] = "1152921504606846976"} do
  local o = setmetatable({}, {__tostring = function() return number end})
  assert(tostring(o) == text and math.type(tostring(o)) == nil)
  assert(string.format("%s|%5s", o, o) == text .. "|" .. string.rep(" ", 5 - #text) .. text)
end
for _, v in ipairs{true, {}, print} do
  local o = setmetatable({}, {__tostring = function() return v end})
  local ok, message = pcall(tostring, o)
  assert(not ok and message == "'__tostring' must return a string")
end
print("ok")
