-- expect: ok
-- Values that pass between coroutines, by every kind of call that can resume or yield: numbers of
-- values around what the caller wants and around what its stack has room for.
local yield, wrap, create, resume = coroutine.yield, coroutine.wrap, coroutine.create,
  coroutine.resume
local pack, unpack = table.pack, table.unpack

local function numbers(n)
  local t = {n = n}
  for i = 1, n do t[i] = i end
  return t
end
local function same(a, b)
  assert(a.n == b.n, a.n .. " values, not " .. b.n)
  for i = 1, a.n do assert(a[i] == b[i], i) end
end
local function behind(first, t) return pack(first, unpack(t, 1, t.n)) end

local COUNTS = {0, 1, 2, 3, 10, 38, 39, 40, 41, 42, 63, 64, 65, 100, 250, 1000, 20000}

-- Open counts, both ways.
for _, n in ipairs(COUNTS) do
  for _, m in ipairs(COUNTS) do
    local there, back = numbers(n), numbers(m)
    local function body(...)
      same(pack(...), there)
      same(pack(yield(unpack(back, 1, m))), back)
      return yield(...)
    end
    local co = create(body)
    same(pack(resume(co, unpack(there, 1, n))), behind(true, back))
    same(pack(resume(co, unpack(back, 1, m))), behind(true, there))
    same(pack(resume(co, unpack(back, 1, m))), behind(true, back))
    assert(coroutine.status(co) == "dead")
    local go = wrap(body)
    same(pack(go(unpack(there, 1, n))), back)
    same(pack(go(unpack(back, 1, m))), there)
    same(pack(go(unpack(back, 1, m))), back)
  end
end

-- Fixed counts.
for n = 0, 5 do
  local go = wrap(function()
    while true do
      local a, b, c = yield(unpack(numbers(n), 1, n))
      assert(a == "a" and b == (n > 1 and "b" or nil) and c == nil)
      yield()
      yield(unpack(numbers(n), 1, n))
    end
  end)
  local function value(i) return i <= n and i or nil end
  for _ = 1, 3 do
    local a, b, c = go("a", n > 1 and "b" or nil)
    assert(a == value(1) and b == value(2) and c == value(3))
    assert(select("#", go("a", n > 1 and "b" or nil)) == 0)
    local only = (go())
    assert(only == value(1))
  end
end

