// SPDX-License-Identifier: MIT
//
// Programs of the compiler's tests. They print what they compute and need nothing but `print`.
#ifndef NEAP_TESTS_COMPILER_PROGRAMS_H_
#define NEAP_TESTS_COMPILER_PROGRAMS_H_

#include <string_view>

namespace neap::testing {

inline constexpr std::string_view kPrograms[] = {
    // Evaluation order, and locals that change while they are operands.
    R"lua(
local function trace(name) print(name) return name end
local t = {}
t[trace("key")] = trace("value")
local a = 1
local function set(v) a = v return 1 end
print(a + set(10), set(20) + a, a < set(3), set(50) < a, a > set(70), a .. set(80) .. a)
a = a + set(5)
print(a)
local x, y = trace(1), trace(2), trace(3)
print(x, y)
print(trace("f") and trace("g") or trace("h"))
print(({trace(1), trace(2), k = trace(3), [trace("4")] = trace(4), trace(5)})[3])
)lua",
    // Multiple assignment.
    R"lua(
local a, b, c = 1, 2, 3
a, b = b, a
print(a, b)
a, b, c = c, a, b
print(a, b, c)
local t, i = {}, 1
i, t[i] = i + 1, 20
print(i, t[1], t[2])
t[i], i = 5, 7
print(i, t[2], t[7])
local u = {}
u.x, u = 1, {x = 2}
print(u.x)
local v = {}
local w = v
v[1], v.y, v = 10, 11, nil
print(w[1], w.y, v)
local function three() return 1, 2, 3 end
a, b, c = three()
print(a, b, c)
a, b, c = 0, three()
print(a, b, c)
a, b = three(), 9
print(a, b)
a, b, c = 8
print(a, b, c)
g, h = 1, 2
g, h = h, g
print(g, h);
(w)[1], (w)[2] = (w)[2], (w)[1]
print(w[1], w[2])
local k = "n"
w[(k)], k = 1, "m"
print(w.n, w.m)
local p = {}
do
  local _ENV = p
  x, _ENV = 1, {}
end
print(p.x)
local function env(print, P)
  local _ENV = P
  local function f() y, _ENV = 2, {} end
  f()
  print(P.y, y)
end
env(print, p)
)lua",
    // and, or, not: values and conditions.
    R"lua(
local values = {false, 0, "s"}
local function show(...) print(...) end
for i = 0, 3 do
  local a = values[i]
  for j = 0, 3 do
    local b = values[j]
    show(i, j, a and b, a or b, not a, not (a and b), not (a or b), a == b, a ~= b)
    local c = a and b or i
    local d = (a or b) and j
    local e = not a and b or a and not b
    show(c, d, e, (a and b) == nil, i < j and a, i < j or b, not (i < j) and b, i == 1 or j >= 2)
    a = a and (b or a)
    show(a)
    b = i > j and i < 3 or b
    show(b, (i <= j) == (j > i), i ~= j and not (a == b))
    if a and b or i == 2 then show("1") elseif not a or not b then show("2") else show("3") end
    if not (a and (b or i == 2)) then show("4") end
    while not (a or b or true) do end
    if a == nil then show("nil") elseif a == false then show("no")
    elseif a == "s" then show("s") end
    local z = a
    z = z or b
    show(z, nil and a, false or b, 1 and a, nil or b, a and nil, b or false, a and 1 or 2)
  end
end
print(1 < 2 == true, "a" < "b", "b" <= "a", 1 < 2 and 2 < 3, 3 > 2 == not (2 > 3))
)lua",
    // Loops, closures of their variables, breaks, gotos.
    R"lua(
