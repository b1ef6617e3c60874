-- Closures made, called and dropped; variables that two of them share.
local function account(balance)
  return function(n) balance = balance + n end, function() return balance end
end
local sum = 0
for i = 1, 1500000 do
  local deposit, read = account(i)
  deposit(2)
  sum = sum + read()
end
local function fold(list, f, value)
  for i = 1, #list do value = f(value, list[i]) end
  return value
end
local list = {}
for i = 1, 50 do list[i] = i end
for i = 1, 100000 do
  sum = sum + fold(list, function(a, b) return (a + b) % (i + 1) end, 0)
end
print(string.format("%.0f", sum))