-- Calls that are no plain calls.
do
  local function tail(...) return yield(...) end
  local go = wrap(function(...) return tail(...) end)
  same(pack(go(1, nil)), pack(1, nil))
  same(pack(go(nil, 2, nil)), pack(nil, 2, nil))

  local all = {}
  for a, b, c in wrap(function() for i = 1, 5 do yield(i, -i) end end) do
    all[#all + 1] = a + b + (c == nil and a or 0)
  end
  assert(table.concat(all, ",") == "1,2,3,4,5")

  local meta = {
    __add = yield, __index = yield, __newindex = yield, __call = yield, __eq = yield, __lt = yield,
    __concat = yield, __len = yield, __unm = yield, __close = yield,
  }
  local function object() return setmetatable({}, meta) end
  local seen = {}
  go = wrap(function()
    local o, p = object(), object()
    seen[#seen + 1] = o + 1
    seen[#seen + 1] = o.name
    o.other = 3
    seen[#seen + 1] = o(4, 5)
    seen[#seen + 1] = o == p
    seen[#seen + 1] = o < p
    seen[#seen + 1] = o .. "x"
    seen[#seen + 1] = #o
    seen[#seen + 1] = -o
    do local c <close> = o end
    return "end"
  end)
  local values = {}
  while true do
    local r = pack(go(#values))
    values[#values + 1] = r.n
    if r[1] == "end" then break end
  end
  assert(table.concat(values, ",") == "2,2,3,3,2,2,2,2,2,2,1", table.concat(values, ","))
  local text = {}
  for i, v in ipairs(seen) do text[i] = tostring(v) end
  assert(table.concat(text, ",") == "1,2,4,true,true,7,8,9", table.concat(text, ","))

  local step = wrap(function(...)
    local a = ...
    while true do a = yield(a + 1) end
  end)
  local adder = setmetatable({}, {__add = function(_, n) return step(n) end, __index = step})
  assert(adder + 4 == 5 and adder + 7 == 8)
end

-- Natives as bodies, natives that call them, and both.
do
  same(pack(wrap(select)("#", 1, 2)), pack(2))
  local packed = wrap(wrap(wrap(pack)))(1, nil)
  assert(packed.n == 2 and packed[1] == 1)
  local direct = wrap(yield)
  same(pack(direct(1, 2)), pack(1, 2))
  same(pack(direct(3)), pack(3))
  assert(not pcall(direct))

  local protected = wrap(function(...)
    local t = pack(pcall(yield, ...))
    t = behind("got", t)
    return unpack(t, 1, t.n)
  end)
  same(pack(protected(1, 2)), pack(1, 2))
  same(pack(protected(nil, 7)), pack("got", true, nil, 7))

  same(pack(pcall(wrap(error), "plain")), pack(false, "plain"))
  local co = create(error)
  same(pack(resume(co, 5)), pack(false, 5))
  same(pack(resume(co)), pack(false, "cannot resume dead coroutine"))
  co = create(function() return resume(coroutine.running()) end)
  same(pack(resume(co)), pack(true, false, "cannot resume non-suspended coroutine"))
  co = wrap(function() return pcall(co) end)
  local ok, message = co()
  assert(not ok and message:find("cannot resume non%-suspended coroutine"))

  local sorted = {3, 1, 2}
  co = create(function() table.sort(sorted, function() yield() end) end)
  ok, message = resume(co)
  assert(not ok and message == "attempt to yield across a C-call boundary")
  -- One that a C call resumes may fail before any code of Lua has run for that call.
  for _, c_call in ipairs{
    function(f) table.sort({2, 1}, f) end,
    function(f) string.gsub("a", "a", f) end,
    function(f) tostring(setmetatable({}, {__tostring = f})) end,
  } do
    assert(not pcall(c_call, wrap(error)))
    ok, message = pcall(c_call, wrap(function() error("inside", 0) end))
    assert(not ok and message:find("inside$"))
    local dead = wrap(type)
    dead(1)
    ok, message = pcall(c_call, dead)
    assert(not ok and message:find("cannot resume dead coroutine$"))
  end
  -- A coroutine of its own may switch inside a C call.
  local less = wrap(function(a, b) while true do a, b = yield(a < b) end end)
  table.sort(sorted, less)
  assert(table.concat(sorted) == "123")
  assert(string.gsub("abc", "%w", wrap(function(c)
    while true do c = yield(c:upper()) end
  end)) == "ABC")
end

-- A running coroutine lives while nothing but its running refers to it.
do
  local function body(...)
    local sum = 0
    for i = 1, 20 do
      collectgarbage()
      for k = 1, 50 do sum = sum + #{i, k} end
    end
    return sum, ...
  end
  same(pack(resume(create(body), 1, nil)), pack(true, 2000, 1, nil))
  same(pack(wrap(body)(1, nil)), pack(2000, 1, nil))
  same(pack(resume(create(function() return resume(create(body), 3) end))),
       pack(true, true, 2000, 3))
end

-- A hook sees the calls and returns of both sides, and the values are the same.
do
  local events = {}
  local function trace(event) events[#events + 1] = event end
  local co = create(function(...) same(pack(yield(...)), pack(3, nil)) return "end" end)
  debug.sethook(trace, "cr")
  local a = pack(resume(co, 1, nil, 2))
  debug.sethook(co, trace, "cr")
  local b = pack(resume(co, 3, nil))
  debug.sethook()
  same(a, pack(true, 1, nil, 2))
  same(b, pack(true, "end"))
  local calls = 0
  for _, event in ipairs(events) do calls = calls + (event == "call" and 1 or 0) end
  assert(calls > 6)
end

-- No room for the first call of a coroutine: its resumer gets the error.
do
  local t = numbers(999970)
  local names = {}
  for i = 1, 190 do names[i] = "a" .. i end
  local list = table.concat(names, ",")
  local f = load("return function(...) local " .. list .. " = ... return 7 end")()
  local failed = 0
  for n = 999700, 999970, 15 do
    local co = create(f)
    local called, ok, value = pcall(function() return resume(co, unpack(t, 1, n)) end)
    local go = wrap(f)
    local wrapped, result = pcall(function() return (go(unpack(t, 1, n))) end)
    if called and ok then
      assert(value == 7 and wrapped and result == 7)
    else
      failed = failed + 1
      local message = called and value or ok
      assert(message:find("stack overflow") or message:find("too many"), message)
      assert(not wrapped and (result:find("stack overflow") or result:find("too many")), result)
    end
    if called and not ok then coroutine.close(co) end
    assert(coroutine.close(co))
  end
  assert(failed > 2)
end

-- Switches at the deepest level that is allowed.
do
  local function nest(n)
    if n == 0 then return 0 end
    return 1 + wrap(nest)(n - 1)
  end
  assert(nest(150) == 150)
  local ok, message = pcall(nest, 1000)
  assert(not ok and message:find("C stack overflow"))
  local levels = 0
  local function native(f) levels = levels + 1 return f and wrap(native)(native) end
  ok, message = pcall(native, native)
  assert(not ok and message:find("C stack overflow") and levels > 150)
end
print("ok")
