-- Doubles in locals, in records and in arrays: an integrator, and a smoothing pass.
local particles = {}
for i = 1, 200 do particles[i] = {x = i * 0.5, v = 0, k = 1 + i / 100} end
for _ = 1, 20000 do
  for i = 1, #particles do
    local p = particles[i]
    p.v = p.v - p.x * p.k * 0.001
    p.x = p.x + p.v * 0.001
  end
end
local row = {}
for i = 1, 1000 do row[i] = i % 17 + 0.25 end
for _ = 1, 3000 do
  local left = row[1]
  for i = 2, #row - 1 do
    local here = row[i]
    row[i] = (left + here * 2 + row[i + 1]) * 0.25
    left = here
  end
end
local sum = 0
for i = 1, #particles do sum = sum + particles[i].x end
print(string.format("%.6f %.6f", sum, row[500]))
