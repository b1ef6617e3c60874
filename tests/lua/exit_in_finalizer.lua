-- expect: ok
-- os.exit with "close" in a finalizer: the others run, and what they mark has no effect.
local order = ""
local function finalized(name, more)
  return setmetatable({}, {__gc = function() order = order .. name if more then more() end end})
end
local objects = {
  finalized("1", function() print(order == "4321" and "ok" or order) end),
  finalized("2", function()
    finalized("not called")
    collectgarbage()
    os.exit(0, true)
  end),
  finalized("3"),
}
finalized("4", function() os.exit(0, true) end)
collectgarbage()
print("not reached")
