-- expect: ok
-- require, searchers, searchpath, loadlib.
local function fails(message, f, ...)
  local ok, err = pcall(f, ...)
  assert(not ok and err == message, tostring(err))
end

assert(require("string") == string and select("#", require("os")) == 1)
assert(package.loaded._G == _G and package.config == "/\n;\n?\n!\n-\n" and #package.searchers == 4)
for _, name in ipairs({"coroutine", "debug", "io", "math", "os", "package", "string", "table", "utf8"}) do
  assert(package.loaded[name] == _G[name])
end

package.preload["pre.x"] = function(...) assert(select("#", ...) == 2); return ... end
local value, data = require("pre.x")
assert(value == "pre.x" and data == ":preload:" and select("#", require("pre.x")) == 1)
package.preload.silent = function() end
assert(require("silent") == true and package.loaded.silent == true)
package.preload.own = function(name) package.loaded[name] = "set" end
assert(require("own") == "set")

local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir " .. folder .. " " .. folder .. "/sub"))
local function write(name, text)
  local file = assert(io.open(folder .. "/" .. name, "w")); file:write(text); file:close()
end
package.path = folder .. "/?.lua;" .. folder .. "/?/init.lua"
package.cpath = folder .. "/?.so"
write("one.lua", "return {name = ..., file = select(2, ...)}")
local one, file = require("one")
assert(one.name == "one" and file == folder .. "/one.lua" and one.file == file)
write("sub/two.lua", "return 'two'")
assert(require("sub.two") == "two")
write("sub/init.lua", "return 'init'")
assert(require("sub") == "init")
write("broken.lua", "x =")
local ok, err = pcall(require, "broken")
assert(err:find("error loading module 'broken' from file '" .. folder .. "/broken.lua':\n\t", 1, true) == 1)
assert(err:find("broken.lua:1: unexpected symbol near <eof>", 1, true))
write("raises.lua", "error('raised', 0)")
fails("raised", require, "raises")
assert(package.loaded.raises == nil)
fails("module 'no.such' not found:\n\tno field package.preload['no.such']" ..
      "\n\tno file '" .. folder .. "/no/such.lua'\n\tno file '" .. folder .. "/no/such/init.lua'" ..
      "\n\tno file '" .. folder .. "/no/such.so'\n\tno file '" .. folder .. "/no.so'",
      require, "no.such")

local found, tried = package.searchpath("sub.two", package.path)
assert(found == folder .. "/sub/two.lua")
found, tried = package.searchpath("a-b", "./?.q;/?/r", "-", "+")
assert(found == nil and tried == "no file './a+b.q'\n\tno file '/a+b/r'")
found, tried = package.searchpath("a.b", "?.q", "")
assert(tried == "no file 'a.b.q'")
found, tried = package.searchpath("zz", ";;")
assert(tried == "no file ''\n\tno file ''\n\tno file ''")

local a, b, c = package.loadlib("/nonexistent/x", "y")
assert(a == nil and type(b) == "string" and (c == "open" or c == "absent"))

local path = package.path
package.path = nil
fails("'package.path' must be a string", require, "zz")
package.path = path
package.cpath = nil
fails("'package.cpath' must be a string", require, "zz")
package.cpath = ""
local searchers = package.searchers
package.searchers = nil
fails("'package.searchers' must be a table", require, "zz")
package.searchers = {function() return "m1" end, function() return nil end, function() return 2 end}
fails("module 'zz' not found:\n\tm1\n\t2", require, "zz")
package.searchers = {function(name) return function(...) return {...} end, "data" end}
value, data = require("zz")
assert(value[1] == "zz" and value[2] == "data" and data == "data")
package.searchers = searchers
fails("bad argument #1 to 'require' (string expected, got no value)", require)
os.execute("rm -r " .. folder)
print("ok")
