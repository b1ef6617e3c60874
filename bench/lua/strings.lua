-- Words counted, lines split and joined, numbers formatted.
local words = {}
for i = 1, 3000 do words[i] = "w" .. (i * 7919) % 997 end
local text = table.concat(words, " ")
local counts, size = {}, 0
for _ = 1, 60 do
  for word in text:gmatch("%a%d+") do counts[word] = (counts[word] or 0) + 1 end
end
for i = 1, 300000 do
  local line = string.format("%d:%s:%.2f", i, words[i % 3000 + 1], i / 7)
  local first, second = line:find(":", 1, true), line:match(":(%w+):")
  size = size + first + #second + #line:upper()
end
local parts = {}
for i = 1, 200000 do parts[#parts + 1] = i .. "," end
print(counts.w1, size, #table.concat(parts))
