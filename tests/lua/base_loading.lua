-- expect: ok
-- load, loadfile, dofile.
local function fails(message, f, ...)
  local ok, err = pcall(f, ...)
  assert(not ok and err == message, tostring(err))
end

assert(load("return ...", "c")(1) == 1)
local f, err = load("x =", "=name")
assert(f == nil and err == "name:1: unexpected symbol near <eof>")
f, err = load("x = = 1")
assert(err == "[string \"x = = 1\"]:1: unexpected symbol near '='")
f, err = load(string.dump(function() end), "b", "t")
assert(f == nil and err == "attempt to load a binary chunk (mode is 't')")
f, err = load("return 1", "=t", "b")
assert(f == nil and err == "attempt to load a text chunk (mode is 'b')")

local pieces = {"return ", "1", " + 2", "", "ignored"}
local i = 0
assert(load(function() i = i + 1; return pieces[i] end)() == 3 and i == 4)
assert(load(function() return nil end)() == nil)
f, err = load(function() return {} end)
assert(f == nil and err:find("reader function must return a string", 1, true))
f, err = load(function() error("reader", 0) end)
assert(f == nil and err:find("reader", 1, true) == 1)
fails("bad argument #1 to 'load' (function expected, got table)", load, {})

local env = {x = 7}
assert(load("return x", "c", "t", env)() == 7)
load("y = x + 1", "c", "t", env)()
assert(env.y == 8 and y == nil)
assert(load("return _ENV", "c", "t", nil)() == nil)

local path = os.tmpname()
local function write(text)
  local file = assert(io.open(path, "wb")); file:write(text); file:close()
end
write("return ..., 'second'")
assert(select("#", loadfile(path)(1)) == 2)
assert(dofile(path) == nil and select(2, dofile(path)) == "second")
write("#!shebang\nreturn debug.getinfo(1, 'l').currentline")
assert(dofile(path) == 2)
write("\xEF\xBB\xBFreturn 'bom'")
assert(dofile(path) == "bom")
write("#only a comment")
assert(select("#", dofile(path)) == 0)
write("# comment\n" .. string.dump(function() return "binary" end))
assert(dofile(path) == "binary")
write("return x")
assert(loadfile(path, "t", {x = 5})() == 5)
write("error('in file', 0)")
fails("in file", dofile, path)
write("= 1")
f, err = loadfile(path)
assert(f == nil and err:find(":1: unexpected symbol near '='", 1, true))
assert(os.remove(path))
f, err = loadfile("/nonexistent.lua")
assert(f == nil and err == "cannot open /nonexistent.lua: No such file or directory" or
       err == "cannot open /nonexistent.lua")
assert(not pcall(dofile, "/nonexistent.lua"))
f, err = loadfile("/tmp")
assert(f == nil and err:find("cannot read /tmp", 1, true) == 1)
print("ok")
