-- expect: ok
-- neap.gc: collecting, figures, knobs, functions after cycles.
local neap = require "neap"
assert(neap == _G.neap and neap.version:find("^%d+%.%d+%.%d+$"))

local function fails(wanted, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok, "no error, expected: " .. wanted)
  assert(tostring(message):find(wanted, 1, true), message)
end

-- Cycles and figures.
do
  local before = neap.gc.stats()
  assert(neap.gc.collect() == true)
  local after = neap.gc.stats()
  assert(after.majors >= before.majors + 1 and after.forced_majors >= before.forced_majors + 1)
  local has_nursery = neap.gc.nursery() ~= "off"
  assert(neap.gc.minor() == has_nursery)
  assert(not has_nursery or neap.gc.stats().minors >= after.minors + 1)
  for _, name in ipairs{"alloc_bytes", "heap_bytes", "off_heap_bytes", "pause_ns", "goal_bytes"} do
    assert(math.type(after[name]) == "integer", name)
  end
  local weak = setmetatable({{}}, {__mode = "v"})
  neap.gc.collect()
  assert(weak[1] == nil)
end

-- Knobs: get, set, what was before.
do
  local gogc = neap.gc.gogc()
  assert(neap.gc.gogc(250) == gogc and neap.gc.gogc() == 250)
  assert(neap.gc.gogc("off") == 250 and neap.gc.gogc() == "off")
  assert(neap.gc.gogc(gogc) == "off" and neap.gc.gogc() == gogc)
  -- What a flag may set (--gogc=0), a script may set again.
  assert(neap.gc.gogc(0) == gogc and neap.gc.gogc(gogc) == 0)
  collectgarbage("stop")
  assert(neap.gc.gogc() == gogc and neap.gc.gogc(150) == gogc and neap.gc.gogc() == 150)
  collectgarbage("restart")
  assert(neap.gc.gogc(gogc) == 150)

  local limit = neap.gc.memory_limit()
  assert(neap.gc.memory_limit("256MiB") == limit and neap.gc.memory_limit() == 256 << 20)
  assert(neap.gc.memory_limit(1 << 30) == 256 << 20)
  assert(neap.gc.memory_limit("none") == 1 << 30 and neap.gc.memory_limit() == "none")
  neap.gc.memory_limit(limit)

  local tenure = neap.gc.tenure()
  assert(neap.gc.tenure(15) == tenure and neap.gc.tenure() == 15)
  assert(neap.gc.tenure(tenure) == 15)

  if neap.gc.nursery() == "off" then
    fails("nursery=off", neap.gc.nursery, 1 << 20)
  else
    local nursery = neap.gc.nursery()
    assert(neap.gc.nursery(512 << 10) == nursery and neap.gc.nursery() == 512 << 10)
    assert(neap.gc.nursery("1MiB") == 512 << 10 and neap.gc.nursery("adaptive") == 1 << 20)
    assert(neap.gc.nursery() == "adaptive")
    neap.gc.nursery(nursery)
  end
end

-- Knobs out of range name the value and what is allowed, and change nothing.
do
  local gogc, limit, tenure = neap.gc.gogc(), neap.gc.memory_limit(), neap.gc.tenure()
  fails("100001 is out of range, allowed: 0 to 100000, or 'off'", neap.gc.gogc, 100001)
  fails("-5 is out of range", neap.gc.gogc, -5)
  fails("1.5 is out of range", neap.gc.gogc, 1.5)
  fails("'on' is out of range", neap.gc.gogc, "on")
  fails("a nil is out of range", neap.gc.gogc, nil)
  fails("a table is out of range", neap.gc.gogc, {})
  fails("1000 is out of range, allowed: 1048576", neap.gc.memory_limit, 1000)
  fails("'64 potatoes' is out of range", neap.gc.memory_limit, "64 potatoes")
  fails("100 is out of range, allowed: 4096", neap.gc.nursery, 100)
  fails("'off' is out of range", neap.gc.nursery, "off")
  fails("16 is out of range, allowed: 1 to 15", neap.gc.tenure, 16)
  fails("0 is out of range", neap.gc.tenure, 0)
  fails("nan is out of range", neap.gc.gogc, 0 / 0)
  fails("'100' is out of range", neap.gc.gogc, "100")
  fails("-1 is out of range", neap.gc.memory_limit, -1)
  fails("'1e99GiB' is out of range", neap.gc.memory_limit, "1e99GiB")
  fails("4611686018427387904 is out of range", neap.gc.nursery, 1 << 62)
  assert(gogc == neap.gc.gogc() and limit == neap.gc.memory_limit() and tenure == neap.gc.tenure())
end

-- on_cycle: called after cycles until it is removed; may add and remove; errors are warnings.
do
  local seen = {}
  local watch = neap.gc.on_cycle(function(cycle) seen[#seen + 1] = cycle end)
  neap.gc.collect()
  neap.gc.collect()
  assert(#seen >= 2 and seen[2] > seen[1] and math.type(seen[1]) == "integer")
  assert(watch:remove() == true and watch:remove() == false)
  local count = #seen
  neap.gc.collect()
  assert(#seen == count)

  local calls = 0
  do
    local scoped <close> = neap.gc.on_cycle(function() calls = calls + 1 end)
    collectgarbage()
    assert(calls >= 1)
  end
  local ended = calls
  collectgarbage()
  assert(calls == ended)

  local inner, outer = 0, nil
  outer = neap.gc.on_cycle(function()
    assert(neap.gc.collect() == false and neap.gc.minor() == false and collectgarbage() == nil)
    outer:remove()
    neap.gc.on_cycle(function() inner = inner + 1 end)
  end)
  neap.gc.collect()
  local first = inner
  neap.gc.collect()
  assert(inner >= first + 1)

  warn("@off")
  local failing = neap.gc.on_cycle(function() error("in a callback") end)
  local yielding = neap.gc.on_cycle(function() coroutine.yield() end)
  neap.gc.collect()
  assert(failing:remove() and yielding:remove())

  -- Paced cycles, too: at a safepoint of a loop that allocates.
  local paced = 0
  local pacing <close> = neap.gc.on_cycle(function() paced = paced + 1 end)
  local keep = {}
  for i = 1, 2000000 do
    keep[i & 0xffff] = {i}
    if paced > 0 then break end
  end
  assert(paced > 0)
  -- A snapshot of all objects, or why there is none.
  local path = os.tmpname()
  assert(neap.gc.snapshot(path) == true)
  assert(io.open(path):read("a"):find("\"neap\"", 1, true))
  os.remove(path)
  local done, message = neap.gc.snapshot(path .. "/nowhere")
  assert(done == nil and message:find(path, 1, true))
  fails("function expected", neap.gc.on_cycle, 1)
  fails("neap.gc.watch expected", pacing.remove, io.stdout)
end
print("ok")
