-- expect: ok
-- Metatables, raw access, traversal.
local function fails(message, f, ...)
  local ok, err = pcall(f, ...)
  assert(not ok and err == message, tostring(err))
end

fails("bad argument #2 to 'setmetatable' (nil or table expected, got no value)", setmetatable, {})
fails("bad argument #1 to 'setmetatable' (table expected, got number)", setmetatable, 1, {})
local protected = setmetatable({}, {__metatable = "shown"})
assert(getmetatable(protected) == "shown")
fails("cannot change a protected metatable", setmetatable, protected, {})
assert(getmetatable({}) == nil and getmetatable(1) == nil)
local t = {}
assert(setmetatable(t, {}) == t and getmetatable(t) ~= nil)
assert(getmetatable(setmetatable(t, nil)) == nil)
fails("bad argument #1 to 'getmetatable' (value expected)", getmetatable)

assert(rawequal(1, 1.0) and rawequal("a", "a") and not rawequal({}, {}) and not rawequal(1, "1"))
assert(not rawequal(0/0, 0/0) and rawequal(2^53, 1 << 53) and rawequal(nil, nil))
assert(rawlen("abc") == 3 and rawlen({1, 2}) == 2)
fails("bad argument #1 to 'rawlen' (table or string expected, got number)", rawlen, 1)
assert(rawset(t, 1, 2) == t and rawget(t, 1) == 2 and rawget(t, 2) == nil)
fails("table index is nil", rawset, {}, nil, 1)
fails("table index is NaN", rawset, {}, 0/0, 1)
fails("bad argument #3 to 'rawset' (value expected)", rawset, {}, 1)
fails("bad argument #2 to 'rawget' (value expected)", rawget, {})

assert(next({}) == nil and next({10}) == 1 and select(2, next({10})) == 10)
fails("invalid key to 'next'", next, {}, 1)
assert(pairs({}) == next)
local n = 0
for k, v in pairs({1, 2, x = 3, [2.5] = 4}) do n = n + v end
assert(n == 10)
local proxy = setmetatable({}, {__pairs = function(p) return "f", p, "k", "dropped" end})
local a, b, c, d = pairs(proxy)
assert(a == "f" and b == proxy and c == "k" and d == nil)
-- Removing during traversal is allowed.
t = {}
for i = 1, 100 do t["k" .. i] = i; t[i] = i end
for k in pairs(t) do t[k] = nil end
assert(next(t) == nil)
collectgarbage()

n = 0
for i, v in ipairs({1, 2, nil, 4}) do n = n + v end
assert(n == 3)
proxy = setmetatable({}, {__index = function(_, i) if i <= 5 then return i * 10 end end})
n = 0
for i, v in ipairs(proxy) do assert(v == i * 10); n = i end
assert(n == 5)
fails("bad argument #1 to 'ipairs' (value expected)", ipairs)
local step = ipairs({})
assert(step == ipairs({}))
assert(step({[math.mininteger] = 1}, math.maxinteger) == math.mininteger)
print("ok")
