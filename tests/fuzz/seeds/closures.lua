local fs = {}
for i = 1, 3 do local j <const> = i fs[i] = function(...) i = i + j return i, ... end end
print(fs[1](2), select("#", fs[2]()), fs[3] == fs[3])
local function f(a, b, ...) if a > 0 then return f(a - 1, b, ...) end return b, ... end
print(pcall(f, 9, 1, 2, nil))
