-- The size of an object (experiments B13, B14, B18, B22): what a field costs when an object is
-- made, and again each time a collection copies it. The source's object in JavaScript has a header
-- of 24 bytes and 8.0 a field; its larger bullets made collections 2.0 times as dear. Counts are
-- exact, times a report.
-- neap run bench/lua/lab_object_size.lua [OBJECTS]
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local verdicts = require "lab.verdicts"
local judge = verdicts.equal
local kObjects = tonumber(arg and arg[1]) or 100000
local nursery = neap.gc.nursery()
if nursery ~= "off" then neap.gc.nursery(64 << 20) end  -- no collection but those below
neap.gc.gogc("off")
neap.gc.tenure(1)  -- a minor leaves nothing young
neap.gc.collect()

-- A function that makes a record of `fields` fields, as a program would write it down.
local function maker(fields)
  local text = {}
  for i = 1, fields do text[i] = "field" .. i .. " = value" end
  return load("local value = ... return {" .. table.concat(text, ", ") .. "}", "=record")
end

-- What making `kObjects` of them allocates, and what a minor collection copies and takes while they
-- are all alive (`keep`) or all dead. The same steps without the objects are taken off.
local keep = table.create(kObjects)
local function measure(make, keeps)
  local function steps(n)
    for i = 1, kObjects do keep[i] = false end
    if nursery ~= "off" then neap.gc.minor() end
    local start = neap.gc.stats()
    for i = 1, n do
      local object = make(0.5)
      if keeps then keep[i] = object end
    end
    local made = neap.gc.stats()
    if nursery ~= "off" then neap.gc.minor() end
    local after = neap.gc.stats()
    local function grown(name) return after[name] - made[name] end
    return {bytes = made.alloc_bytes - start.alloc_bytes,
            copied = grown("copied_bytes") + grown("promoted_bytes"), ms = grown("gc_cpu_ns") / 1e6}
  end
  make(0.5)
  local none, all = steps(0), steps(kObjects)
  return {bytes = (all.bytes - none.bytes) / kObjects, ms = all.ms,
          copied = (all.copied - none.copied) / kObjects}
end

measure(maker(30), true)  -- touches all memory once
print("B18 bytes of a record, made and copied")
print("    fields     made   copied  ms of a minor   source")
local rows = {}
for _, fields in ipairs{1, 2, 4, 6, 8, 12, 16, 20, 24, 30} do
  local row = measure(maker(fields), true)
  rows[fields] = row
  print(string.format("%10d%9.1f%9.1f%15.2f   %s", fields, row.bytes, row.copied, row.ms,
                      fields == 6 and "72.0" or fields == 20 and "184.0" or ""))
end
judge("B18", "bytes a field", (rows[30].bytes - rows[1].bytes) / 29, 8.0)
for _, fields in ipairs{6, 20} do
  judge("B18", "bytes of " .. fields .. " fields", rows[fields].bytes,
        rows[1].bytes + 8 * (fields - 1))
end
verdicts.report("B18", string.format("bytes without fields: %.0f (source: 24)", rows[1].bytes - 8))
if nursery ~= "off" then
  for _, fields in ipairs{6, 20} do
    judge("B14", "bytes copied of a live object of " .. fields .. " fields", rows[fields].copied,
          rows[fields].bytes)
  end
  judge("B22", "copied, 20 fields / 6, is the ratio of sizes", rows[20].copied / rows[6].copied,
        rows[20].bytes / rows[6].bytes)
  verdicts.report("B22", string.format("ms of such a minor, 20 fields / 6: %.2f (source: 1.99)",
                                       rows[20].ms / rows[6].ms))
  local dead = measure(maker(6), false)
  judge("B13", "bytes copied of a dead object", dead.copied, 0.0)
  verdicts.report("B13", string.format("ms of a minor with %d live objects %.2f, with none %.2f",
                                       kObjects, rows[6].ms, dead.ms))
end
verdicts.finish()
