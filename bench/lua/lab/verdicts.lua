-- Verdicts of the lab's scripts: a line for each criterion, with the words and classes of
-- `neap lab`. Counts and bytes are strict: one that fails is the exit status. Times (T) and shapes
-- (S) are judged, too, but decide nothing: a busy machine is not a finding.
--
--   local verdicts = require "lab.verdicts"     after the line that sets package.path
--   verdicts.equal("D3", "allocations", allocations, 7)
--   verdicts.finish()                           the last thing a script does
local verdicts = {}
local failed = 0

local function say(word, id, class, what)
  print(string.format("%-9s %-3s %-1s  %s", word, id, class, what))
end

-- Strict: `what` names the criterion and its figures.
function verdicts.holds(id, what, passes)
  failed = failed + (passes and 0 or 1)
  say(passes and "pass" or "FAIL", id, "", what)
end

function verdicts.equal(id, what, measured, wanted)
  verdicts.holds(id, string.format("%s: %s, wanted %s", what, measured, wanted),
                 measured == wanted)
end

-- Strict, least <= measured <= most.
function verdicts.within(id, what, measured, least, most)
  verdicts.holds(id, string.format("%s: %.4g, %.4g to %.4g", what, measured, least, most),
                 measured >= least and measured <= most)
end

function verdicts.shape(id, what, passes) say(passes and "pass" or "FAIL", id, "S", what) end

function verdicts.report(id, what) say("report", id, "", what) end

-- A time that should be on this side of the bound. Undecided when what was repeated in the same run
-- spread wider (its range over its median) than the distance to the bound.
local function time(id, what, measured, sign, bound, spread, passes)
  local word = passes and "pass" or "FAIL"
  if spread >= math.abs(measured - bound) / bound then word = "undecided" end
  say(word, id, "T", string.format("%s: %.3g, %s %.3g (spread %.2f)", what, measured, sign, bound,
                                   spread))
end
function verdicts.at_least(id, what, measured, bound, spread)
  time(id, what, measured, "at least", bound, spread, measured >= bound)
end
function verdicts.at_most(id, what, measured, bound, spread)
  time(id, what, measured, "at most", bound, spread, measured <= bound)
end

local function sorted(values)
  local copy = {table.unpack(values)}
  table.sort(copy)
  return copy
end
function verdicts.median(values) return sorted(values)[#values // 2 + 1] end
-- The range over the median; of a single value nothing is known.
function verdicts.spread(values)
  if #values < 2 then return math.huge end
  local order = sorted(values)
  return (order[#order] - order[1]) / order[#order // 2 + 1]
end

function verdicts.finish()
  print(string.format("%s: %d criteria failed", failed == 0 and "pass" or "FAIL", failed))
  os.exit(failed == 0 and 0 or 1, true)
end

return verdicts
