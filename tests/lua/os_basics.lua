-- expect: ok
-- Clock, environment, files, commands.
assert(math.type(os.clock()) == "float" and os.clock() >= 0)
assert(os.difftime(3, 1) == 2.0 and math.type(os.difftime(3, 1)) == "float")
local ok, err = pcall(function() os.difftime(1) end)
assert(err:find("bad argument #2 to 'difftime' (number expected, got no value)", 1, true))

assert(os.getenv("NEAP_NO_SUCH_VARIABLE") == nil and type(os.getenv("PATH")) == "string")

local name = os.tmpname()
assert(io.open(name)):close()
assert(os.rename(name, name .. "x") == true and io.open(name) == nil)
assert(os.remove(name .. "x") == true)
local r, message, code = os.remove(name)
assert(r == nil and message == name .. ": No such file or directory" and code == 2)
r, message, code = os.rename("/nonexistent/a", "/nonexistent/b")
assert(r == nil and message:find("No such file or directory$") and code == 2)

assert(os.execute() == true)
local s, how, status = os.execute("exit 3")
assert(s == nil and how == "exit" and status == 3)
s, how, status = os.execute("true")
assert(s == true and how == "exit" and status == 0)
s, how, status = os.execute("kill -9 $$")
assert(s == nil and how == "signal" and status == 9)

assert(os.setlocale("C") == "C" and os.setlocale() == "C" and os.setlocale(nil, "numeric") == "C")
assert(os.setlocale("no such locale") == nil)
ok, err = pcall(function() os.setlocale("C", "zz") end)
assert(err:find("bad argument #2 to 'setlocale' (invalid option 'zz')", 1, true))
ok, err = pcall(function() os.exit("x") end)
assert(err:find("bad argument #1 to 'exit' (number expected, got string)", 1, true))
print("ok")
