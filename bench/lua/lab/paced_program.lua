-- A program that keeps some data alive and allocates chunks that die at once: what paces the
-- collector in the scripts about pools. Wants --preset=go: with a nursery the chunks die young and
-- start no major cycle.
--
--   local paced_program = require "lab.paced_program"
--   paced_program.needs_go("K6")                     with a nursery the script ends here and says so
--   local program = paced_program.new(live_bytes, chunk_bytes)
--   program:pass(chunks)     allocates so many
--   program.progress()       major cycles so far, with the share of the next one's way, and the
--                            bytes allocated so far
-- Reading the heap's stats allocates, too: some 7 KB a time.
local verdicts = require "lab.verdicts"
local paced_program = {}
paced_program.__index = paced_program

function paced_program.needs_go(id)
  if neap.gc.nursery() == "off" then return end
  verdicts.report(id, "run it with --preset=go: what dies young starts no major cycle")
  verdicts.finish()
end

function paced_program.new(live_bytes, chunk_bytes)
  local live = {}
  for i = 1, live_bytes // chunk_bytes do live[i] = buffer.create(chunk_bytes) end
  neap.gc.collect()
  return setmetatable({live = live, chunk_bytes = chunk_bytes}, paced_program)
end

function paced_program:pass(chunks)
  local bytes = self.chunk_bytes
  for _ = 1, math.floor(chunks + 0.5) do buffer.create(bytes) end
end

function paced_program.progress()
  local stats = neap.gc.stats()
  local left = (stats.trigger_bytes - stats.heap_bytes) / (stats.trigger_bytes - stats.marked_bytes)
  return stats.majors + 1 - left, stats.alloc_bytes
end

-- Chunks to the start of the next cycle.
function paced_program:left()
  local stats = neap.gc.stats()
  return (stats.trigger_bytes - stats.heap_bytes) / self.chunk_bytes
end

-- Bytes between the live heap and the goal of the next cycle.
function paced_program.room()
  local stats = neap.gc.stats()
  return stats.goal_bytes - stats.marked_bytes
end

-- Sets the memory limit so that there is so much room; the limit. It counts what the runtime itself
-- holds, so it is found by trying.
function paced_program.limit_room(bytes)
  local limit = neap.gc.stats().mapped_bytes
  for _ = 1, 30 do
    neap.gc.memory_limit(math.floor(limit))
    neap.gc.collect()
    limit = limit - (paced_program.room() - bytes)
  end
  return limit
end

-- Chunks from one cycle to the next.
function paced_program:period()
  local chunks = 10 * self.room() // self.chunk_bytes
  local before = self.progress()
  self:pass(chunks)
  return chunks / (self.progress() - before)
end

return paced_program
