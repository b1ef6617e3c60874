-- expect: ok
-- What only the stack of an old, suspended coroutine holds lives on and follows its object: values
-- of before the yield, and what debug.setlocal puts there. Run once more with freed memory poisoned
-- and the heap verified, since a lost object may look alive for a while.
collectgarbage("generational")
local function minor() neap.gc.minor() end

local function body()
  local held
  while true do
    held = {n = 42}
    coroutine.yield()
    assert(held.n == 42)
    held = nil
    coroutine.yield()
  end
end

local co = coroutine.create(body)
minor() minor() minor()  -- old now
for _ = 1, 50 do
  assert(coroutine.resume(co))
  minor()
  for i = 1, 50 do local _ = {i, i} end
  minor()
  assert(coroutine.resume(co))
end

local old = coroutine.create(function(a)
  coroutine.yield(a)
  return a
end)
coroutine.resume(old, 1)
minor() minor() minor()
for i = 1, 20 do
  assert(debug.setlocal(old, 1, 1, {i}) == "a")
  minor()
  local _, value = debug.getlocal(old, 1, 1)
  assert(value[1] == i)
end
assert(select(2, coroutine.resume(old))[1] == 20)

if not os.getenv("NEAP_DEBUG") then
  local command = string.format('NEAP_DEBUG=poison=1,verify=1 "%s" "%s" 2>&1', arg[-1], arg[0])
  local run = io.popen(command)
  local said = run:read("a")
  run:close()
  assert(said == "ok\n", said)
end
print("ok")
