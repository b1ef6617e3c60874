-- Generators: long ones, many short ones, and a chain of them.
local yield, wrap = coroutine.yield, coroutine.wrap
local function upto(n) return wrap(function() for i = 1, n do yield(i) end end) end
local sum = 0
for i in upto(3000000) do sum = sum + i end
for i = 1, 200000 do for k in upto(i % 4) do sum = sum + k end end
local function each(source, f)
  return wrap(function() for v in source do yield(f(v)) end end)
end
local chain = upto(200000)
for k = 1, 5 do chain = each(chain, function(v) return v + k end) end
for v in chain do sum = sum + v end
print(string.format("%.0f", sum))
