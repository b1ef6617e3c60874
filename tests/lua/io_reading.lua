-- expect: ok
-- Formats of read, lines.
local function fails(text, f, ...)
  local ok, err = pcall(f, ...)
  assert(not ok and err:find(text, 1, true), tostring(err))
end
local path = os.tmpname()
local function with(text)
  local f = assert(io.open(path, "w"))
  f:write(text)
  f:close()
  return assert(io.open(path))
end

local f = with("first\nsecond\n\nlast")
assert(f:read() == "first" and f:read("L") == "second\n" and f:read("*l") == "" and f:read("l") == "last")
assert(f:read("l") == nil and f:read("a") == "" and f:read(0) == nil and f:read(1) == nil)
f:seek("set")
local a, b, c, d = f:read(2, 0, 3, "n")
assert(a == "fi" and b == "" and c == "rst" and d == nil)
f:close()

f = with("12 0x1F -3.5e1 .5 0x.8p1 1e+ 7")
a, b, c, d = f:read("n", "n", "n", "n")
assert(a == 12 and b == 31 and c == -35.0 and d == 0.5)
a, b, c = f:read("n", "n", "n")
assert(a == 1.0 and b == nil and c == nil)
assert(f:read("n") == 7)
f:close()
f = with(("1"):rep(250))
assert(f:read("n") == nil)
f:close()
f = with("nan inf 0x")
assert(f:read("n") == nil)
f:close()

local big = ("x"):rep(10000) .. "\n" .. ("y"):rep(70000)
f = with(big)
assert(#f:read() == 10000 and #f:read(65536) == 65536 and #f:read("a") == 70000 - 65536)
f:seek("set")
assert(f:read("a") == big)
f:seek("set")
assert(#f:read(1 << 30) == #big)
fails("not enough memory", f.read, f, -1)
fails("invalid format", f.read, f, "x")
fails("invalid format", f.read, f, "")
fails("string expected, got table", f.read, f, {})
f:close()

f = with("a\0b\n\0\n")
assert(f:read() == "a\0b" and f:read("L") == "\0\n")
f:close()

-- lines
with("1 2\n3 4\n"):close()
local n = 0
for l in io.lines(path) do n = n + 1; assert(#l == 3) end
assert(n == 2)
n = 0
for x, y in io.lines(path, "n", "n") do n = n + x * y end
assert(n == 14)
for l in io.lines(path, "L") do assert(l:sub(-1) == "\n") end
n = 0
for byte in io.lines(path, 1) do n = n + 1 end
assert(n == 8)
assert(select("#", io.lines(path)) == 4)
local iterator, _, _, file = io.lines(path)
iterator() iterator()
assert(iterator() == nil and io.type(file) == "closed file")
fails("file is already closed", iterator)
do
  local kept
  for l in io.lines(path) do break end
end
fails("cannot open file '/nonexistent/x' (No such file or directory)", io.lines, "/nonexistent/x")
f = assert(io.open(path))
iterator = f:lines("n")
assert(iterator() == 1 and iterator() == 2)
assert(f:lines()() == "" and f:lines()() == "3 4" and f:lines()() == nil and io.type(f) == "file")
f:close()
fails("file is already closed", iterator)
f = assert(io.open(path))
fails("too many arguments", f.lines, f, table.unpack({}, 1, 251))
iterator = f:lines(table.unpack({}, 1, 0))
assert(iterator() == "1 2")
local formats = {}
for i = 1, 250 do formats[i] = 1 end
f:seek("set")
assert(select("#", f:lines(table.unpack(formats))()) == 9)
f:close()
local old = io.input(path)
n = 0
for l in io.lines() do n = n + 1 end
assert(n == 2 and io.type(io.input()) == "file")
io.input():close()
io.input(io.stdin)
fails("Is a directory", io.lines("/tmp"))
os.remove(path)
print("ok")
