-- expect: ok
-- Deep stacks: what lies far below the top is skipped by young collections, and must be right when
-- control comes back to it, or when somebody writes into it meanwhile.
local function churn() for _ = 1, 20 do local _ = {{}} end end

local function descend(n)
  local mine = {n}
  churn()
  if n == 0 then return 0 end
  local below = descend(n - 1)
  local later = {below}
  churn()
  assert(mine[1] == n and later[1] == n - 1)
  return n
end
assert(descend(20000) == 20000)

-- Up and down again: each time other values stand at the same depth.
local function zigzag(n, turns)
  local mine = {n, turns}
  if n == 0 then return turns end
  zigzag(n - 1, turns)
  if turns > 0 and n % 1000 == 0 then zigzag(n - 1, turns - 1) end
  churn()
  assert(mine[1] == n and mine[2] == turns)
  return turns
end
assert(zigzag(3000, 1) == 1)

-- A write through an upvalue far below.
local function write(n, set)
  if n == 0 then
    for i = 1, 50 do
      set({i})
      churn()
    end
    return
  end
  write(n - 1, set)
  return n
end
local function outer(n)
  if n > 0 then return (outer(n - 1)) end
  local cell
  write(5000, function(v) cell = v end)
  return cell[1]
end
assert(outer(5000) == 50)

-- Errors cut the stack.
local function fail(n)
  local mine = {n}
  if n == 0 then churn() error({"deep"}) end
  fail(n - 1)
  return mine
end
for _ = 1, 5 do
  local ok, e = pcall(fail, 8000)
  churn()
  assert(not ok and e[1] == "deep")
end
local ok, e = pcall(function() local function f() return 1 + f() end return f() end)
assert(not ok and e:find("stack overflow"))

-- Nested protected calls have a limit, and say so.
local depth = 0
local function nest()
  depth = depth + 1
  local ok, e = pcall(nest)
  return ok, e
end
nest()
assert(depth > 4000 and depth <= 5000, depth)

-- In a coroutine, resumed at depth.
local function yielder(n)
  local mine = {n}
  if n == 0 then
    for i = 1, 10 do
      churn()
      coroutine.yield({i})
    end
    return
  end
  yielder(n - 1)
  churn()
  assert(mine[1] == n)
end
local co = coroutine.wrap(yielder)
for i = 1, 10 do
  assert((i == 1 and co(8000) or co())[1] == i)
  collectgarbage("step")
end
co()
print("ok")
