-- Inside a frame of the bullets (experiments B10, B15, B16): a free list costs nothing when firing
-- and everything when updating, says the source, because the list of live bullets jumps about in
-- memory. Each cell is bullets.lua in a process of its own; times are CPU, and decide nothing; the
-- order of the list is a count. A script sees no addresses: the order of making stands for them,
-- which a copying collector keeps. Addresses, and misses of the caches: neap lab B15.
-- neap run --preset=source bench/lua/lab_bullet_phases.lua [SPAWNS [PROCESSES]]     (3000 3)
-- The source has B10 at 3,000 and B16 at 10,000.
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local verdicts, bullet_cell = require "lab.verdicts", require "lab.bullet_cell"
local kSpawn, kProcesses = tonumber(arg[1]) or 3000, tonumber(arg[2]) or 3

-- B10: terms that predict the difference between two storages' mean frames, and that difference,
-- from other processes.
local function median_fire(cell)
  local ms = {}
  for i, frame in ipairs(cell.frames) do ms[i] = frame.fire_ms end
  return verdicts.median(ms)
end
local figures = {
  mean = function(cell) return cell.ms / 600 end,
  update = function(cell) return (cell.ms - cell.fire_ms) / 600 end,
  fire = median_fire,  -- of the median frame: no collection
  gc = function(cell) return cell.gc_ms / 600 end,
}
-- The storages, and the processes of the terms and of the mean, take turns: a change of the
-- machine's speed meets them all. Medians, and the spread of each.
local values = {fresh = {}, pool = {}}
for i = 1, kProcesses do
  for storage, lists in pairs(values) do
    for _, names in ipairs{{"update", "fire", "gc"}, {"mean"}} do
      local cell = bullet_cell.run(storage, kSpawn)
      for _, name in ipairs(names) do
        lists[name] = lists[name] or {}
        lists[name][i] = figures[name](cell)
      end
    end
  end
end
local fresh, pool, spreads = {}, {}, {}
for name in pairs(figures) do
  fresh[name], pool[name] = verdicts.median(values.fresh[name]), verdicts.median(values.pool[name])
  spreads[name] = math.max(verdicts.spread(values.fresh[name]), verdicts.spread(values.pool[name]))
end
print("B10 mean frame at " .. kSpawn .. ", free list less fresh, ms      source, at 3,000")
local predicted = 0
for _, term in ipairs{{"update", ""}, {"fire", ""}, {"gc", "-0.150"}} do
  local difference = pool[term[1]] - fresh[term[1]]
  predicted = predicted + difference
  print(string.format("  %-24s%10.3f%25s", term[1], difference, term[2]))
end
local measured = pool.mean - fresh.mean
print(string.format("  %-24s%10.3f%25s", "predicted", predicted, "0.969"))
print(string.format("  %-24s%10.3f%25s", "in other processes", measured, "0.995"))
verdicts.at_most("B10", "|predicted - measured| / larger mean (source: 0.03)",
                 math.abs(predicted - measured) / math.max(pool.mean, fresh.mean), 0.05,
                 spreads.mean / 0.05)

-- B16
local fire, update = pool.fire / fresh.fire, pool.update / fresh.update
print("B16 phases at " .. kSpawn .. ", ms      fresh   free list    ratio   source, at 10,000")
print(string.format("  firing%29.3f%12.3f%9.2f   1.285 / 1.295", fresh.fire, pool.fire, fire))
print(string.format("  updating%27.3f%12.3f%9.2f   2.104 / 9.884", fresh.update, pool.update,
                    update))
verdicts.at_least("B16", "firing, free list / fresh (source: 1.01)", fire, 0.7, spreads.fire)
verdicts.at_most("B16", "firing, free list / fresh", fire, 1.3, spreads.fire)
verdicts.at_least("B16", "updating's ratio / firing's (source: 4.7)", update / fire, 1,
                  math.max(spreads.fire, spreads.update))

-- B15: steps between neighbours in the list of live bullets, in objects. `fresh` makes each bullet
-- anew; the others reuse them, last in first out, or first in first out with the 15 of 45 spawns'
-- bullets idle that bullets.lua has.
local function median_step(storage)
  math.randomseed(12345)
  local live, free, first, made = {}, {}, 1, 0
  for _ = 1, 120 do
    for _ = 1, kSpawn do
      local bullet
      if storage == "last in" then
        bullet = table.remove(free)
      elseif storage == "first in" and first <= #free - 15 * kSpawn then
        bullet, free[first] = free[first], false
        first = first + 1
      end
      if not bullet then
        made = made + 1
        bullet = {number = made}
      end
      bullet.ttl = math.random(20, 39)
      live[#live + 1] = bullet
    end
    local kept = {}
    for _, bullet in ipairs(live) do
      bullet.ttl = bullet.ttl - 1
      if bullet.ttl > 0 then kept[#kept + 1] = bullet else free[#free + 1] = bullet end
    end
    live = kept
  end
  local steps = {}
  for i = 2, #live do steps[i - 1] = math.abs(live[i].number - live[i - 1].number) end
  table.sort(steps)
  return steps[#steps // 2 + 1]
end
local fresh_step, pool_step = median_step("fresh"), median_step("last in")
verdicts.within("B15", string.format("median step of the list in objects, free list %d / fresh %d",
                                     pool_step, fresh_step), pool_step / fresh_step, 50, math.huge)
verdicts.report("B15", "median step of a free list, first in first out: " ..
                median_step("first in"))
verdicts.finish()
