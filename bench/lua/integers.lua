-- Needs Lua 5.3 or later. 64-bit integers that do not fit beside a tag: a hash and a generator.
local function fnv(text)
  local hash = 0xcbf29ce484222325
  for i = 1, #text do hash = (hash ~ text:byte(i)) * 0x100000001b3 end
  return hash
end
local state, sum = 0x9e3779b97f4a7c15, 0
for _ = 1, 3000000 do
  state = state ~ (state << 13)
  state = state ~ (state >> 7)
  state = state ~ (state << 17)
  sum = sum + (state & 0xff)
end
local text = ("the quick brown fox "):rep(50)
for _ = 1, 1500 do sum = sum ~ fnv(text) end
print(sum)
