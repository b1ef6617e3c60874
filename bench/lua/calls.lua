-- Calls of a local, of a global and of a method, and a tail call.
local function ackermann(m, n)
  if m == 0 then return n + 1 end
  if n == 0 then return ackermann(m - 1, 1) end
  return ackermann(m - 1, ackermann(m, n - 1))
end
function tak(x, y, z)
  if y >= x then return z end
  return tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y))
end
local Counter = {}
Counter.__index = Counter
function Counter:add(n) self.total = self.total + n end
local counter = setmetatable({total = 0}, Counter)
for i = 1, 5000000 do counter:add(i % 7) end
print(ackermann(2, 900) + ackermann(3, 7), tak(20, 13, 6), counter.total)
