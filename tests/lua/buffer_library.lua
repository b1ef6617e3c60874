-- expect: ok
-- buffer: Luau's library, its bounds, and what counts for the heap.
local function fails(wanted, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok, "no error, expected: " .. wanted)
  assert(tostring(message):find(wanted, 1, true), message)
end
assert(require "buffer" == buffer)

local b = buffer.create(16)
assert(buffer.len(b) == 16 and #b == 16 and buffer.tostring(b) == ("\0"):rep(16))
assert(type(b) == "userdata" and tostring(b):find("^buffer: "))
for _, kind in ipairs{{"i8", 1, -128, 127}, {"u8", 1, 0, 255}, {"i16", 2, -32768, 32767},
                      {"u16", 2, 0, 65535}, {"i32", 4, -2 ^ 31 | 0, (2 ^ 31 | 0) - 1},
                      {"u32", 4, 0, (2 ^ 32 | 0) - 1},
                      {"i64", 8, math.mininteger, math.maxinteger}} do
  local name, size, least, most = table.unpack(kind)
  local read, write = buffer["read" .. name], buffer["write" .. name]
  for _, value in ipairs{least, most, 0, 1, 77} do
    write(b, 3, value)
    assert(read(b, 3) == value and math.type(read(b, 3)) == "integer", name)
    assert(b["read" .. name](b, 3) == value)
  end
  write(b, 16 - size, 5)
  assert(read(b, 16 - size) == 5)
  fails("out of bounds of a buffer of 16 bytes", read, b, 16 - size + 1)
  fails("out of bounds", write, b, 16 - size + 1, 0)
  fails("offset -1 and", read, b, -1)
  fails("offset " .. math.maxinteger, read, b, math.maxinteger)
  fails("offset " .. math.mininteger, write, b, math.mininteger, 0)
  fails("no integer representation", write, b, 0, 1.5)
  fails("number expected", write, b, 0, {})
end
buffer.writeu8(b, 0, 0x1ff)
assert(buffer.readu8(b, 0) == 0xff and buffer.readi8(b, 0) == -1)
buffer.writei32(b, 0, 0x01020304)
assert(buffer.readu8(b, 0) == 4 and buffer.readu8(b, 3) == 1)
for _, value in ipairs{0.5, -1e300, math.huge, -0.0, 3} do
  buffer.writef64(b, 1, value)
  assert(buffer.readf64(b, 1) == value and math.type(buffer.readf64(b, 1)) == "float")
end
buffer.writef64(b, 0, 0 / 0)
assert(buffer.readf64(b, 0) ~= buffer.readf64(b, 0))
buffer.writei64(b, 0, -1)  -- the bits of a NaN that is no value's own
assert(buffer.readf64(b, 0) ~= buffer.readf64(b, 0) and buffer.readf32(b, 0) ~= buffer.readf32(b, 0))
buffer.writef32(b, 2, 0.1)
assert(math.abs(buffer.readf32(b, 2) - 0.1) < 1e-8)

-- Bits.
do
  local bits = buffer.create(9)
  for offset = 0, 72 - 32 do
    buffer.fill(bits, 0, 0)
    buffer.writebits(bits, offset, 32, 0xdeadbeef)
    assert(buffer.readbits(bits, offset, 32) == 0xdeadbeef)
    assert(offset == 0 or buffer.readbits(bits, offset - 1, 1) == 0)
  end
  buffer.fill(bits, 0, 255)
  buffer.writebits(bits, 5, 3, 0)
  assert(buffer.readu8(bits, 0) == 0x1f and buffer.readu8(bits, 1) == 255)
  assert(buffer.readbits(bits, 72, 0) == 0)
  buffer.writebits(bits, 72, 0, 1)
  fails("bit offset 41 and 32 bits", buffer.readbits, bits, 41, 32)
  fails("bit count 33", buffer.readbits, bits, 0, 33)
  fails("bit count -1", buffer.writebits, bits, 0, -1, 0)
  fails("bit offset -1", buffer.writebits, bits, -1, 1, 0)
end

-- Strings and blocks.
do
  local s = buffer.fromstring("hello, world")
  assert(#s == 12 and buffer.readstring(s, 7, 5) == "world" and buffer.readstring(s, 12, 0) == "")
  buffer.writestring(s, 0, "HELLO")
  buffer.writestring(s, 7, "WORLDS", 5)
  assert(buffer.tostring(s) == "HELLO, WORLD")
  fails("count 7 is more than the string has", buffer.writestring, s, 0, "WORLDS", 7)
  fails("offset 8 and 5 bytes", buffer.readstring, s, 8, 5)
  fails("count -1 is negative", buffer.readstring, s, 0, -1)
  fails("value expected", buffer.readstring, s, 0)
  fails("out of bounds", buffer.writestring, s, 10, "abc")
  buffer.copy(s, 2, s, 0, 10)
  assert(buffer.tostring(s) == "HEHELLO, WOR")
  buffer.copy(s, 0, buffer.fromstring("abc"))
  buffer.copy(s, 11, buffer.fromstring("abc"), 2)
  assert(buffer.tostring(s) == "abcELLO, WOc")
  buffer.copy(s, 12, buffer.create(0))
  fails("offset 11 and 3 bytes", buffer.copy, s, 11, buffer.fromstring("abc"))
  fails("count 4 is more than the source has from 1 on (2 bytes)", buffer.copy, s, 0,
        buffer.fromstring("abc"), 1, 4)
  fails("offset 4 and 0 bytes", buffer.copy, s, 0, buffer.fromstring("abc"), 4)
  buffer.fill(s, 3, ("x"):byte(), 4)
  assert(buffer.tostring(s) == "abcxxxx, WOc")
  buffer.fill(s, 12, 1)
  fails("offset 9 and 4 bytes", buffer.fill, s, 9, 0, 4)
  fails("buffer expected", buffer.copy, s, 0, "text")
  fails("buffer expected", buffer.len, {})
  fails("buffer expected", buffer.readi8, io.stdout, 0)
end

fails("size -1 is out of range", buffer.create, -1)
fails("out of range", buffer.create, math.maxinteger)
fails("not enough memory", buffer.create, 1 << 39)
assert(#buffer.create(0) == 0)

-- They are the heap's bytes, and keep their content when everything moves.
do
  collectgarbage()
  local before = collectgarbage("count")
  local large = buffer.create(8 << 20)
  assert(collectgarbage("count") - before >= 8 << 10)
  local small = {}
  for i = 1, 1000 do
    small[i] = buffer.create(i % 64 + 8)
    buffer.writei64(small[i], i % 64, i)
  end
  for _ = 1, 3 do
    collectgarbage("step")
    collectgarbage()
  end
  for i = 1, 1000 do assert(buffer.readi64(small[i], i % 64) == i) end
  buffer.writef64(large, (8 << 20) - 8, 1)
  large = nil
  collectgarbage()
  collectgarbage()
  assert(collectgarbage("count") - before < 4 << 10)
end
print("ok")
