-- Integers in arrays: a sieve, a permutation walked, a queue.
local sum = 0
for _ = 1, 8 do
  local composite, n = {}, 400000
  for i = 2, n do
    if not composite[i] then
      sum = sum + i
      for k = i * i, n, i do composite[k] = true end
    end
  end
end
local next_of, n = {}, 100003
for i = 1, n do next_of[i] = (i * 7919) % n + 1 end
local at = 1
for _ = 1, 6000000 do at = next_of[at] end
local queue, head, tail = {}, 1, 0
for i = 1, 2000000 do
  tail = tail + 1
  queue[tail] = i
  if i % 3 == 0 then
    sum = sum + queue[head]
    queue[head] = nil
    head = head + 1
  end
end
print(string.format("%.0f %d", sum, at))
