-- What a pool is no good for, and what to take instead (experiments D10, D11, D14): resources that
-- have to be closed, a number of objects that must be there, programs that rely on getting back
-- what they put. Every criterion is exact.
-- neap run bench/lua/lab_alternatives.lua [SEEDS]     (20)
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local verdicts, sync = require "lab.verdicts", require "sync"
local kSeeds = tonumber(arg[1]) or 20

-- D10: 100 resources go through a pool, and two cycles forget them. What stands for a descriptor
-- here is a number; the files of io close themselves, which is the finalizer of the third row.
local function leaked(options)
  local open = 0
  local function close(resource)
    if resource.is_open then open = open - 1 end
    resource.is_open = false
  end
  local pool = sync.pool{
    new = function()
      open = open + 1
      local resource = {is_open = true}
      return options.finalizer and setmetatable(resource, {__gc = close}) or resource
    end,
    on_evict = options.hook and close,
  }
  local out = {}
  for i = 1, 100 do out[i] = pool:get() end
  for i = 1, 100 do pool:put(out[i]) end
  out = nil
  neap.gc.collect()
  neap.gc.collect()
  return open
end
verdicts.equal("D10", "open after two cycles, nobody closes them", leaked{}, 100)
verdicts.equal("D10", "with on_evict", leaked{hook = true}, 0)
verdicts.equal("D10", "with a finalizer each", leaked{finalizer = true}, 0)

-- D11: a list of at most 16 keeps them through any cycles, and drops the one more.
local kBound = 16
local free, dropped, alive = {}, 0, setmetatable({}, {__mode = "k"})
for _ = 1, kBound + 1 do
  local object = buffer.create(4096)
  alive[object] = true
  if #free < kBound then free[#free + 1] = object else dropped = dropped + 1 end
end
for _ = 1, 10 do neap.gc.collect() end
local kept = 0
for _ in pairs(alive) do kept = kept + 1 end
verdicts.equal("D11", "objects of a list of at most 16 after 10 cycles", kept, kBound)
verdicts.equal("D11", "dropped of 17", dropped, 1)

-- Objects a call of `f` allocates.
local function allocations(f)
  local kCalls = 1000
  local function run(n)
    local before = neap.gc.stats().alloc_objects
    for i = 1, n do f(i) end
    return neap.gc.stats().alloc_objects - before
  end
  run(kCalls)
  return (run(kCalls) - run(0)) // kCalls
end
local shared, is_taken, callers = buffer.create(4096), false, buffer.create(4096)
local function into(bytes, i) buffer.writei32(bytes, 0, i) end
verdicts.equal("D11", "allocations a request with scratch of its own",
               allocations(function(i) into(buffer.create(4096), i) end), 1)
verdicts.equal("D11", "with one shared buffer, which one at a time may use", allocations(function(i)
  assert(not is_taken)
  is_taken = true
  into(shared, i)
  is_taken = false
end), 0)
verdicts.equal("D11", "with a buffer of the caller",
               allocations(function(i) into(callers, i) end), 0)

-- D14: what programs say over pools that miss, drop and shuffle at random.
local function pool_with(seed)
  return sync.pool{
    new = function() return {} end,
    reset = function(words)
      for i = #words, 1, -1 do words[i] = nil end
    end,
    chaos = seed and {seed = seed, miss_one_in = 3, drop_one_in = 4, shuffle = true},
  }
end
local function greet(pool)
  local said = {}
  for i = 1, 100 do
    local words = pool:get()
    words[1], words[2] = "hello,", "user " .. i
    said[i] = table.concat(words, " ")
    pool:put(words)
  end
  return table.concat(said, "\n")
end
-- Takes it that the object it put is the one it gets, as it was: no test without chaos finds that.
local function count(pool)
  local hidden = setmetatable({}, {__mode = "k"})
  local counter = pool:get()
  hidden[counter] = 0
  pool:put(counter)
  for _ = 1, 100 do
    counter = pool:get()
    hidden[counter] = (hidden[counter] or 0) + 1
    pool:put(counter)
  end
  counter = pool:get()
  return hidden[counter] or 0
end
local same, struck, found = 0, 0, 0
for seed = 1, kSeeds do
  local pool = pool_with(seed)
  same = same + (greet(pool) == greet(pool_with(nil)) and 1 or 0)
  local stats = pool:stats()
  struck = struck + (stats.misses > 1 and stats.drops > 0 and 1 or 0)
  found = found + (count(pool_with(seed)) ~= 100 and 1 or 0)
end
verdicts.equal("D14", "seeds of " .. kSeeds .. " with which greetings stay the same", same, kSeeds)
verdicts.equal("D14", "seeds with which pools missed and dropped", struck, kSeeds)
verdicts.equal("D14", "a program that needs a warm pool counts to 100", count(pool_with(nil)), 100)
verdicts.equal("D14", "seeds with which it does not", found, kSeeds)
verdicts.finish()
