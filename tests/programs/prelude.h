// SPDX-License-Identifier: MIT
//
// The functions that written programs use (program_writer.h). `print` gets one string at a time.
#ifndef NEAP_TESTS_PROGRAMS_PRELUDE_H_
#define NEAP_TESTS_PROGRAMS_PRELUDE_H_

#include <string_view>

namespace neap::testing {

inline constexpr std::string_view kPrelude = R"lua(
local fuel, depth, lines, finalized = 3000, 0, 0, 0
g, h = 1, 2.5
local function show(v)
  -- 5.4.4 does not know the line of a division by a constant 0.
  if type(v) == "string" and (v:find("'n%0'", 1, true) or v:find("divide by zero", 1, true)) then
    v = v:gsub(":%d+:", ":")
  end
  if v ~= v then return "nan" end
  local kind = type(v)
  if kind == "table" then
    local meta = getmetatable(v)
    return meta and meta.__tostring and tostring(v) or "table"
  end
  return (kind == "function" or kind == "thread") and kind or tostring(v)
end
-- Prints, up to 300 lines.
local function out(...)
  lines = lines + 1
  if lines > 300 then return end
  local texts = table.pack(...)
  for i = 1, texts.n do texts[i] = show(texts[i]) end
  print(table.concat(texts, " ", 1, texts.n))
end
local function spin()
  fuel = fuel - 1
  if fuel < 0 then error("fuel", 0) end
end
local function enter()
  spin()
  depth = depth + 1
  if depth > 15 then error("depth", 0) end
end
local function leave() depth = depth - 1 end
local function restore(d, ...)
  depth = d
  return ...
end
local function try(f, ...) return restore(depth, pcall(f, ...)) end
local function trace(f, ...)
  return restore(depth, xpcall(f, function(m) return "handled " .. show(m) end, ...))
end
local function resume(f, ...) return restore(depth, f(...)) end
-- Numbers and strings whose text is the same everywhere, and short.
local function num(n) return n ~= n and "nan" or n end
local function cut(s) return #s > 60 and s:sub(1, 60) or s end
-- pairs() in the order of the keys' texts.
local function sorted(t)
  local keys = {}
  for k in next, t do keys[#keys + 1] = k end
  table.sort(keys, function(a, b)
    return math.type(a) == math.type(b) and type(a) == type(b) and
           (type(a) == "boolean" and tostring(a) < tostring(b) or
            type(a) ~= "boolean" and a < b) or
           show(math.type(a)) .. type(a) < show(math.type(b)) .. type(b)
  end)
  local i = 0
  return function()
    i = i + 1
    return keys[i], t[keys[i]]
  end
end
local function closer(name, fails)
  return setmetatable({}, {__close = function(_, e)
    out("close", name, e)
    if fails then error("closing " .. name, 0) end
  end})
end
-- n objects, each key and value of `weak`; every mth is kept.
local function fill(weak, keep, n, m)
  for i = 1, n do
    local key, value = {i}, {-i}
    weak[key] = i % 2 == 0 and value or {key}
    if i % m == 0 then keep[#keep + 1], keep[#keep + 2] = key, weak[key] end
    weak[i] = value
  end
end
local function count(t)
  local n = 0
  for _ in next, t do n = n + 1 end
  return n
end
local function litter(n)
  for i = 1, n do
    setmetatable({i}, {__gc = function(o) finalized = finalized + o[1] end})
  end
end
)lua";

}  // namespace neap::testing

#endif  // NEAP_TESTS_PROGRAMS_PRELUDE_H_
