-- expect: ok
-- Variables that closures share with a function which still runs, while its stack grows, moves and
-- shrinks.
local function dive(n, f)
  if n == 0 then return f() end
  local result = dive(n - 1, f)
  return result
end

local count, text = 0, "before"
local function add() count = count + 1 text = text .. "." return count end
assert(dive(10, add) == 1 and count == 1)
assert(dive(100000, add) == 2 and count == 2 and text == "before..")
collectgarbage()
count = 10
assert(add() == 11 and dive(50, add) == 12 and count == 12)

-- The same variable through several closures, in the frames of a deep recursion.
local readers = {}
local function turn() for n = 1, #readers do readers[n](-readers[n]()) end end
local function deepest(n)
  local here = n
  readers[n] = function(value)
    if value then here = value end
    return here
  end
  if n < 3000 then deepest(n + 1) else dive(50000, turn) end
  assert(here == -n)
  here = 2 * n
end
deepest(1)
for n = 1, 3000 do assert(readers[n]() == 2 * n) end

-- Suspended coroutines: others read and write their variables.
local get, set
local co = coroutine.create(function()
  local mine = {value = 1}
  get = function() return mine.value end
  set = function(value) mine = {value = value} end
  while true do
    dive(20000, coroutine.yield)
    mine.value = mine.value + 1
  end
end)
for round = 1, 3 do
  assert(coroutine.resume(co))
  collectgarbage("step", 0)
  assert(get() == (round == 1 and 1 or round * 10 - 9), get())
  set(round * 10)
  collectgarbage()
  assert(get() == round * 10)
end
assert(coroutine.close(co) and get() == 30)  -- closed with the coroutine
set(5)
assert(get() == 5)

-- After an error, after a goto out of the block, after a tail call.
local kept
local ok = pcall(function()
  local lost = "kept"
  kept = function() return lost end
  dive(1000, function() error("out") end)
end)
assert(not ok and kept() == "kept")
local made = {}
do
  local i = 1
  ::again::
  local each = i
  made[i] = function() each = each + 1 return each end
  i = i + 1
  if i <= 3 then goto again end
end
assert(made[1]() == 2 and made[1]() == 3 and made[3]() == 4 and made[2]() == 3)
local function tail(value)
  local inner = value
  return dive(3, function() inner = inner + 1 return inner end)
end
assert(tail(7) == 8 and tail(1) == 2)

-- Joined and set through the debug library while open.
local a, b = 1, 2
local function read_a() return a end
local function read_b() return b end
assert(debug.upvalueid(read_a, 1) ~= debug.upvalueid(read_b, 1))
debug.upvaluejoin(read_a, 1, read_b, 1)
b = 3
assert(read_a() == 3 and debug.upvalueid(read_a, 1) == debug.upvalueid(read_b, 1))
assert(debug.setupvalue(read_a, 1, 9) == "b" or b == 9)
assert(b == 9 and a == 1)
print("ok")
