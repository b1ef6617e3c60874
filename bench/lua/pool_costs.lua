-- What a pool costs from a script, as ratios of one run:
--   1  a Get+Put pair against 4 accesses to table fields (2 reads, 2 writes): at most 1
--   2  a Get+Put pair of an object of 256 bytes or more against making a record of 6 fields, its
--      share of collection included: less than 1
-- neap bench/lua/pool_costs.lua [ROUNDS]; the exit status is 1 when one of them fails. Each figure is
-- the median of kTrials interleaved trials, without the cost of the empty loop.
local sync = require "sync"
local kRounds = tonumber(arg and arg[1]) or 2000000
local kTrials = 9

local pool = sync.pool{name = "costs", new = function() return {} end}
local large = sync.pool{name = "large", new = function() return table.create(32) end}
local point = {x = 1, y = 2}
local keep

local kinds = {
  {"an empty loop", function(n) for _ = 1, n do end end},
  {"4 field accesses", function(n)
    local p = point
    for _ = 1, n do
      p.x = p.y
      p.y = p.x
    end
  end},
  {"get and put", function(n)
    local p = pool
    for _ = 1, n do p:put(p:get()) end
  end},
  {"get, local, put", function(n)
    local p = pool
    for _ = 1, n do
      local x = p:get()
      p:put(x)
    end
  end},
  {"get and put of 280 bytes", function(n)
    local p = large
    for _ = 1, n do
      local x = p:get()
      p:put(x)
    end
  end},
  {"a record of 6 fields", function(n)
    for i = 1, n do keep = {a = i, b = i, c = i, d = i, e = i, f = i} end
  end},
  {"a call of a Lua function", function(n)
    local function f(x) return x end
    for i = 1, n do f(i) end
  end},
  {"a call of math.abs", function(n)
    local f = math.abs
    for i = 1, n do f(i) end
  end},
}

local times = {}
for k = 1, #kinds do times[k] = {} end
for trial = 1, kTrials do
  for k, kind in ipairs(kinds) do
    local start = os.clock()
    kind[2](kRounds)
    times[k][trial] = os.clock() - start
  end
end
local nanos = {}
for k, kind in ipairs(kinds) do
  table.sort(times[k])
  nanos[kind[1]] = times[k][(kTrials + 1) // 2] / kRounds * 1e9
end
for _, kind in ipairs(kinds) do
  print(string.format("%-26s %7.2f ns", kind[1], nanos[kind[1]]))
end

local failed = false
local function judge(what, limit, measured, base)
  local empty = nanos["an empty loop"]
  local ratio = (nanos[measured] - empty) / (nanos[base] - empty)
  local passes = ratio <= limit
  failed = failed or not passes
  print(string.format("%-4s %.2f  (at most %.2f)  %s", passes and "pass" or "FAIL", ratio, limit, what))
end
judge("get and put / 4 field accesses", 1, "get, local, put", "4 field accesses")
judge("get and put of 280 bytes / a record of 6 fields", 1, "get and put of 280 bytes",
      "a record of 6 fields")
os.exit(failed and 1 or 0, true)
