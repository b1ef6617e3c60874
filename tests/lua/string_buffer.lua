-- expect: ok
-- string.buffer: LuaJIT's module.
local buffer = require "string.buffer"
assert(buffer == string.buffer and require "string.buffer" == buffer)

-- Fewer rounds under the switches that verify the heap all the time.
local kMany = os.getenv("NEAP_DEBUG") and 500 or 9000

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
  for i = 1, kMany do
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
  for i = 1, kMany do
    parts[i] = tostring(i)
    builder:put(i)
  end
  assert(tostring(builder) == table.concat(parts))
end

-- encode and decode: what goes in comes out.
do
  local function same(x, y)
    if type(x) ~= "table" or type(y) ~= "table" then
      return math.type(x) == math.type(y) and (x == y or (x ~= x and y ~= y))
    end
    for k, v in pairs(x) do if not same(v, y[k]) then return false end end
    for k in pairs(y) do if x[k] == nil then return false end end
    return true
  end
  local values = {
    true, false, 0, 1, -1, 2 ^ 31 | 0, -2 ^ 31 | 0, math.maxinteger, math.mininteger, 0.5, -0.0, 1e300,
    math.huge, 0 / 0, "", "text", ("x"):rep(0xbf), ("x"):rep(0xc0), ("x"):rep(0x1fbf),
    ("x"):rep(0x1fc0), ("y"):rep(100000), "with\0zero", {}, {1, 2, 3}, {1, nil, 3}, {x = 1, y = {z = {}}},
    {1, 2, x = {3, [1.5] = "f", [true] = false, [-1] = -1, [0] = 0}}, {{{{}}}},
  }
  local all = buffer.new()
  for i, value in ipairs(values) do
    local bytes = buffer.encode(value)
    assert(same(buffer.decode(bytes), value), i)
    all:encode(value)
    for cut = 0, math.min(#bytes - 1, 40) do
      fails("unexpected end of buffer", buffer.decode, bytes:sub(1, cut))
    end
    fails("bytes are left over", buffer.decode, bytes .. "\0")
  end
  all:encode(nil)
  for i, value in ipairs(values) do assert(same(all:decode(), value), i) end
  assert(all:decode() == nil and #all == 0)
  fails("unexpected end", all.decode, all)
  local large = {}
  for i = 1, kMany do large[i] = i large["k" .. i] = {i} end
  assert(same(buffer.decode(buffer.encode(large)), large))
  -- The bytes are LuaJIT's.
  assert(buffer.encode(nil) == "\0" and buffer.encode(true) == "\2" and buffer.encode("a") == "\x21a")
  assert(buffer.encode(-2) == "\6\xfe\xff\xff\xff" and buffer.encode({}) == "\8")
  assert(buffer.encode(1.5) == "\7" .. string.pack("<d", 1.5))
  assert(buffer.encode({"a", "b"}) == "\x0c\3\x21a\x21b" and buffer.encode({a = false}) == "\9\1\x21a\1")
  assert(buffer.encode({7, a = true}) == "\x0d\2\1\6\7\0\0\0\x21a\2")
  assert(buffer.decode("\x0a\2\x21a\x21b")[0] == "a" and buffer.decode("\x11" .. ("\1"):rep(8)) > 0)
  fails("does not fit", buffer.decode, "\x11" .. ("\xff"):rep(8))
  fails("unknown tag 3", buffer.decode, "\3")
  fails("unknown tag 31", buffer.decode, "\x1f")
  fails("a key is nil or NaN", buffer.decode, "\9\1\0\1")
  fails("unexpected end", buffer.decode, "\x0c\xff\xff\xff\xff\xff")
  fails("a function value cannot be encoded", buffer.encode, {x = {print}})
  fails("value expected", buffer.encode)
  fails("string expected", buffer.decode, {})
  local deep, ring = {}, {}
  for _ = 1, 99 do deep = {deep} end
  assert(same(buffer.decode(buffer.encode(deep)), deep))
  fails("nested too deeply to be encoded", buffer.encode, {deep})
  fails("nested too deeply to be decoded", buffer.decode, ("\x0c\2"):rep(101) .. "\8")
  ring.ring = ring
  fails("nested too deeply", buffer.encode, ring)
  -- Any bytes are an error or a value.
  local seed = 1
  for _ = 1, kMany do
    local bytes = {}
    for i = 1, seed % 20 + 1 do
      seed = (seed * 1103515245 + 12345) & 0x7fffffff
      bytes[i] = string.char((seed >> 16) % 48)
    end
    pcall(buffer.decode, table.concat(bytes))
  end
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
