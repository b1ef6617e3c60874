local t = {1, 2, 3, nil, 5, [2^53] = 1, n = {}, [true] = false}
table.insert(t, 1, 0) table.remove(t) table.sort(t, function(a, b) return b < a end)
print(#t, table.unpack(t, 1, 3), table.move(t, 1, 3, 2), next(t), rawequal(t, t))
for i = 1, 100 do t[i], t["k" .. i % 7], t[-i] = i, i, nil end
t = setmetatable(t, {__newindex = t, __len = function() return 2 ^ 40 end}) t.z = 1
