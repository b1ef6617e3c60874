-- expect: ok
-- A key goes when its value does: a removed key keeps nothing alive, whatever its kind, and a
-- traversal that removes what it visits visits everything once.
local function gone(count, add, remove)
  local seen = setmetatable({}, {__mode = "k"})
  local t = {}
  for i = 1, count do
    local key = {}
    seen[key] = true
    add(t, key, i)
  end
  remove(t)
  collectgarbage()
  return next(seen) == nil, t
end

local function add(t, key, i) t[key] = i end
local function each(t) for k in pairs(t) do t[k] = nil end end
for _, count in ipairs{1, 3, 8, 9, 100, 3000} do
  assert(gone(count, add, each), count)
  assert(gone(count, add, function(t) for k in next, t do rawset(t, k, nil) end end), count)
  if table.clear then assert(gone(count, add, table.clear), count) end
end
-- ... and the table can still be used, with the same keys and with others.
local _, used = gone(100, add, each)
assert(next(used) == nil)
for i = 1, 200 do used["k" .. i] = i end
local sum = 0
for _, v in pairs(used) do sum = sum + v end
assert(sum == 20100)

-- Keys of every kind, removed while they are visited, with collections in between.
local function mixed(n)
  local t, count = {}, 0
  local function put(k) t[k] = true count = count + 1 end
  for i = 1, n do
    put({}) put(function() return i end) put("s" .. i) put(i + 0.5) put(-i)
    put((1 << 60) + i) put(coroutine.create(print)) put(string.rep("long", 50) .. i)
  end
  put(true) put(false)
  return t, count
end
for _, n in ipairs{1, 2, 50, 500} do
  for _, every in ipairs{1, 2, 7} do
    local t, count = mixed(n)
    local visited, removed = 0, 0
    for k in pairs(t) do
      visited = visited + 1
      if visited % every == 0 then
        t[k] = nil
        removed = removed + 1
        assert(t[k] == nil and rawget(t, k) == nil)
        if visited % 97 == 0 then collectgarbage() end
      end
    end
    assert(visited == count, visited)
    local left = 0
    for k, v in pairs(t) do left = left + 1 assert(v == true) end
    assert(left == count - removed)
  end
end

-- A key that comes again takes its place again: no table grows of it.
do
  local keys, t = {}, {}
  for i = 1, 20 do keys[i] = i % 2 == 0 and {} or "key" .. i t[keys[i]] = 0 end
  collectgarbage()
  local before = collectgarbage("count")
  for round = 1, 2000 do
    for _, k in ipairs(keys) do t[k] = nil end
    assert(next(t) == nil)
    for _, k in ipairs(keys) do t[k] = round end
  end
  collectgarbage()
  assert(collectgarbage("count") - before < 10)
  for _, k in ipairs(keys) do assert(t[k] == 2000) end
end

-- What is no key any more is no place to go on from for a key that never was one.
do
  local t, k = {}, {}
  t[k] = 1
  t[k] = nil
  assert(next(t, k) == nil)
  assert(not pcall(next, t, {}) and not pcall(next, t, "other") and not pcall(next, t, 1 << 60))
end

-- Long strings: in an all-weak table such a key goes together with its value, ...
local function kilobytes() collectgarbage() return collectgarbage("count") end
local function long(letter) return string.rep(letter, 1 << 20) end
do
  local before = kilobytes()
  local t = setmetatable({}, {__mode = "kv"})
  t[long("a")] = {}
  t[long("b")] = 1
  t[long("c")] = long("d")
  local after = kilobytes()
  assert(after > before + 3071 and after < before + 3200, after - before)
  assert(t[long("a")] == nil and t[long("b")] == 1 and #t[long("c")] == 1 << 20)
  t[long("b")] = nil
  t[long("c")] = nil
  assert(kilobytes() < before + 100)
  assert(next(t) == nil and t[long("b")] == nil)
end
-- ... in one with weak values the collection after.
do
  local before = kilobytes()
  local t = setmetatable({}, {__mode = "v"})
  t[long("a")] = {}
  collectgarbage()
  assert(next(t) == nil)
  assert(kilobytes() < before + 100)
end
-- An all-weak table keeps a string key while somebody has the value.
do
  local t, value = setmetatable({}, {__mode = "kv"}), {}
  for i = 1, 30 do t["key" .. i] = i % 2 == 0 and value or {} end
  t[{}] = value
  collectgarbage("step") collectgarbage()
  for i = 1, 30 do assert(t["key" .. i] == (i % 2 == 0 and value or nil)) end
  local count = 0
  for k, v in pairs(t) do count = count + 1 assert(v == value) end
  assert(count == 15)
end
print("ok")
