-- expect: ok
-- find, match, gmatch, gsub.
local function fails(words, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok and tostring(message):find(words, 1, true), tostring(message))
end
local function same(list, ...)
  assert(select("#", ...) == #list)
  for i, v in ipairs(list) do assert(select(i, ...) == v) end
end
same({2, 2}, ("abc"):find("b"))
same({4, 3}, ("abc"):find("", 4))
assert(("abc"):find("", 5) == nil and ("abc"):find("b", -1) == nil and ("abc"):find("b", 10) == nil)
same({2, 2}, ("a.c"):find(".", 2, true))
same({1, 3, "k", "v"}, ("k=v"):find("(%w)=(%w)"))
same({"k", 2}, ("k=v"):match("(%w)()"))
assert(("  x "):match("^%s*(.-)%s*$") == "x" and ("abc"):match("%d") == nil)
assert(("f(a(b)c)d"):match("%b()") == "(a(b)c)" and ("THE (quick) fox"):find("%((%a+)%)") == 5)
local got = {}
for k, v in ("a=1, b=2"):gmatch("(%w+)=(%w+)") do got[#got + 1] = k .. v end
assert(table.concat(got, " ") == "a1 b2")
got = {}
for p in ("abc"):gmatch("()", -1) do got[#got + 1] = p end
assert(table.concat(got, " ") == "3 4")
for _ in ("abc"):gmatch("x", 100) do error("none") end
for w in ("one two"):gmatch("%a+") do collectgarbage() got[#got + 1] = w end
assert(got[3] == "one" and got[4] == "two")
same({"hexxo", 2}, ("hello"):gsub("l", "x"))
same({"hexlo", 1}, ("hello"):gsub("l", "x", 1))
same({"hello hello", 1}, ("hello"):gsub("%w+", "%0 %0"))
same({"world hello", 1}, ("hello world"):gsub("(%w+) (%w+)", "%2 %1"))
same({"-a-b-", 3}, ("ab"):gsub("", "-"))
same({"a1c", 1}, ("abc"):gsub("b", {b = 1}))
same({"abc", 1}, ("abc"):gsub("b", {}))
same({"b", 1}, ("b"):gsub("b", function() return false end))
same({"7x7x", 2}, ("abab"):gsub("a", 7):gsub("b", "x"))
same({"[1][3]", 2}, ("xy"):gsub("()(.)", function(p, c) collectgarbage() return "[" .. p * 2 - 1 .. "]" end))
local lookup = setmetatable({}, {__index = function(_, k) return k:upper() end})
same({"ABC", 3}, ("abc"):gsub(".", lookup))
same({"abc%d", 1}, ("abc%d"):gsub("%%d", "%%%%d"):gsub("%%%%", "%%"))
local long = ("ab"):rep(1000)
same({("cb"):rep(1000), 1000}, long:gsub("a", function() return ("c"):rep(1) end))
fails("invalid use of '%' in replacement string", string.gsub, "abc", "b", "%x")
fails("invalid capture index %2", string.gsub, "abc", "b", "%2")
fails("invalid replacement value (a table)", string.gsub, "abc", "b", function() return {} end)
fails("invalid replacement value (a boolean)", string.gsub, "abc", "b", {b = true})
fails("string/function/table expected, got boolean", string.gsub, "abc", "b", true)
fails("number expected, got string", string.gsub, "x", "x", "y", "z")
fails("malformed pattern (missing ']')", string.find, "a", "[a")
fails("malformed pattern (ends with '%')", string.find, "a", "%")
fails("unfinished capture", string.match, "a", "(a")
fails("inside", string.gsub, "abc", "b", function() error("inside") end)
assert(not pcall(("a"):rep(3):gmatch("(a")))
print("ok")
