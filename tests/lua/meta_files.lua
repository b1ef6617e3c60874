-- expect: ok
-- The definition files for the language server and the program agree: every function that one of them
-- declares exists, and every function of these libraries is declared.
local folder = arg[0]:match("^(.*)/tests/lua/[^/]*$") .. "/vm/library/meta/"

-- Of each file: the names that stand in front of functions, and what they are in the program.
local function methods(value) return debug.getmetatable(value).__index end
local numbers = soa.new{x = "f64"}
local files = {
  ["buffer.lua"] = {buffer = buffer},
  ["neap.lua"] = {["neap.gc"] = neap.gc, watch = methods(neap.gc.on_cycle(print))},
  ["soa.lua"] = {soa = soa, store = methods(numbers), column = methods(numbers:column("x"))},
  ["string_buffer.lua"] = {
    module = require "string.buffer", buffer = methods(require("string.buffer").new()),
  },
  ["sync.lua"] = {sync = sync, pool = methods(sync.pool())},
  ["table.lua"] = {table = table},
}
-- Lua's own, which the language server knows.
local standard = {concat = true, insert = true, move = true, pack = true, remove = true, sort = true,
                  unpack = true}

for name, tables in pairs(files) do
  local declared, first = {}, nil
  for holder in pairs(tables) do declared[holder] = {} end
  for line in io.lines(folder .. name) do
    first = first or line
    local holder, fn = line:match("^function ([%w_.]-)[.:]([%w_]+)%(")
    if holder then
      assert(declared[holder], name .. ": no table for " .. line)
      assert(type(tables[holder][fn]) == "function", name .. ": not in the program: " .. line)
      declared[holder][fn] = true
    end
    assert(#line <= 200, name .. ": a long line: " .. line)
  end
  assert(first:find("^%-%-%-@meta"), name .. " is no definition file")
  for holder, members in pairs(tables) do
    for fn, value in pairs(members) do
      local known = declared[holder][fn] or (holder == "table" and standard[fn])
      assert(known or type(value) ~= "function", name .. ": not declared: " .. holder .. "." .. fn)
    end
  end
  assert(loadfile(folder .. name), name .. " does not compile")
end
-- Every field of the statistics of a pool, every option.
local text = io.open(folder .. "sync.lua"):read("a")
for field in pairs(sync.pool():stats()) do
  assert(text:find("---@field " .. field .. " ", 1, true), "not declared: " .. field)
end
print("ok")
