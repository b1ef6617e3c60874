-- Objects with inherited methods, a list that links them, and fields that come and go.
local Animal = {}
Animal.__index = Animal
function Animal:speak() return self.volume + self:boost() end
function Animal:boost() return 1 end
local Dog = setmetatable({}, {__index = Animal})
Dog.__index = Dog
function Dog:boost() return 2 end
local sum = 0
for i = 1, 400000 do
  local one = setmetatable({volume = i % 5, name = "a"}, Animal)
  local two = setmetatable({volume = i % 3, name = "d", tail = true}, Dog)
  for _ = 1, 4 do sum = sum + one:speak() + two:speak() end
end
local list
for i = 1, 1000000 do list = {value = i, next = list} end
while list do sum = sum + list.value list = list.next end
for i = 1, 1000000 do
  local point = {}
  point.x = i
  point.y = i + 1
  point.z = point.x + point.y
  sum = sum + point.z
end
print(string.format("%.0f", sum))