local fs = {}
for i = 1, 3 do
  local j = i * 10
  fs[#fs + 1] = function() j = j + 1 return i, j end
  if i == 2 then goto continue end
  print(i)
  ::continue::
end
for i = 1, #fs do print(fs[i]()) print(fs[i]()) end
local n = 0
while true do
  local m = n
  fs[n] = function() m = m + 1 return m end
  n = n + 1
  if n > 3 then break end
end
print(fs[0](), fs[0](), fs[1](), fs[2](), fs[3]())
local k = 0
repeat
  local q = k
  fs[k] = function() return q end
  k = k + 1
until (function() return q end)() >= 2
print(fs[0](), fs[1](), fs[2](), k)
repeat local done = true until done
for i = 10, 1, -3 do print(i) end
for i = 1, 0 do print("never") end
for i = 1.0, 2 do print(i) end
do
  local i = 1
  ::top::
  local c = i
  fs[i] = function() c = c + 1 return c end
  i = i + 1
  if i <= 3 then goto top end
  print(fs[1](), fs[2](), fs[3](), fs[1]())
end
local function range(n)
  return function(limit, i) if i < limit then return i + 1, i * i end end, n, 0
end
for i, square in range(4) do
  if i == 4 then break end
  fs[i] = function() return i + square end
  print(i, square)
end
print(fs[1](), fs[2](), fs[3]())
local function find(n)
  for i in range(n) do
    for j in range(i) do if i * j == 6 then return i, j end end
  end
  return "none"
end
print(find(2))
print(find(5))
for i = 1, 3 do for j = 1, 3 do if j == 2 then goto next end print(i, j) end ::next:: end
)lua",
    // Functions: varargs, methods, recursion, tail calls, upvalues of upvalues.
    R"lua(
local function pack(...) return {...} end
local function count(...) return #pack(...) end
print(count(), count(1), count(1, 2, 3), (count(1, 2)))
local function pass(...) return ... end
print(pass(1, 2, 3))
print((pass(1, 2, 3)))
print(pass(1, 2), pass(3, 4))
local a, b, c = pass(1)
print(a, b, c)
local function vary(first, ...)
  local x, y = ...
  return first, x, y, ...
end
print(vary(1))
print(vary(1, 2, 3, 4))
local function fact(n) if n <= 1 then return 1 end return n * fact(n - 1) end
print(fact(10))
local function loop(n, acc) if n == 0 then return acc end return loop(n - 1, acc + n) end
print(loop(100, 0))
local object = {n = 1}
function object:add(k) self.n = self.n + k return self end
function object.new() return object end
print(object:add(2):add(3).n, object.new():add(1).n)
print(object.new().new().n)
local function counter()
  local n = 0
  return {up = function() n = n + 1 return n end, down = function() n = n - 1 return n end}
end
local c1, c2 = counter(), counter()
print(c1.up(), c1.up(), c2.down(), c1.down())
local function outer(x)
  return function() return function() x = x + 1 return x end end
end
local f = outer(1)
print(f()(), f()())
local function captured(x) local g = function() x = x + 1 return x end return g() end
print(captured(1))
local function later(x) local function g() return x end x = x + 1 return g() end
print(later(1))
function global(...) return select end
print(global())
)lua",
    // Tables and operators.
    R"lua(
local x = 7
local t = {1, 2, x, a = 1, b = {c = {d = x}}, [x] = "seven", "last"}
print(t[1], t[3], t[4], t.a, t.b.c.d, t[7], #t)
local many = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,
  31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60}
print(#many, many[49], many[50], many[51], many[60])
local function two() return 1, 2 end
local open = {0, two()}
print(#open, open[3])
local closed = {two(), two(), (two())}
print(#closed)
local r = {a = x, b = x + 1, c = "c", d = nil}
print(r.a, r.b, r.c, r.d)
r = {a = r, b = r.a}
print(r.a.b, r.b)
local twice = {a = 1, a = 2}
print(twice.a)
print(x + 1, 1 + x, x - 1, 10 - x, x * 2, 2 * x, x / 2, x // 2, x % 4, 2 ^ x, x & 3, 3 & x, x | 8)
print(x ~ 1, 1 ~ x, x << 1, x >> 1, 1 << x, -x, ~x, x .. "s", "s" .. x .. 1 .. x, #"abc" + x)
print(x < 8, 8 < x, x > 6, 6 > x, x <= 7, 7 <= x, x >= 7, 7 >= x, x == 7, 7 == x, x ~= 7, 7 ~= x)
print(x == 7.0, x + 0.5, 2^53 == 2^53 + 1, 1e15, -0.0, 0.0, 1 // 1, 100000000000, -2147483649)
print(x + x * x - x // x == x * x and x < x + 1 == not (x > x + 1), (x + x) * (x - 1))
local s <const> = 5
print(s + x, s * s, t[s], s)
x = (x + 1) * (x + 2)
print(x)
x = {x}
print(x[1])
x = x[1] + x[1] * x[1]
print(x)
)lua",
};

}  // namespace neap::testing

#endif  // NEAP_TESTS_COMPILER_PROGRAMS_H_
