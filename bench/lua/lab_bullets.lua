-- Bullets (experiments B1, B2, B3, B5, B6, B11, B17, B23, B25): does pooling make frames faster?
-- The source says that a free list never helps the median above 300 spawns a frame, that columns of
-- numbers cut the tail from 2,000 on, and that the tail is all collections. Each cell is
-- bullets.lua in a process of its own: a cell inherits the heap of the one before otherwise.
-- Checksums and counts are exact, times (CPU) a report; B11 is judged at 3,000. B7 and B8 are other
-- rates.
-- neap run --preset=source bench/lua/lab_bullets.lua [SPAWNS...]     (1000 3000 unless said)
-- --preset=source is the published heap: fixed nursery, promoted on the second survival. Run
-- it without, too.
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local verdicts, bullet_cell = require "lab.verdicts", require "lab.bullet_cell"
local kRates = {table.unpack(arg)}
if #kRates == 0 then kRates = {1000, 3000} end
local kStorages = {"fresh", "pool", "columns", "fifo", "sync", "soa"}
local kChecksums = {[300] = 2050992545, [1000] = 6838860443, [3000] = 20516788286,
                    [10000] = 68389346017}
-- p50, p99, collections and their ms in JavaScript; its "typed" are our columns of numbers.
local kSource = {
  [1000] = {fresh = ".217 1.049 20 13.2", pool = ".227 1.200 2 3.0", soa = ".375 .419 1 .3"},
  [3000] = {fresh = ".772 4.137 43 92.3", pool = "1.277 2.161 5 8.6", soa = "1.234 1.452 2 .4"},
  [10000] = {fresh = "2.748 15.202 139 423.2", pool = "15.007 25.635 13 23.3",
             soa = "4.409 6.928 8 4.4"},
}

-- B11: what collections have to do with the six slowest frames. The work of a frame is the same in
-- every process, and so are the frames that hold collections. What other programs of the machine
-- add to a frame's CPU time (cold caches, a shared core) is not: of three processes the least is
-- taken, frame by frame.
local function judge_tail(cell)
  local frames, p99, is_same = {}, {cell.p99}, true
  for i, frame in ipairs(cell.frames) do frames[i] = frame end
  for process = 2, 3 do
    local other = bullet_cell.run("fresh", 3000)
    p99[process] = other.p99
    for i, again in ipairs(other.frames) do
      is_same = is_same and again.cycles == frames[i].cycles
      if again.ms < frames[i].ms then frames[i] = again end
    end
  end
  verdicts.holds("B11", "three processes hold their collections in the same frames", is_same)
  table.sort(frames, function(a, b) return a.ms < b.ms end)
  local median, with, excess, gc_ms, others = frames[301].ms, 0, 0, 0, 0
  for i, frame in ipairs(frames) do
    if i > 594 then
      with = with + (frame.cycles > 0 and 1 or 0)
      excess, gc_ms = excess + frame.ms - median, gc_ms + frame.gc_ms
    elseif frame.cycles > 0 then
      others = others + 1
    end
  end
  verdicts.within("B11", "collections in the run", cell.cycles, 12, math.huge)
  verdicts.equal("B11", "frames from p99 on that hold a collection (source: 6)", with, 6)
  verdicts.at_least("B11", "share of their excess that is collections (source: 0.86)",
                    gc_ms / excess, 0.75, verdicts.spread(p99))
  verdicts.at_most("B11", "share of other frames that hold one (source: 0.04)", others / 594, 0.15,
                   0)
end

for _, rate in ipairs(kRates) do
  rate = math.tointeger(rate)
  local cells = {}
  print("B23 " .. rate .. " spawns a frame")
  print("  storage     p50 ms    p99 ms  collections    ms  objects a frame   source")
  for _, storage in ipairs(kStorages) do
    local cell = bullet_cell.run(storage, rate)
    cells[storage] = cell
    print(string.format("  %-8s%10.3f%10.3f%13d%6.1f%17.1f   %s", storage, cell.p50, cell.p99,
                        cell.cycles, cell.gc_ms, cell.objects / 600,
                        (kSource[rate] or {})[storage] or ""))
  end
  local fresh, pool = cells.fresh, cells.pool
  for _, storage in ipairs(kStorages) do
    verdicts.equal("B1", storage .. ", checksum", cells[storage].checksum,
                   kChecksums[rate] or fresh.checksum)
  end
  -- Beyond what the generator of random numbers allocates in every storage.
  verdicts.equal("B2", "objects that fresh allocates and columns do not, in 600 frames",
                 fresh.objects - cells.columns.objects, 600 * rate)
  verdicts.equal("B2", "records made by fresh", fresh.made_before + fresh.made, 630 * rate)
  if rate == 1000 then
    verdicts.equal("B2", "records made by the free list before the 600 frames", pool.made_before,
                   27258)
    verdicts.equal("B2", "records made by the free list in them", pool.made, 2413)
  end
  verdicts.equal("B2", "records made by sync.pool and not by the free list",
                 cells.sync.made_before + cells.sync.made - pool.made_before - pool.made, 0)
  if rate >= 1000 then
    verdicts.holds("B25", "collections of fresh are seen: " .. fresh.cycles, fresh.cycles > 0)
  end
  if rate == 3000 then judge_tail(fresh) end
  local function report(id, what, ratio, source)
    verdicts.report(id, string.format("%s %.2f (source: %s)", what, ratio, source))
  end
  report("B3", "free list / fresh, p50", pool.p50 / fresh.p50, "1.5 at 1,000, 2.5 at 3,000")
  report("B5", "soa / fresh, p99", cells.soa.p99 / fresh.p99, "0.55 at 10,000")
  report("B6", "free list / fresh, p99", pool.p99 / fresh.p99, "1.45 at 3,000")
  report("B17", "first in first out / last in first out, p50", cells.fifo.p50 / cells.columns.p50,
         "0.77 at 10,000")
end
verdicts.finish()
