-- Cells that share a process (experiment B24): one inherits the heap that the one before has left,
-- its pages and its nursery. The same three cells forwards, backwards, and each in a process of its
-- own. Checksums are strict; the spread of the times (CPU) is a report, and the reason why
-- lab_bullets.lua starts a process a cell.
-- neap run --preset=source bench/lua/lab_cell_order.lua [SPAWNS]     (3000)
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local verdicts, bullet_cell = require "lab.verdicts", require "lab.bullet_cell"
local kSpawn = tonumber(arg[1]) or 3000
local kForward = {"fresh", "pool", "soa"}
local kBackward = {"soa", "pool", "fresh"}

local orders = {
  ["own process"] = function(storage) return bullet_cell.run(storage, kSpawn) end,
}
for name, order in pairs{forwards = kForward, backwards = kBackward} do
  local cells = bullet_cell.shared(order, kSpawn)
  orders[name] = function(storage) return cells[storage] end
end
local kOrders = {"own process", "forwards", "backwards"}
print("B24 p50 / p99 at " .. kSpawn .. ", ms")
print(string.format("  %-8s%20s%20s%20s", "storage", table.unpack(kOrders)))
local widest, checksums, ran = 0, {}, 0
for _, storage in ipairs(kForward) do
  local line, p50, p99 = string.format("  %-8s", storage), {}, {}
  for i, name in ipairs(kOrders) do
    local cell = orders[name](storage)
    p50[i], p99[i] = cell.p50, cell.p99
    checksums[cell.checksum] = true
    ran = ran + 1
    line = line .. string.format("%20s", string.format("%.3f / %.3f", cell.p50, cell.p99))
  end
  print(line)
  widest = math.max(widest, verdicts.spread(p50), verdicts.spread(p99))
end
local checksum = next(checksums)
verdicts.shape("B24", ran .. " cells were run, in three orders", ran == 9)
verdicts.holds("B1", "all cells have one checksum", checksum and next(checksums, checksum) == nil)
verdicts.report("B24", string.format("widest spread over the orders %.0f %% (source: it matters)",
                                     100 * widest))
verdicts.finish()
