-- expect: ok
-- Numbers written over numbers in tables that are old: no barrier, so no minor looks at the tables.
-- References written there are remembered, and what they lead to lives.
local records, columns = {}, {}
for i = 1, 2000 do
  records[i] = {x = i + 0.5, y = i, next = false}
  columns[i] = i + 0.5
end
for _ = 1, 4 do collectgarbage() end

local function logged(work)
  neap.gc.minor()
  local before = neap.gc.stats().logged_objects
  work()
  return neap.gc.stats().logged_objects - before
end

local numbers = logged(function()
  for i = 1, 2000 do
    local r = records[i]
    r.x, r.y = r.x * 2, r.y + 1
    columns[i] = columns[i] + 1
  end
end)
local references = logged(function()
  for i = 1, 2000 do records[i].next = {i} end
end)
if not os.getenv("NEAP_DEBUG") then
  assert(numbers < 20, "logged for numbers: " .. numbers)
  assert(references >= 2000, "logged for references: " .. references)
end

-- A number over a reference, a reference over a number, with collections between.
for i = 1, 2000 do
  records[i].x = {i}
  if i % 100 == 0 then neap.gc.minor() end
end
for i = 1, 2000 do
  local r = records[i]
  assert(r.x[1] == i and r.next[1] == i and columns[i] == i + 1.5 and r.y == i + 1)
  r.x, r.next = i / 2, i
  if i % 100 == 0 then neap.gc.minor() end
end
for i = 1, 2000 do
  columns[i] = {i}
  if i % 500 == 0 then neap.gc.minor() end
end
for i = 1, 2000 do assert(columns[i][1] == i and records[i].x == i / 2 and records[i].next == i) end
print("ok")
