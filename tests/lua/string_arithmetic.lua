-- expect: ok
-- Strings as operands of arithmetic.
local function fails(words, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok and tostring(message):find(words, 1, true), tostring(message))
end
assert("10" + 5 == 15 and math.type("10" + 5) == "integer" and "0x10" * 2 == 32)
assert("3.0" + 1 == 4.0 and math.type("3.0" + 1) == "float" and -"2" == -2 and "7" // 2 == 3)
assert("2" ^ 2 == 4.0 and 10 % "3" == 1 and " 10 " - "1" == 9 and "1" / "2" == 0.5)
local metatable = getmetatable("")
assert(metatable.__index == string and metatable.__add("1", "2") == 3)
assert(metatable.__unm("5", "5") == -5)
local other = setmetatable({}, {__add = function(a, b) return a, b end})
assert(metatable.__add("x", other) == "x" and ("1" + other) == "1")
fails("attempt to add a 'string' with a 'table'", metatable.__add, "a", {})
fails("attempt to unm a 'string' with a 'string'", metatable.__unm, "x", "x")
fails("attempt to add a 'nil' with a 'nil'", metatable.__add)
-- Bits are for numbers: the string library has no metamethods for them, a script may.
fails("attempt to perform bitwise operation on a string value (constant '10')",
      function() return "10" | 1 end)
fails("attempt to perform bitwise operation on a string value (local 'a')",
      function() local a = "0x10" return 9 >> a end)
fails("attempt to perform bitwise operation on a string value (local 'a')",
      function() local a = "3" return ~a end)
metatable.__bor = function(a, b) return tonumber(a) | tonumber(b) end
assert("10" | 1 == 11 and 1 | "2" == 3)
metatable.__bor = nil
print("ok")
