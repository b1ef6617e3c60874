-- The power-up that a reused bullet keeps (experiments B20, B21). One bullet in fifty pierces 3
-- targets, the others 1; the buggy reset sets 3 and forgets to set 1. The source saw damage double,
-- and says that no test of one Get finds it, only a replay with a seed. Equalities are exact,
-- ratios bounds; the closed form is that of bullets that live equally long.
-- neap run bench/lua/lab_pierce.lua [FRAMES [SEED]]; also in PUC Lua 5.3 and later.
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local verdicts = require "lab.verdicts"
local judge = verdicts.holds
local kFrames, kSpawn, kPowered, kRuns = tonumber(arg and arg[1]) or 600, 200, 0.02, 8
local kSeed = tonumber(arg and arg[2]) or 12345

-- Mulberry32.
local function generator(state)
  return function()
    state = (state + 0x6D2B79F5) & 0xffffffff
    local z = ((state ~ (state >> 15)) * (state | 1)) & 0xffffffff
    z = z ~ ((z + (z ~ (z >> 7)) * (z | 61)) & 0xffffffff)
    return (z ~ (z >> 14)) / 4294967296
  end
end

local resets = {}
function resets.correct(b, powered) b.pierce = powered and 3 or 1 end
function resets.buggy(b, powered) if powered then b.pierce = 3 end end

-- The damage of all shots; without a reset every bullet is new.
local function damage(reset, seed, least, most)
  local random, sum = generator(seed), 0
  local live, free = {}, {}
  for _ = 1, kFrames do
    for _ = 1, kSpawn do
      local powered = random() < kPowered
      local ttl = least + math.floor(random() * (most - least + 1))
      local b = reset and table.remove(free) or {pierce = 1}
      if reset then reset(b, powered) elseif powered then b.pierce = 3 end
      b.ttl = ttl
      sum = sum + b.pierce
      live[#live + 1] = b
    end
    local kept = 0
    for i = 1, #live do
      local b = live[i]
      b.ttl = b.ttl - 1
      if b.ttl > 0 then
        kept = kept + 1
        live[kept] = b
      else
        free[#free + 1] = b
      end
    end
    for i = #live, kept + 1, -1 do live[i] = nil end
  end
  return sum
end
local function sums(least, most)
  local sum = {fresh = 0, correct = 0, buggy = 0}
  for run = 0, kRuns - 1 do
    sum.fresh = sum.fresh + damage(nil, kSeed + run, least, most)
    for name, reset in pairs(resets) do
      sum[name] = sum[name] + damage(reset, kSeed + run, least, most)
    end
  end
  print(string.format("  %2d to %2d frames%12d%12d%12d%9.3f", least, most, sum.fresh, sum.correct,
                      sum.buggy, sum.buggy / sum.fresh))
  return sum
end

print(string.format("B20  damage of %d frames of %d shots, %d runs", kFrames, kSpawn, kRuns))
print("  lives             fresh     correct       buggy    ratio")
local many = sums(7, 7)  -- 86 generations in 600 frames
local few = sums(20, 39)
-- After g uses a bullet has been powered at some time with 1 - 0.98^g.
local share = 0
for frame = 0, kFrames - 1 do share = share + (1 - (1 - kPowered) ^ (frame // 7 + 1)) / kFrames end
local wanted, ratio = (1 + 2 * share) / (1 + 2 * kPowered), many.buggy / many.fresh
judge("B20", "damage with the correct reset is that of fresh bullets",
      many.correct == many.fresh and few.correct == few.fresh)
judge("B20", string.format("buggy / fresh %.3f, within 2 %% of the closed form %.3f", ratio,
                           wanted),
      ratio >= 0.98 * wanted and ratio <= 1.02 * wanted)
if kFrames >= 600 then
  judge("B20", string.format("buggy / fresh %.3f, at least 1.8 (source: 2)", ratio), ratio >= 1.8)
end

-- B21: a test that takes one bullet of each kind from a new pool, and a replay.
local function looks_right(reset)
  local plain, powered = {pierce = 1}, {pierce = 1}
  reset(plain, false)
  reset(powered, true)
  return plain.pierce == 1 and powered.pierce == 3
end
judge("B21", "a test of one get passes with the correct reset", looks_right(resets.correct))
judge("B21", "and with the buggy one", looks_right(resets.buggy))
local fresh = damage(nil, kSeed, 7, 7)
judge("B21", "a replay passes with the correct reset", damage(resets.correct, kSeed, 7, 7) == fresh)
judge("B21", "and fails with the buggy one", damage(resets.buggy, kSeed, 7, 7) ~= fresh)
verdicts.finish()
