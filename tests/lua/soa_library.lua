-- expect: ok
-- soa: rows of numbers by column.
local soa = require "soa"
assert(soa == _G.soa)

local function fails(wanted, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok, "no error, expected: " .. wanted)
  assert(tostring(message):find(wanted, 1, true), message)
end

-- Rows.
do
  local s = soa.new({x = "f64", y = "f64", ttl = "i32"}, 2)
  assert(#s == 0 and s:len() == 0 and s:capacity() == 2)
  assert(s:push() == 1 and s:push{x = 1.5, ttl = 7} == 2 and s:push{y = -1} == 3)
  assert(#s == 3 and s:capacity() >= 3)
  assert(s:get(1, "x") == 0 and s:get(2, "x") == 1.5 and s:get(2, "ttl") == 7 and s:get(3, "y") == -1)
  assert(math.type(s:get(2, "ttl")) == "integer" and math.type(s:get(2, "x")) == "float")
  s:set(1, "ttl", 5)
  local row = s:row(1)
  assert(row.ttl == 5 and row.x == 0 and row.y == 0)
  assert(s:remove(1) == 3 and s:get(1, "y") == -1 and #s == 2)
  assert(s:remove(2) == nil and #s == 1 and s:get(1, "y") == -1)
  s:clear()
  assert(#s == 0 and s:capacity() >= 3)
  fails("row 1 is out of range, there are 0 rows", s.get, s, 1, "x")
  fails("row 0 is out of range", s.set, s, 0, "x", 1)
  s:push()
  fails("no column 'z'", s.get, s, 1, "z")
  fails("row 2 is out of range", s.remove, s, 2)
  fails("row -1 is out of range", s.row, s, -1)
  fails("number expected", s.set, s, 1, "x", {})
  fails("no integer representation", s.set, s, 1, "ttl", 1.5)
  fails("no column 'z'", s.push, s, {z = 1})
  fails("no column '1'", s.push, s, {1})
  fails("field 'ttl' is no integer", s.push, s, {x = 1, ttl = 0.5})
  fails("field 'x' is no number", s.push, s, {x = true})
  assert(#s == 1)
end

-- Every type keeps its range; integers keep their low bits.
do
  local types = {f64 = 0.1, f32 = 0.5, i64 = math.mininteger, i32 = -2 ^ 31 | 0, u32 = (2 ^ 32 | 0) - 1,
                 i16 = -32768, u16 = 65535, i8 = -128, u8 = 255}
  for name, value in pairs(types) do
    local s = soa.new{v = name}
    s:push{v = value}
    assert(s:get(1, "v") == value, name)
  end
  local s = soa.new{v = "u8", w = "i8"}
  s:push{v = 257, w = 255}
  assert(s:get(1, "v") == 1 and s:get(1, "w") == -1)
end

-- Columns.
do
  local s = soa.new({x = "f64", vx = "f32", n = "i32", m = "u8"}, 100)
  for i = 1, 100 do s:push{x = i, vx = 0.5, n = i, m = i} end
  local x, vx, n, m = s:column("x"), s:column("vx"), s:column("n"), s:column("m")
  assert(#x == 100 and x:len() == 100 and x:get(7) == 7)
  x:set(7, 70)
  assert(s:get(7, "x") == 70)
  x:set(7, 7)
  assert(x:sum() == 5050 and x:min() == 1 and x:max() == 100)
  x:add(vx, 2)
  assert(x:sum() == 5150)
  x:add(-1)
  assert(x:sum() == 5050 and x:get(1) == 1)
  x:add(n)
  assert(x:sum() == 10100)
  n:add(m, -1)
  assert(n:sum() == 0 and math.type(n:sum()) == "integer" and n:min() == 0)
  n:fill(3)
  n:fill(4, 50)
  n:fill(5, 99, 100)
  assert(n:get(49) == 3 and n:get(50) == 4 and n:get(98) == 4 and n:get(100) == 5)
  n:fill(9, 60, 59)
  assert(n:get(59) == 4 and n:get(60) == 4)
  m:add(200)
  assert(m:get(1) == 201 and m:get(100) == 44)
  fails("row 101 is out of range", x.get, x, 101)
  fails("another soa", x.add, x, soa.new{x = "f64"}:column("x"))
  fails("floats cannot be added", n.add, n, x)
  fails("no integer representation", n.add, n, 0.5)
  fails("row 101 is out of range", n.fill, n, 0, 101)
  fails("soa.column expected", x.sum, s)
  fails("soa expected", s.push, x)
  -- A column stays good while rows come, go, and the store grows and is forgotten.
  for i = 1, 1000 do s:push{x = i} end
  assert(x:get(1100) == 1000 and #x == 1100)
  s, vx, n, m = nil, nil, nil, nil
  collectgarbage()
  collectgarbage()
  assert(x:get(1100) == 1000)
  debug.setuservalue(x, nil, 1)
  collectgarbage()
  collectgarbage()
  assert(x:get(1100) == 1000)
  local empty = soa.new{x = "f64"}:column("x")
  assert(empty:sum() == 0 and empty:min() == nil and empty:max() == nil)
  empty:fill(1)
  empty:add(1)
end

-- remove_where keeps the order of the others.
do
  local s = soa.new{id = "i32", ttl = "i16"}
  for i = 1, 100 do s:push{id = i, ttl = i % 3} end
  assert(s:remove_where("ttl", "<=", 0) == 33 and #s == 67)
  local last = 0
  for i = 1, #s do
    local id = s:get(i, "id")
    assert(id > last and id % 3 ~= 0 and s:get(i, "ttl") == id % 3)
    last = id
  end
  assert(s:remove_where("id", ">", 1000) == 0)
  assert(s:remove_where("ttl", "==", 1) == 34 and s:remove_where("id", "~=", 2) == 32)
  assert(#s == 1 and s:get(1, "id") == 2)
  assert(s:remove_where("id", ">=", 2) == 1 and #s == 0 and s:remove_where("id", "<", 9) == 0)
  -- The number is compared as it is, whatever the column could hold: 300 and -1 were once taken for
  -- the bytes 44 and 255.
  local bytes = soa.new{u = "u8", i = "i8", f = "f32"}
  for i = 0, 255 do bytes:push{u = i, i = i, f = 0.1} end
  assert(bytes:remove_where("u", "<", -1) == 0 and bytes:remove_where("u", ">=", 300) == 0)
  assert(bytes:remove_where("i", ">", 127) == 0 and bytes:remove_where("i", "==", 255) == 0)
  assert(bytes:remove_where("i", "==", -1) == 1 and bytes:remove_where("f", "==", 0.1) == 0)
  assert(bytes:remove_where("f", "<", 0 / 0) == 0)
  assert(bytes:remove_where("u", "<", 300) == 255 and #bytes == 0)
  fails("no column 'x'", s.remove_where, s, "x", "<", 0)
  fails("invalid option '='", s.remove_where, s, "id", "=", 0)
  fails("no integer representation", s.remove_where, s, "id", "<", 0.5)
end

-- A model: the same operations on tables.
do
  local s, model = soa.new{a = "f64", b = "i64"}, {}
  local seed = 12345
  local function random(n)
    seed = (seed * 1103515245 + 12345) & 0x7fffffff
    return seed % n + 1
  end
  for step = 1, 5000 do
    local what = random(10)
    if what <= 5 or #model == 0 then
      model[#model + 1] = {a = step / 2, b = step}
      assert(s:push{a = step / 2, b = step} == #model)
    elseif what <= 8 then
      local i = random(#model)
      model[i] = model[#model]
      model[#model] = nil
      s:remove(i)
    else
      local i = random(#model)
      model[i].a = -step
      s:set(i, "a", -step)
    end
  end
  assert(#s == #model)
  for i, row in ipairs(model) do assert(s:get(i, "a") == row.a and s:get(i, "b") == row.b) end
end

-- Bad types and capacities; bytes count for the heap.
do
  fails("column 'x' has type f16, allowed: f64", soa.new, {x = "f16"})
  fails("column 'x' has type table", soa.new, {x = {}})
  fails("names of columns are strings", soa.new, {"f64"})
  fails("no columns", soa.new, {})
  fails("table expected", soa.new)
  fails("capacity -1 is out of range", soa.new, {x = "f64"}, -1)
  fails("not enough memory", soa.new, {x = "f64"}, 1 << 40)
  local s = soa.new{x = "f64"}
  fails("capacity -1 is out of range", s.reserve, s, -1)
  collectgarbage()
  local before = neap.gc.stats().off_heap_bytes
  s:reserve(1 << 17)
  assert(neap.gc.stats().off_heap_bytes >= before + (1 << 20) and s:capacity() >= 1 << 17)
  s = nil
  collectgarbage()
  collectgarbage()
  assert(neap.gc.stats().off_heap_bytes <= before)
end
print("ok")
