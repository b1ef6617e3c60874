-- expect: ok
-- coroutine.close and variables to be closed.
local log = {}
local function closable(name, fail)
  return setmetatable({}, {__close = function(_, e)
    log[#log + 1] = name .. ":" .. tostring(e)
    if fail then error(fail, 0) end
  end})
end

local co = coroutine.create(function()
  local a <close> = closable("a")
  local b <close> = closable("b")
  coroutine.yield()
end)
coroutine.resume(co)
assert(coroutine.close(co) == true and coroutine.status(co) == "dead")
assert(table.concat(log, " ") == "b:nil a:nil")
assert(coroutine.close(co) == true)

assert(coroutine.close(coroutine.create(print)))
log = {}
co = coroutine.create(function()
  local a <close> = closable("a")
  local b <close> = closable("b", "from b")
  coroutine.yield()
end)
coroutine.resume(co)
local ok, err = coroutine.close(co)
assert(ok == false and err == "from b")
assert(table.concat(log, " ") == "b:nil a:from b")
assert(select(2, coroutine.resume(co)) == "cannot resume dead coroutine")

co = coroutine.create(function() error("x", 0) end)
coroutine.resume(co)
assert(coroutine.status(co) == "dead")
ok, err = coroutine.close(co)
assert(ok == false and err == "x")
assert(coroutine.close(co) == true)
co = coroutine.create(function() end)
coroutine.resume(co)
assert(coroutine.close(co) == true)
print("ok")
