-- expect: ok
-- Table functions on proxies.
local function fails(words, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok and tostring(message):find(words, 1, true), tostring(message))
end
local function proxy(list)
  return setmetatable({}, {
    __len = function() return #list end,
    __index = function(_, k) return list[k] end,
    __newindex = function(_, k, v) list[k] = v end,
  })
end
local list = {3, 1, 2}
local p = proxy(list)
table.insert(p, 0)
table.insert(p, 1, 9)
assert(table.concat(list, ",") == "9,3,1,2,0" and table.concat(p, ",") == "9,3,1,2,0")
table.sort(p)
assert(table.concat(list, ",") == "0,1,2,3,9")
assert(table.remove(p, 1) == 0 and table.remove(p) == 9 and #list == 3)
assert(select("#", table.unpack(p)) == 3 and select(3, table.unpack(p)) == 3)
table.move(p, 1, 3, 2)
assert(table.concat(list, ",") == "1,1,2,3")
table.move({7, 8}, 1, 2, 1, p)
assert(list[1] == 7 and list[2] == 8)
fails("array too big", table.sort, setmetatable({}, {__len = function() return math.maxinteger end}))
print("ok")
