-- expect: ok
-- getinfo, locals, upvalues, metatables, hooks, traceback.
local function fails(text, f, ...)
  local ok, err = pcall(f, ...)
  assert(not ok and err:find(text, 1, true), tostring(err))
end

-- getinfo
local function sample(a, b, ...)
  local c = 1
  return c
end
local i = debug.getinfo(sample)
assert(i.what == "Lua" and i.short_src:find("debug_library.lua", 1, true) and i.source:sub(1, 1) == "@")
assert(i.lastlinedefined - i.linedefined == 3 and i.currentline == -1 and i.func == sample)
assert(i.nparams == 2 and i.isvararg and i.nups == 0 and i.istailcall == false and i.namewhat == "")
i = debug.getinfo(print)
assert(i.what == "C" and i.short_src == "[C]" and i.source == "=[C]" and i.linedefined == -1 and i.isvararg)
assert(debug.getinfo(1, "l").currentline == 19)
assert(debug.getinfo(1, "S").what == "main" and debug.getinfo(100) == nil)
assert(debug.getinfo(1, "f").func ~= nil and next(debug.getinfo(1, "l"), "currentline") == nil)
local lines = debug.getinfo(sample, "L").activelines
assert(lines[i.linedefined] == nil)
local count = 0
for l in pairs(lines) do count = count + 1 end
assert(count == 3)
fails("invalid option", debug.getinfo, 1, "X")
fails("invalid option '>'", debug.getinfo, 1, ">")
fails("number expected, got string", debug.getinfo, "x")
local function tail() return debug.getinfo(1, "t").istailcall end
local function call_tail() return tail() end
assert(call_tail() == true and tail() == false)

-- Locals
local function locals(p, ...)
  local q = "q"
  local names = {}
  local n = 1
  while true do
    local name, value = debug.getlocal(1, n)
    if not name or name:sub(1, 1) == "(" then break end
    names[name] = value
    n = n + 1
  end
  assert(names.p == "arg" and names.q == "q")
  local name, value = debug.getlocal(1, -2)
  assert(name == "(vararg)" and value == "v2" and debug.getlocal(1, -3) == nil)
  assert(debug.setlocal(1, 2, "changed") == "q" and q == "changed")
  assert(debug.setlocal(1, -1, "w") == "(vararg)" and (...) == "w")
  assert(debug.setlocal(1, 100, 1) == nil)
end
locals("arg", "v1", "v2")
assert(debug.getlocal(sample, 1) == "a" and debug.getlocal(sample, 2) == "b" and debug.getlocal(sample, 3) == nil)
assert(debug.getlocal(print, 1) == nil)
fails("level out of range", debug.getlocal, 100, 1)
fails("level out of range", debug.setlocal, 100, 1, 1)

-- Of another coroutine
local co = coroutine.create(function(x) local y = 2; coroutine.yield(); return x, y end)
coroutine.resume(co, 1)
assert(debug.getinfo(co, 0, "S").what == "C" and debug.getinfo(co, 1, "S").what == "Lua")
local name, value = debug.getlocal(co, 1, 1)
assert(name == "x" and value == 1)
assert(debug.setlocal(co, 1, 2, {"new"}) == "y")
collectgarbage()
local _, x, y = coroutine.resume(co)
assert(x == 1 and y[1] == "new")
assert(debug.getinfo(co, 0) == nil)

-- Upvalues
local u, v = 1, 2
local function f() return u, v end
local function g() return v, u end
name, value = debug.getupvalue(f, 2)
assert(name == "v" and value == 2 and select("#", debug.getupvalue(f, 3)) == 0)
assert(debug.setupvalue(f, 1, "U") == "u" and u == "U" and select("#", debug.setupvalue(f, 9, 1)) == 0)
assert(debug.upvalueid(f, 1) == debug.upvalueid(g, 2) and debug.upvalueid(f, 1) ~= debug.upvalueid(f, 2))
collectgarbage()
assert(debug.upvalueid(f, 1) == debug.upvalueid(g, 2) and debug.upvalueid(f, 3) == nil)
debug.upvaluejoin(f, 1, g, 1)
assert(select(1, f()) == 2 and debug.upvalueid(f, 1) == debug.upvalueid(f, 2))
fails("invalid upvalue index", debug.upvaluejoin, f, 3, g, 1)
fails("value expected", debug.setupvalue, f, 1)

-- Metatables of any type
assert(debug.setmetatable(10, {__index = function(n, k) return k .. n end}) == 10)
assert((5).abc == "abc5" and debug.getmetatable(1) == debug.getmetatable(2.5))
debug.setmetatable(10, nil)
assert(debug.getmetatable(10) == nil and debug.getmetatable("").__index == string)
assert(debug.getmetatable(setmetatable({}, {__metatable = 1})) ~= 1)
fails("nil or table expected", debug.setmetatable, 1)
assert(type(debug.getregistry()) == "table" and debug.getregistry()._LOADED == package.loaded)
assert(debug.getuservalue(1) == nil and debug.getuservalue(io.stdout, 1) == nil)
fails("userdata expected, got number", debug.setuservalue, 1, 2)
assert(debug.setuservalue(io.stdout, 1, 5) == nil)

