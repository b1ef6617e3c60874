-- expect: ok
-- An error of a __close that runs because of an error goes through the handler of xpcall, too.
local function failing(message)
  return setmetatable({}, {__close = function(_, e) error(message .. " after " .. tostring(e), 0) end})
end
local function handled(m) return "<" .. m .. ">" end
local function body()
  local a <close> = failing("a")
  local b <close> = failing("b")
  error("first", 0)
end
local ok, message = xpcall(body, handled)
assert(not ok and message == "<a after <b after <first>>>", message)
-- Not when a pcall is nearer, and again behind it.
ok, message = xpcall(function()
  local c <close> = failing("c")
  local inner, why = pcall(body)
  assert(not inner and why == "a after b after first", why)
  error("second", 0)
end, handled)
assert(not ok and message == "<c after <second>>", message)
-- Through a coroutine that yields while it closes.
local co = coroutine.wrap(function()
  return xpcall(function()
    local d <close> = setmetatable({}, {__close = function(_, e)
      coroutine.yield("closing")
      error("d after " .. e, 0)
    end})
    error("third", 0)
  end, handled)
end)
assert(co() == "closing")
ok, message = co()
assert(not ok and message == "<d after <third>>", message)
-- A handler that fails meanwhile.
ok, message = xpcall(body, function() error("no", 0) end)
assert(not ok and message ~= nil)
print("ok")
