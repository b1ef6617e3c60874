-- Escape analysis, the functions of a well-known article in Lua's words. What leaves its function?
--
--   neap dump --escape bench/lua/escape.lua      the verdicts
--   neap run bench/lua/escape.lua                the functions run; a table of what each allocates
--   neap lab E7                                  the verdicts against the article's nine lines
--
-- In Lua every table and every closure is an object of the heap today: "stays" names those that a
-- compiler could keep off it. Two of the nine lines have no meaning here, and are marked.

local escape = {}

-- 1. "moved to heap: p": the address of a local is returned. A table is its own address.
function escape.new_point(x, y)
  local p = {x = x, y = y}
  return p
end

-- The address is taken and does not leave: no verdict line of its own.
function escape.sum(x, y)
  local p = {x = x, y = y}
  local q = p
  return q.x + q.y
end

-- 2. "x escapes": an int passed as a variadic `any` is boxed. No meaning in Lua: a number is a value,
--    and passing it to a variadic function boxes nothing.
function escape.pass_number(x)
  return select("#", x)
end

-- 3. make([]byte, 1024) does not escape.
function escape.fixed_buffer()
  local buffer = {}
  for i = 1, 1024 do buffer[i] = 0 end
  return #buffer
end

-- 4. make([]byte, n) does not escape, by the same words, whatever n is. What the words do not say:
--    a large one is still allocated (experiment E4).
function escape.var_buffer(n)
  local buffer = {}
  for i = 1, n do buffer[i] = 0 end
  return #buffer
end

-- 5. make([]byte, 65536) does not escape.
function escape.small_fixed()
  local buffer = {}
  for i = 1, 65536 do buffer[i] = 0 end
  return #buffer
end

-- 6. A slice of pointers to three locals does not escape, and neither do they.
function escape.sum_all()
  local a = {x = 1, y = 2}
  local b = {x = 3, y = 4}
  local c = {x = 5, y = 6}
  local points = {a, b, c}
  local sum = 0
  for i = 1, #points do sum = sum + points[i].x + points[i].y end
  return sum
end

-- 7. make([]byte, 65537) escapes: one byte over the limit. No meaning in Lua: a table has no size
--    when it is made, and none decides. (The frame allocator has the limit: experiment E5.)

-- 8. A function literal that is called at once does not escape, and n stays where it is.
function escape.call_literal()
  local n = 0
  local add = function() n = n + 1 end
  add()
  return n
end

-- 9. The same literal given to `go` escapes, and n with it. Here: given to a coroutine.
function escape.spawn_literal()
  local n = 0
  local task = coroutine.wrap(function() n = n + 1 end)
  task()
  return n
end

-- Each once; what is printed does not depend on any of this.
local names = {
  "new_point", "sum", "pass_number", "fixed_buffer", "var_buffer", "small_fixed", "sum_all",
  "call_literal", "spawn_literal",
}
for _, name in ipairs(names) do
  local before = collectgarbage("count")
  escape[name](100, 200)
  local kib = collectgarbage("count") - before
  print(string.format("%-14s %10.0f bytes", name, kib * 1024))
end

return escape
