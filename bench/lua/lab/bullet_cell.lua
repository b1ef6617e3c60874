-- Runs bullets.lua in processes of their own, with the flags of the calling one, and reads what it
-- prints.
--
--   local bullet_cell = require "lab.bullet_cell"
--   local cell = bullet_cell.run("fresh", 3000, "--nursery=2MiB")
--
-- Such a cell has frames, each {ms, fire_ms, gc_ms, cycles, objects} in the order in which they ran
-- (times are CPU), sums of these by name, p50 and p99 in ms, the records made before the 600 frames
-- and in them, and the checksum.
local bullet_cell = {}
local kFrame = "^([%d.]+) ([%d.]+) ([%d.]+) (%d+) (%d+)$"

-- This program with its flags.
local program, first = {}, -1
while arg[first - 1] do first = first - 1 end
for i = first, -1 do program[#program + 1] = "'" .. arg[i] .. "'" end
program = table.concat(program, " ")
local script = arg[0]:gsub("[^/]*$", "bullets.lua")

local function quantile(frames, rank)
  local ms = {}
  for i, frame in ipairs(frames) do ms[i] = frame.ms end
  table.sort(ms)
  return ms[rank]
end

function bullet_cell.run(storage, spawn, flags)
  local command = string.format("%s %s '%s' %s %d frames", program, flags or "", script, storage,
                                spawn)
  local pipe = io.popen(command)
  local cell = {frames = {}, gc_ms = 0, fire_ms = 0, ms = 0, cycles = 0, objects = 0}
  for line in pipe:lines() do
    local frame = {}
    frame.ms, frame.fire_ms, frame.gc_ms, frame.cycles, frame.objects = line:match(kFrame)
    if frame.ms then
      for name, value in pairs(frame) do
        frame[name] = tonumber(value)
        cell[name] = cell[name] + frame[name]
      end
      cell.frames[#cell.frames + 1] = frame
    end
    local before, measured = line:match("^made%s+(%d+)%s+(%d+)$")
    if before then cell.made_before, cell.made = tonumber(before), tonumber(measured) end
    cell.checksum = tonumber(line:match("checksum (%d+)$"))
  end
  assert(pipe:close() and #cell.frames == 600, storage .. " did not run")
  cell.p50, cell.p99 = quantile(cell.frames, 301), quantile(cell.frames, 595)
  return cell
end

-- Runs several storages one after the other in a process. Their p50, p99 and checksums, by name.
function bullet_cell.shared(storages, spawn)
  local steps, cells, ran = {}, {}, 0
  for i, storage in ipairs(storages) do
    steps[i] = string.format("assert(loadfile([[%s]]))([[%s]], %d)", script, storage, spawn)
  end
  local pipe = io.popen(string.format("%s -e '%s'", program, table.concat(steps, " ")))
  for line in pipe:lines() do
    local storage, p50, p99 = line:match("^(%a+) .*p50 ([%d.]+) ms, p99 ([%d.]+) ms")
    cells[storage] = {p50 = tonumber(p50), p99 = tonumber(p99),
                      checksum = tonumber(line:match("checksum (%d+)$"))}
    ran = ran + 1
  end
  assert(pipe:close() and ran == #storages, "a storage did not run")
  return cells
end

return bullet_cell
