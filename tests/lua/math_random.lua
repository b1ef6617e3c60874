-- expect: ok
-- math.random, math.randomseed.
local function fails(words, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok and tostring(message):find(words, 1, true), tostring(message))
end
math.randomseed(1007)
assert(math.random(0) == 0x7a7040a5a323c9d6)
local a, b = math.randomseed(1, 2)
assert(a == 1 and b == 2)
local first = {}
for i = 1, 20 do first[i] = math.random(100) end
math.randomseed(1, 2)
for i = 1, 20 do assert(math.random(100) == first[i]) end
math.randomseed(1, 2.0)
assert(not pcall(math.random, 2, 1))  -- uses up a number
assert(math.random(100) == first[2])
for _ = 1, 200 do
  local x, i, j = math.random(), math.random(6), math.random(-3, 3)
  assert(x >= 0 and x < 1 and i >= 1 and i <= 6 and j >= -3 and j <= 3)
end
assert(math.random(5, 5) == 5 and math.type(math.random(math.mininteger, math.maxinteger)) == "integer")
a, b = math.randomseed()
assert(math.type(a) == "integer" and math.type(b) == "integer")
fails("interval is empty", math.random, 2, 1)
fails("interval is empty", math.random, -1)
fails("wrong number of arguments", math.random, 1, 2, 3)
fails("number has no integer representation", math.random, 0.5)
fails("number expected, got string", math.randomseed, "x")
print("ok")
