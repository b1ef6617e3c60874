-- expect: ok
-- Opening, closing, types, seek, buffers, error triples.
local path = os.tmpname()
local function fails(text, f, ...)
  local ok, err = pcall(f, ...)
  assert(not ok and err:find(text, 1, true), tostring(err))
end

local f, message, code = io.open("/nonexistent/file")
assert(f == nil and message == "/nonexistent/file: No such file or directory" and code == 2)
fails("(invalid mode)", io.open, path, "rw")
fails("(invalid mode)", io.open, path, "")
for _, mode in ipairs({"r", "w", "a", "r+", "w+", "a+b", "rb", "r+b"}) do
  io.open(path, mode):close()
end

f = assert(io.open(path, "w"))
assert(io.type(f) == "file" and io.type(1) == nil and tostring(f):match("^file %(0x"))
assert(f:write("abc", 1, " ", 2.5, " ", 1.0, "\n") == f)
assert(f:seek() == 12 - 2 + 0 or f:seek() > 0)
local size = f:seek("end")
assert(f:seek("set", 1) == 1 and f:seek("cur", 2) == 3)
local r
r, message, code = f:seek("set", -1)
assert(r == nil and message == "Invalid argument" and code == 22)
fails("invalid option 'bad'", f.seek, f, "bad")
fails("number has no integer representation", f.seek, f, "set", 1.5)
assert(f:setvbuf("full", 2000) == true and f:setvbuf("no") == true and f:setvbuf("line") == true)
fails("invalid option 'bad'", f.setvbuf, f, "bad")
f:flush()
assert(io.flush())
r, message, code = f:read()
assert(r == nil and message == "Bad file descriptor" and code == 9)
assert(f:close() == true)
assert(io.type(f) == "closed file" and tostring(f) == "file (closed)")
fails("attempt to use a closed file", f.read, f)
fails("attempt to use a closed file", f.close, f)
fails("attempt to use a closed file", f.write, f, "x")
fails("attempt to use a closed file", f.lines, f)
fails("attempt to use a closed file", f.seek, f)
f = assert(io.open(path))
r, message, code = f:write("x")
assert(r == nil and message == "Bad file descriptor" and code == 9)
f:close()

r, message = io.stderr:close()
assert(r == nil and message == "cannot close standard file")
local metatable = getmetatable(io.stdout)
assert(metatable.__name == "FILE*" and metatable.__index.write == io.stdout.write)
fails("(FILE* expected, got number)", io.close, 1)
fails("(string expected, got table)", io.write, {})

do
  local g <close> = assert(io.open(path))
  f = g
end
assert(io.type(f) == "closed file")

-- Files that are dropped are closed: there are not that many descriptors.
for i = 1, 3000 do
  local g = io.open(path)
  if not g then collectgarbage(); collectgarbage(); g = assert(io.open(path)) end
end

-- Default files.
local old_out, old_in = io.output(), io.input()
assert(old_out == io.stdout and old_in == io.stdin)
assert(io.type(io.output(path)) == "file" and io.write("line 1\n", "line 2\n") == io.output())
assert(io.close() == true)
fails("default output file is closed", io.write, "x")
io.output(old_out)
assert(io.input(path) ~= old_in and io.read() == "line 1" and io.read("L") == "line 2\n")
assert(io.read() == nil and io.read("a") == "")
io.input():close()
fails("default input file is closed", io.read)
fails("attempt to use a closed file", io.lines)
io.input(old_in)
fails("cannot open file '/nonexistent/file' (No such file or directory)", io.input, "/nonexistent/file")

-- Pipes.
f = assert(io.popen("echo hello; exit 5"))
assert(f:read("a") == "hello\n")
local how, status
r, how, status = f:close()
assert(r == nil and how == "exit" and status == 5)
f = assert(io.popen("cat > " .. path, "w"))
f:write("through")
assert(f:close() == true)
assert(io.open(path):read("a") == "through")
fails("(invalid mode)", io.popen, "true", "rw")

f = io.tmpfile()
f:write("temporary")
f:seek("set")
assert(f:read("a") == "temporary")
f:close()
os.remove(path)
print("ok")
