-- expect: ok
-- table.create of Lua 5.5, which Lua 5.4 does not have.
if table.create then
  local t = table.create(100, 10)
  assert(type(t) == "table" and #t == 0 and next(t) == nil)
  t[1] = 1
  t.x = 2
  assert(#t == 1 and t.x == 2)
  assert(next(table.create(0)) == nil)
  local ok, message = pcall(table.create, -1)
  assert(not ok and message:find("out of range", 1, true))
  assert(not pcall(table.create) and not pcall(table.create, "x"))
end
print("ok")
