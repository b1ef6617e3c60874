-- expect: ok
-- table.sort.
local function fails(words, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok and tostring(message):find(words, 1, true), tostring(message))
end
local function sorted(t, less)
  less = less or function(a, b) return a < b end
  for i = 2, #t do assert(not less(t[i], t[i - 1])) end
end
local seed = 7
local function random(n) seed = (seed * 1103515245 + 12345) % 2147483648 return seed % n end
for _, n in ipairs{0, 1, 2, 3, 4, 10, 100, 101, 1000} do
  local ints, floats, mixed, strings = {}, {}, {}, {}
  for i = 1, n do
    ints[i] = random(50) - 25
    floats[i] = random(1000) / 7
    mixed[i] = i % 2 == 0 and random(100) or random(100) / 3
    strings[i] = "s" .. random(300)
  end
  for _, t in ipairs{ints, floats, mixed, strings} do
    table.sort(t)
    sorted(t)
    table.sort(t, function(a, b) return a > b end)
    sorted(t, function(a, b) return a > b end)
    table.sort(t)  -- from the worst order
    sorted(t)
  end
end
local big = {math.maxinteger, 5, math.mininteger, 2.5, 1 << 60, -1 << 55}
table.sort(big)
sorted(big)
-- Equal elements end in the order of the reference implementation.
local records = {}
for i = 1, 20 do records[i] = {key = i % 3, id = i} end
table.sort(records, function(a, b) return a.key < b.key end)
local ids = {}
for i, r in ipairs(records) do ids[i] = r.id end
assert(table.concat(ids, " ") == "15 9 6 12 18 3 13 1 16 19 10 4 7 17 2 11 8 14 5 20")
local words = {"b", "a", "c"}
table.sort(words, function(a, b) collectgarbage() return a < b end)
assert(table.concat(words) == "abc")
fails("invalid order function for sorting", table.sort, {3, 2, 1, 4, 5, 6, 7}, function() return true end)
fails("function expected, got number", table.sort, {1, 2}, 3)
fails("attempt to compare", table.sort, {1, "x"})
fails("attempt to compare", table.sort, {{}, {}})
fails("inside", table.sort, {1, 2, 3}, function() error("inside") end)
print("ok")
