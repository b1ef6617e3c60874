-- The prices behind a pool (experiment B9): making a bullet, overwriting one, and what keeping the
-- free ones costs. The source finds in JavaScript that a push and a pop cost twice what they save.
-- All are times, so all is a report; the two halves of a pool's bargain are the last line.
-- neap run bench/lua/lab_micro_costs.lua [ROUNDS]; also in PUC Lua and LuaJIT, without sync.pool.
local kRounds = tonumber(arg and arg[1]) or 1000000
local kTrials, kBatch = 9, 1000
local keep
local bullet = {x = 0.5, y = 0, vx = 0, vy = 0, ttl = 0, damage = 0}
local list, indices = {}, {}

local steps = {
  {"an empty loop", "", function(n) for i = 1, n do keep = i end end},
  {"make a bullet of 6 fields", "4.72", function(n)
    for i = 1, n do keep = {x = i, y = i, vx = i, vy = i, ttl = i, damage = i} end
  end},
  {"overwrite its 6 fields", "1.17", function(n)
    for i = 1, n do
      local b = bullet
      b.x, b.y, b.vx, b.vy, b.ttl, b.damage = i, i, i, i, i, i
      keep = b
    end
  end},
  {"push and pop, list of objects", "7.86", function(n)
    local free = list
    for _ = 1, n / kBatch do
      for k = 1, kBatch do free[k] = bullet end
      for k = kBatch, 1, -1 do
        keep = free[k]
        free[k] = nil
      end
    end
  end},
  {"push and pop, stack of integers", "7.04", function(n)
    local free, top = indices, 0
    for _ = 1, n / kBatch do
      for k = 1, kBatch do
        top = top + 1
        free[top] = k
      end
      for _ = 1, kBatch do
        keep = free[top]
        top = top - 1
      end
    end
  end},
}
if neap then
  local pool = require("sync").pool{new = function() return {} end}
  steps[#steps + 1] = {"get and put, sync.pool", "", function(n)
    for _ = 1, n do
      keep = pool:get()
      pool:put(keep)
    end
  end}
end

local times = {}
for k = 1, #steps do times[k] = {} end
for trial = 1, kTrials do  -- interleaved: a change of the machine's speed meets all of them
  for k, step in ipairs(steps) do
    local start = os.clock()
    step[3](kRounds)
    times[k][trial] = (os.clock() - start) / kRounds * 1e9
  end
end
local nanos = {}
for k, step in ipairs(steps) do
  table.sort(times[k])
  nanos[k] = times[k][(kTrials + 1) / 2] - (nanos[1] or 0)
  print(string.format("%-34s%8.2f ns   %s", step[1], nanos[k],
                      step[2] ~= "" and "source (JavaScript): " .. step[2] or ""))
end
local premium = nanos[2] - nanos[3]
local finding = "so there is nothing for a free list to save"
if premium > 0 then
  finding = string.format("a push and a pop are %.2f times that", nanos[4] / premium)
end
print(string.format("report B9   making costs %.2f ns more than overwriting, %s", premium, finding))
print("            (source: 3.55 ns, 2.2 times: a free list costs more than it saves)")
