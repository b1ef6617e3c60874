-- Bytes of a young and of an old cell, by the growth of collectgarbage("count"). neap only: other
-- Luas count what their allocator was asked for.
local kCount = 20000
local function a_closure(i) return function() return i end end
local kinds = {
  {"{}", function() return {} end, 40},
  {"a record of 3 fields", function(i) return {a = i, b = i, c = i} end, 64},
  {"a record of 6 fields", function(i) return {a = i, b = i, c = i, d = i, e = i, f = i} end, 88},
  {"a closure with an upvalue", a_closure, 48},
}
local function used() return collectgarbage("count") * 1024 end
for _, kind in ipairs(kinds) do
  local keep = table.pack(table.unpack({}, 1, 0))
  for i = 1, kCount do keep[i] = false end  -- the array does not grow below
  collectgarbage()
  local before = used()
  for i = 1, kCount do keep[i] = kind[2](i) end
  local young = (used() - before) / kCount
  collectgarbage()
  local old = (used() - before) / kCount
  print(string.format("%-28s %5.1f bytes young, %5.1f old, at most %d wanted", kind[1], young, old,
                      kind[3]))
end
collectgarbage()
local before, list = used(), {}
for i = 1, 1 << 20 do list[i] = i end
collectgarbage()
print(string.format("%-28s %5.1f bytes, 8 wanted", "an element of an array",
                    (used() - before) / (1 << 20)))
