-- Bullets (experiments B1, B2, B5, B11, B17, B23, B25): does pooling make frames faster? The source
-- says that a free list never helps the median above 300 spawns a frame, that columns of numbers
-- cut the tail from 2,000 on, and that the tail is all collections. Each cell is bullets.lua in a
-- process of its own: a cell inherits the heap of the one before otherwise. Checksums and counts
-- are exact, times (CPU) a report; B11 is judged at 3,000 and wants a quiet machine. B15 and B16
-- look at addresses and phases: neap lab B15 B16.
-- neap run --preset=source bench/lua/lab_bullets.lua [SPAWNS...]     (1000 3000 unless said)
-- --preset=source is the published heap: fixed nursery, promoted on the second survival. Run
-- it without, too.
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
local failed = 0
local function judge(id, what, measured, wanted)
  local passes = measured == wanted
  failed = failed + (passes and 0 or 1)
  print(string.format("%-4s %-3s  %s: %s, wanted %s", passes and "pass" or "FAIL", id, what,
                      tostring(measured), tostring(wanted)))
end

-- This program with its flags, and another script.
local command, first = {}, -1
while arg[first - 1] do first = first - 1 end
for i = first, -1 do command[#command + 1] = "'" .. arg[i] .. "'" end
command[#command + 1] = "'" .. arg[0]:gsub("lab_bullets%.lua$", "bullets.lua") .. "'"
command = table.concat(command, " ")

-- Runs a cell: its frames, from the fastest, and their sums.
local function run(storage, spawn)
  local pipe = io.popen(string.format("%s %s %d frames", command, storage, spawn))
  local cell = {frames = {}, gc_ms = 0, cycles = 0, objects = 0}
  for line in pipe:lines() do
    local ms, gc_ms, cycles, objects = line:match("^([%d.]+) ([%d.]+) (%d+) (%d+)$")
    if ms then
      local frame = {ms = tonumber(ms), gc_ms = tonumber(gc_ms), cycles = tonumber(cycles)}
      cell.frames[#cell.frames + 1] = frame
      cell.gc_ms, cell.cycles = cell.gc_ms + frame.gc_ms, cell.cycles + frame.cycles
      cell.objects = cell.objects + tonumber(objects)
    end
    local before, measured = line:match("^made%s+(%d+)%s+(%d+)$")
    if before then cell.made_before, cell.made = tonumber(before), tonumber(measured) end
    cell.checksum = tonumber(line:match("checksum (%d+)$"))
  end
  assert(pipe:close() and #cell.frames == 600, storage .. " did not run")
  table.sort(cell.frames, function(a, b) return a.ms < b.ms end)
  cell.p50, cell.p99 = cell.frames[301].ms, cell.frames[595].ms
  return cell
end

-- B11: what collections have to do with the six slowest frames.
local function judge_tail(cell)
  local with, excess, gc_ms, others = 0, 0, 0, 0
  for i, frame in ipairs(cell.frames) do
    if i > 594 then
      with = with + (frame.cycles > 0 and 1 or 0)
      excess, gc_ms = excess + frame.ms - cell.p50, gc_ms + frame.gc_ms
    elseif frame.cycles > 0 then
      others = others + 1
    end
  end
  judge("B11", "frames from p99 on that hold a collection (source: 6)", with, 6)
  print(string.format("report B11  share of their excess that is collections %.2f (source: 0.86)",
                      gc_ms / excess))
  print(string.format("report B11  share of other frames that hold one %.2f (source: 0.04)",
                      others / 594))
end

for _, rate in ipairs(kRates) do
  rate = math.tointeger(rate)
  local cells = {}
  print("B23 " .. rate .. " spawns a frame")
  print("  storage     p50 ms    p99 ms  collections    ms  objects a frame   source")
  for _, storage in ipairs(kStorages) do
    local cell = run(storage, rate)
    cells[storage] = cell
    print(string.format("  %-8s%10.3f%10.3f%13d%6.1f%17.1f   %s", storage, cell.p50, cell.p99,
                        cell.cycles, cell.gc_ms, cell.objects / 600,
                        (kSource[rate] or {})[storage] or ""))
  end
  local fresh, pool = cells.fresh, cells.pool
  for _, storage in ipairs(kStorages) do
    judge("B1", storage .. ", checksum", cells[storage].checksum,
          kChecksums[rate] or fresh.checksum)
  end
  -- Beyond what the generator of random numbers allocates in every storage.
  judge("B2", "objects that fresh allocates and columns do not, in 600 frames",
        fresh.objects - cells.columns.objects, 600 * rate)
  judge("B2", "records made by fresh", fresh.made_before + fresh.made, 630 * rate)
  if rate == 1000 then
    judge("B2", "records made by the free list before the 600 frames", pool.made_before, 27258)
    judge("B2", "records made by the free list in them", pool.made, 2413)
  end
  judge("B2", "records made by sync.pool and not by the free list",
        cells.sync.made_before + cells.sync.made - pool.made_before - pool.made, 0)
  if rate >= 1000 then judge("B25", "collections of fresh are seen", fresh.cycles > 0, true) end
  if rate == 3000 then judge_tail(fresh) end
  local function report(id, what, ratio, source)
    print(string.format("report %-3s  %s %.2f (source: %s)", id, what, ratio, source))
  end
  report("B3", "free list / fresh, p50", pool.p50 / fresh.p50, "1.5 at 1,000, 2.5 at 3,000")
  report("B5", "soa / fresh, p99", cells.soa.p99 / fresh.p99, "0.55 at 10,000")
  report("B17", "first in first out / last in first out, p50", cells.fifo.p50 / cells.columns.p50,
         "0.77 at 10,000")
end
print(string.format("%s: %d criteria failed", failed == 0 and "pass" or "FAIL", failed))
os.exit(failed == 0 and 0 or 1, true)