-- Hooks
assert(debug.gethook() == nil)
local events = {}
local function hook(event, line) events[#events + 1] = event end
debug.sethook(hook, "crl", 0)
local got, mask, number = debug.gethook()
debug.sethook()
assert(got == hook and mask == "crl" and number == 0 and #events > 0)
assert(debug.gethook() == nil)
local seen = {}
debug.sethook(function(_, line) seen[line] = true end, "l")
local one = 1
local two = 2
debug.sethook()
local last = debug.getinfo(1, "l").currentline
assert(seen[last - 3] and seen[last - 2] and seen[last - 1])
local ticks = 0
debug.sethook(function(e) assert(e == "count"); ticks = ticks + 1 end, "", 100)
for _ = 1, 10000 do one = one + 1 end
debug.sethook()
assert(ticks > 10)
local calls = {}
debug.sethook(function(e) calls[#calls + 1] = e .. ":" .. tostring(debug.getinfo(2, "n").name) end, "cr")
f()
debug.sethook()
local text = table.concat(calls, " ")
assert(text:find("call:f", 1, true) and text:find("return:f", 1, true), text)
fails("string expected, got no value", debug.sethook, print)

-- Tracebacks
text = debug.traceback("msg")
assert(text:match("^msg\nstack traceback:\n\t[^\n]-debug_library.lua:%d+: in main chunk"), text)
local table_message = {}
assert(debug.traceback(table_message) == table_message and debug.traceback(nil):match("^stack traceback:\n"))
local function inner() return (debug.traceback("x", 1)) end
local function outer() local s = inner(); return s end
text = outer()
assert(text:match("^x\nstack traceback:\n\t.-: in upvalue 'inner'\n\t.-: in local 'outer'\n"), text)
text = select(2, xpcall(string.rep, debug.traceback))
assert(text:find("[C]: in function 'string.rep'", 1, true), text)
text = select(2, xpcall(error, debug.traceback, "e"))
assert(text:find("[C]: in function 'error'", 1, true), text)
local function deep(n) if n == 0 then return debug.traceback("d") end; local s = deep(n - 1); return s end
text = deep(50)
assert(text:find("\n\t...\t(skipping ", 1, true), text)
local shown = select(2, text:gsub("\n", ""))
assert(shown == 1 + 10 + 1 + 11, shown)
co = coroutine.create(function() local z = 1; coroutine.yield() end)
coroutine.resume(co)
text = debug.traceback(co, "co")
assert(text:match("^co\nstack traceback:\n\t%[C%]: in function 'coroutine.yield'\n\t.-: in function <.-:%d+>$"), text)
assert(debug.traceback(co, nil, 5) == "stack traceback:")
assert(debug.traceback(coroutine.create(print)) == "stack traceback:")

-- Errors that are caught inside a hook leave it running: it is not called for what it calls.
do
  local calls, caught = 0, 0
  local function failing() error("x") end
  local function called() end
  debug.sethook(function()
    calls = calls + 1
    if not pcall(failing) then caught = caught + 1 end
    if not pcall(load("local a = 'x' + 1")) then caught = caught + 1 end
    if not xpcall(failing, function() called() return failing() end) then caught = caught + 1 end
    called()
  end, "c")
  called()
  debug.sethook()
  assert(calls == 2 and caught == 6)
  -- A protected call that is the hook itself.
  debug.sethook(pcall, "c")
  called()
  debug.sethook()
end

-- The line hook of a function without lines gets nil, at its beginning and at each jump back.
do
  local function sum() local s = 0 for i = 1, 3 do s = s + i end return s end
  local stripped = load(string.dump(sum, true))
  local lines = ""
  debug.sethook(function(_, line) lines = lines .. tostring(line) .. " " end, "l")
  local result = stripped() debug.sethook()
  assert(result == 6 and lines:find("^%d+ nil nil nil $"), lines)
end

-- The registry shows the hooks by coroutine, and does not keep the coroutines.
do
  local hooks = debug.getregistry()._HOOKKEY
  assert(getmetatable(hooks).__mode == "k" and hooks[coroutine.running()] == nil)
  local function hook() end
  local function hook_another()
    local co = coroutine.create(print)
    debug.sethook(co, hook, "l")
    assert(hooks[co] == hook and debug.gethook(co) == hook)
    debug.sethook(co)
    assert(hooks[co] == nil and debug.gethook(co) == nil)
    debug.sethook(co, hook, "l")
  end
  for _ = 1, 3 do hook_another() end
  collectgarbage()
  assert(next(hooks) == "__mode" and next(hooks, "__mode") == nil)
end
print("ok")
