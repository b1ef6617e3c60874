-- expect: ok
-- What error messages call values.
local function fails(code, text)
  local f = assert(load(code, "=c"))
  local ok, err = pcall(f)
  assert(not ok and err:find(text, 1, true), code .. "\n" .. tostring(err))
end

fails("local a; a()", "attempt to call a nil value (local 'a')")
fails("aaa()", "attempt to call a nil value (global 'aaa')")
fails("local t = {}; t.x.y()", "attempt to index a nil value (field 'x')")
fails("local t = {}; t.x()", "attempt to call a nil value (field 'x')")
fails("local t = {}; t:x()", "attempt to call a nil value (method 'x')")
fails("local t = {}; local k = 'key'; t[k].z = 1", "attempt to index a nil value (field '?')")
fails("local t = {}; return t['a b'].z", "attempt to index a nil value (field 'a b')")
fails("local t = {}; return t[1].z", "attempt to index a nil value (field 'integer index')")
fails("local a; local function f() return a.x end; f()", "attempt to index a nil value (upvalue 'a')")
fails("local a; return -a", "attempt to perform arithmetic on a nil value (local 'a')")
fails("local a = {}; return a + 1", "attempt to perform arithmetic on a table value (local 'a')")
fails("return xx + 1", "attempt to perform arithmetic on a nil value (global 'xx')")
fails("local a = {}; return #a.b", "attempt to get length of a nil value (field 'b')")
fails("local a; return 'x' .. a", "attempt to concatenate a nil value (local 'a')")
fails("local a, b = {}, {}; return a < b", "attempt to compare two table values")
fails("return 1 < 'x'", "attempt to compare number with string")
fails("local a = 1.5; return a | 1", "number (local 'a') has no integer representation")
fails("do local last <close> = {} end", "variable 'last' got a non-closable value")
fails("local a = 'x'; return a & 1", "attempt to perform bitwise operation on a string value (local 'a')")
fails("return ('x')()", "attempt to call a string value")
fails("return {} .. 'x'", "attempt to concatenate a table value")
fails("for i in 1 do end", "attempt to call a number value")
fails("local _ENV = {}; x()", "attempt to call a nil value (global 'x')")
fails("local t = setmetatable({}, {__index = function(t, k) return t + 1 end}); return t.x",
      "attempt to perform arithmetic on a table value (local 't')")
fails("local x = nil; x.y.z = 1", "attempt to index a nil value (local 'x')")
fails("a.b.c = 1", "attempt to index a nil value (global 'a')")
-- Several ways to a register: no name is better than a wrong one.
fails("local a, b = 1; return (a and b or c).x", "attempt to index a nil value")
local ok, err = pcall(load("local t = {}; local v = (t.a or t.b).c"))
assert(not err:find("field 'a'", 1, true))

-- Functions by the way they were called.
local function name_of_caller(level) local i = debug.getinfo(level or 2, "n"); return i.name, i.namewhat end
local function here() local n, w = name_of_caller(2); return n, w end
local t = {m = function() local n, w = name_of_caller(2) return n, w end}
local n, w = here()
assert(n == "here" and w == "local")
n, w = t:m()
assert(n == "m" and w == "method")
n, w = t.m()
assert(n == "m" and (w == "field" or w == "method"))
global_function = here
n, w = global_function()
assert(n == "global_function" and w == "global")
local mt = setmetatable({}, {__add = function() return {name_of_caller(2)} end,
                             __index = function() return {name_of_caller(2)} end})
local r = mt + 1
assert(r[1] == "add" and r[2] == "metamethod")
r = mt.x
assert(r[1] == "index" and r[2] == "metamethod")
for v in (function(_, c) if not c then return {name_of_caller(2)} end end) do
  assert(v[1] == "for iterator" and v[2] == "for iterator")
  break
end
do  -- a finalizer is called by nobody in the script
  local name, what
  setmetatable({}, {__gc = function()
    local info = debug.getinfo(1, "n")
    name, what = info.name, info.namewhat
  end})
  collectgarbage()
  assert(name == "__gc" and what == "metamethod")
end
print("ok")
