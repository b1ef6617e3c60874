local co = coroutine.wrap(function(a)
  local c <close> = setmetatable({}, {__close = function() coroutine.yield("closing") end})
  for i = 1, 3 do a = a + coroutine.yield(i, a) end
  return pcall(error, {a})
end)
print(co(1), co(2), co(3), co(4), co())
print(coroutine.close(coroutine.create(print)), pcall(coroutine.wrap(error), "x"))
