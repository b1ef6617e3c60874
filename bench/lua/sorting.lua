-- table.sort with and without a comparator, insertion and removal.
local seed = 1
local function random() seed = seed * 16807 % 2147483647 return seed end
local function filled(n) local t = {} for i = 1, n do t[i] = random() end return t end
local a, b, c = filled(300000), filled(200000), {}
table.sort(a)
table.sort(b, function(x, y) return x > y end)
for i = 1, 40000 do c[i] = "k" .. random() end
table.sort(c)
local list = {}
for i = 1, 4000 do table.insert(list, i % 50 + 1 <= #list and i % 50 + 1 or #list + 1, i) end
local sum = 0
while #list > 0 do sum = sum + table.remove(list, 1) end
print(a[100], b[100], c[100], sum)
