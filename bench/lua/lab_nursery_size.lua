-- A larger nursery (experiment B12): fewer collections, each as long as before. The source took
-- four times the nursery: collections and their time halved, the 99th percentile of frames stayed,
-- the longest pause grew. The two sizes are searched for, so that 53 and 25 collections fall into
-- the 600 frames: the number is a function of the size. Counts are strict, times (CPU) decide
-- nothing. What each collection found in eden, and why it started: neap lab B12.
-- neap run --preset=source bench/lua/lab_nursery_size.lua [SPAWNS]     (3000)
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local verdicts, bullet_cell = require "lab.verdicts", require "lab.bullet_cell"
local kSpawn = tonumber(arg[1]) or 3000

-- A nursery of so many KiB.
local function cell_with(kib)
  local cell = bullet_cell.run("fresh", kSpawn, string.format("--nursery=%dKiB", kib))
  cell.kib, cell.longest = kib, 0
  for _, frame in ipairs(cell.frames) do cell.longest = math.max(cell.longest, frame.gc_ms) end
  return cell
end
-- With a nursery so large that `wanted` collections fall into the frames; the last try if none is.
local function search(wanted, cell)
  local kib, tries = cell.kib, 0
  while cell.cycles ~= wanted and tries < 8 do
    kib = math.floor(kib * (cell.cycles + 0.5) / (wanted + 0.5))
    cell, tries = cell_with(kib), tries + 1
  end
  return cell
end
local start = cell_with(math.max(64, kSpawn // 3))
local small, large = search(53, start), search(25, start)
local function row(name, format, field, source)
  print(string.format("  %-18s" .. format .. format .. "   %s", name, small[field], large[field],
                      source))
end
print("B12 fresh, " .. kSpawn .. " spawns     small     large   source")
row("nursery, KiB", "%10d", "kib", "16384 / 65536")
row("collections", "%10d", "cycles", "53 / 25")
row("their ms", "%10.1f", "gc_ms", "94.3 / 38.1")
row("p99, ms", "%10.3f", "p99", "3.822 / 3.449")
row("longest, ms", "%10.3f", "longest", "3.895 / 4.562")
verdicts.equal("B12", "collections with the small nursery", small.cycles, 53)
verdicts.equal("B12", "collections with the large nursery", large.cycles, 25)
verdicts.equal("B12", "objects allocated with the large nursery less the small", large.objects -
               small.objects, 0)
local again = cell_with(small.kib)
local function spread(field) return verdicts.spread{small[field], again[field]} end
verdicts.at_most("B12", "ms of collections, large / small (source: 0.40)",
                 large.gc_ms / small.gc_ms, 1, spread("gc_ms"))
verdicts.at_least("B12", "most ms of collections in a frame, large / small (source: 1.17)",
                  large.longest / small.longest, 1, spread("longest"))
verdicts.report("B12", string.format("p99, large / small: %.2f (source: 0.90)",
                                     large.p99 / small.p99))
verdicts.finish()
