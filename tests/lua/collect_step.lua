-- expect: ok
-- A step of size 0 in generational mode finds what died young, with every kind of nursery.
local program = [[
  collectgarbage('generational')
  local t = setmetatable({}, {__mode = 'v'})
  t[1] = 1
  for i = 1, 3 do
    t[1] = {}
    collectgarbage('step', 0)
    assert(next(t) == nil)
  end
  print('done')
]]
for _, flags in ipairs{"", "--nursery=off", "--nursery=64KiB", "--preset=tiny"} do
  local run = io.popen(string.format('"%s" %s -e "%s" 2>&1', arg[-1], flags, program))
  local said = run:read("a")
  run:close()
  assert(said == "done\n", flags .. ": " .. said)
end

-- While the collector is stopped no finalizer runs, in either mode, but those that a script asks
-- for. (The switches of NEAP_DEBUG collect whether it is stopped or not.)
for _, mode in ipairs(os.getenv("NEAP_DEBUG") and {} or {"generational", "incremental"}) do
  collectgarbage(mode)
  collectgarbage()
  collectgarbage("stop")
  local finalized = 0
  local function make() setmetatable({}, {__gc = function() finalized = finalized + 1 end}) end
  make()
  for i = 1, 200000 do local _ = {} end
  assert(finalized == 0)
  collectgarbage(mode)
  for i = 1, 200000 do local _ = {} end
  assert(finalized == 0)
  collectgarbage()
  assert(finalized == 1)
  make()
  collectgarbage(mode == "generational" and "step" or "collect", 0)
  assert(finalized == 2)
  collectgarbage("restart")
  make()
  collectgarbage()
  assert(finalized == 3)
end
print("ok")
