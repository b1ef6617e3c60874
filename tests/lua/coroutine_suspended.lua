-- expect: ok
-- What only a suspended coroutine refers to survives minor collections, also when the coroutine is old
-- and was suspended anew with young values on its stack. (Its suspension was once not logged, since
-- the store that was to log it wrote no reference.)
local function churn()
  neap.gc.minor()
  local keep = {}
  for i = 1, 20000 do keep[i & 255] = {n = -1, text = "t" .. i} end
  neap.gc.minor()
end
local rounds = os.getenv("NEAP_DEBUG") and 2 or 20
if os.getenv("NEAP_DEBUG") then churn = neap.gc.minor end

local function check(resume)
  for i = 1, rounds do
    local n, text = resume(i)
    assert(n == i and text == "value " .. i, n)
    churn()
  end
end
local function hold(i)
  while true do
    local value = {n = i, text = {"value ", tostring(i)}}
    local inner = function() return value.text end
    local given = {coroutine.yield(value.n, table.concat(value.text))}
    assert(value.n == i and table.concat(inner()) == "value " .. i)
    assert(#value.text == 2 and value.text[2] == tostring(i))
    i = given[1]
  end
end
for _ = 1, 3 do
  local resume = coroutine.wrap(hold)
  check(resume)
end

-- The value that a coroutine is given while it does not run: as arguments of the first resume, by the
-- debug library.
local fresh = coroutine.create(function(a) return coroutine.yield(a) end)
for _ = 1, 5 do churn() end
coroutine.resume(fresh, {n = 7})
churn()
assert(select(2, debug.getlocal(fresh, 1, 1)).n == 7)
for i = 1, rounds do
  debug.setlocal(fresh, 1, 1, {n = i, inner = {i}})
  churn()
  local _, value = debug.getlocal(fresh, 1, 1)
  assert(value.n == i and value.inner[1] == i)
end
print("ok")
