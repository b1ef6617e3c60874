-- expect: ok
-- string.buffer: LuaJIT's module.
local buffer = require "string.buffer"
assert(buffer == string.buffer and require "string.buffer" == buffer)

local function fails(wanted, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok, "no error, expected: " .. wanted)
  assert(tostring(message):find(wanted, 1, true), message)
end

local b = buffer.new()
assert(#b == 0 and tostring(b) == "" and b:get() == "" and b:len() == 0)
assert(b:put("a", 1, 2.5, "b") == b and tostring(b) == "a12.5b" and #b == 6)
assert(b:tostring() == "a12.5b" and b:get(2) == "a1" and b:get(1, 1) == "2")
assert(tostring(b) == "5b" or tostring(b) == "b", tostring(b))
b:reset()
assert(#b == 0)
b:put("one two three")
local x, y, z = b:get(4, 4, nil)
assert(x == "one " and y == "two " and z == "three" and #b == 0)
assert(b:putf("%d-%s %5.2f", 3, "x", 1.5) == b and tostring(b) == "3-x  1.50")
assert(b:skip(2) == b and tostring(b) == "x  1.50" and #b:skip(100) == 0)
assert(b:set("fresh") == b and tostring(b) == "fresh" and tostring(b:set(12)) == "12")
assert(b .. "!" == "12!" and "?" .. b == "?12" and b .. b == "1212" and 1 .. b == "112")
local object = setmetatable({}, {__tostring = function() return "an object" end})
assert(tostring(b:set(object)) == "an object" and tostring(b:reset():put(object, "; ")) == "an object; ")
assert(tostring(b:put(b)) == "an object; an object; ")
local other = buffer.new(100)
assert(other:reserve(0) >= 100 and other:reserve(1000) >= 1000)
assert(tostring(other:put(b)) == tostring(b))
assert(tostring(b:set(b)) == "an object; an object; ")
b:free()
assert(#b == 0 and tostring(b:put("again")) == "again")
assert(tostring(buffer.new():put("with\0zero")) == "with\0zero")

fails("string, number, buffer or object with __tostring expected, got table", b.put, b, {})
fails("got nil", b.put, b, nil)
fails("got boolean", b.put, b, true)
assert(tostring(b) == "again")
fails("string.buffer expected", b.put, "text")
fails("string.buffer expected", b.get, io.stdout)
fails("length is negative", b.get, b, -1)
fails("length is negative", b.skip, b, -1)
fails("size is negative", b.reserve, b, -1)
fails("size is negative", buffer.new, -1)
fails("no value", b.putf, b, "%d")
fails("number expected, got string", b.putf, b, "%d", "x")
fails("attempt to concatenate a table value", function() return b .. {} end)
fails("not enough memory", b.reserve, b, math.maxinteger)
fails("in __tostring", b.put, b, setmetatable({}, {__tostring = function() error("in __tostring") end}))
assert(tostring(b) == "again")

-- As a queue it does not grow; as a builder it makes what concat does.
do
  local queue = buffer.new(64)
  for i = 1, 10000 do
    queue:put("0123456789")
    assert(queue:get(10) == "0123456789")
  end
  assert(queue:reserve(0) <= 64)
  queue:put("x")
  for i = 1, 1000 do
    queue:put(("%04d"):format(i))
    assert(#queue:get(4) == 4)
  end
  assert(queue:reserve(0) <= 128 and #queue == 1)
  local parts, builder = {}, buffer.new()
  for i = 1, 5000 do
    parts[i] = tostring(i)
    builder:put(i)
  end
  assert(tostring(builder) == table.concat(parts))
end

-- Its bytes count, and go with it.
do
  collectgarbage()
  local before = neap.gc.stats().off_heap_bytes
  local large = buffer.new(1 << 20)
  assert(neap.gc.stats().off_heap_bytes >= before + (1 << 20))
  large:free()
  collectgarbage()
  assert(neap.gc.stats().off_heap_bytes <= before)
  for _ = 1, 200 do buffer.new(1 << 20):put("x") end  -- the pacer collects them
  collectgarbage()
  collectgarbage()
  assert(neap.gc.stats().off_heap_bytes <= before + (1 << 20))
end
print("ok")
