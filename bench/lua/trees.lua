-- trees.lua [DEPTH]: binary trees, short-lived ones of many sizes beside one that stays.
local depth = tonumber((...)) or 14
local function build(d)
  if d == 0 then return {} end
  return {build(d - 1), build(d - 1)}
end
local function nodes(tree)
  if not tree[1] then return 1 end
  return 1 + nodes(tree[1]) + nodes(tree[2])
end
local kept, sum = build(depth), nodes(build(depth + 1))
for d = 4, depth, 2 do
  for _ = 1, 2 ^ (depth - d + 4) do sum = sum + nodes(build(d)) end
end
print(sum + nodes(kept))
