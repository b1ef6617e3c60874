for i = math.maxinteger - 1, math.maxinteger do print(i) end
for i = 1, 0, -0.25 do if i < 0.5 then goto out end print(i) end
::out:: local n = 0
repeat local x = n n = n + 1 until x >= 2
while n > 0 do n = n - 1 if n == 1 then break end end
for k, v in next, {10, 20, a = 1}, nil do print(k, v) end
