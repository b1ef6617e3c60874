-- Dirty objects (experiments D1, D2, D8, D9): what a pool hands out is as its last user left it,
-- and what finds or prevents that. Every criterion is exact.
-- neap run bench/lua/lab_dirty.lua
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local verdicts = require "lab.verdicts"
local judge = verdicts.equal
local sync = require "sync"
local buffer = require "string.buffer"

-- D1: a pool used rightly renders what a fresh buffer would.
local clean = sync.pool{new = buffer.new, reset = function(b) b:reset() end}
local function render(pool, ...)
  local b = pool:get()
  local text = tostring(b:put(...))
  pool:put(b)
  return text
end
judge("D1", "the first line", render(clean, "hello, ", "ada"), "hello, ada")
judge("D1", "the second line", render(clean, "hello, ", "linus"), "hello, linus")

-- D2: without a reset the second user reads what the first one left; a reset cures it, and a
-- checked pool that is told what clean means refuses the put.
local raw = sync.pool{new = buffer.new}
render(raw, "user=ada secret=hunter2")
judge("D2", "no reset leaks", render(raw, "user=linus"), "user=ada secret=hunter2user=linus")
render(clean, "user=ada secret=hunter2")
judge("D2", "reset cures it", render(clean, "user=linus"), "user=linus")
local checked = sync.pool{
  name = "checked", checked = true, new = buffer.new, is_clean = function(b) return #b == 0 end,
}
local ok, message = pcall(render, checked, "user=ada secret=hunter2")
judge("D2", "a checked pool reports it",
      not ok and message:find("put back dirty", 1, true) ~= nil, true)

-- D8: a view of pooled bytes is overwritten by the next user, a copy is not; a checked pool finds
-- those who write to what they have given back.
local bytes = sync.pool{new = function() return soa.new({v = "u8"}, 8) end}
local function fill(first)
  local store = bytes:get()
  store:clear()
  for i = 0, 3 do store:push{v = first + i} end
  local view, copy = store:column("v"), store:row(1).v
  bytes:put(store)
  return view, copy
end
local view, copy = fill(10)
fill(70)
judge("D8", "the view changes with the next user", view:get(1), 70)
judge("D8", "the copy does not", copy, 10)
local watched = sync.pool{checked = true, new = function() return {} end}
local given_back = watched:get()
watched:put(given_back)
given_back.secret = 1
ok, message = pcall(watched.get, watched)
judge("D8", "a checked pool traps a write after put",
      not ok and message:find("used after put", 1, true) ~= nil, true)

-- D9: what a pooled object refers to lives as long as it does, unless it is cleared.
local function child_lives(clear)
  local pool = sync.pool()
  local weak = setmetatable({}, {__mode = "v"})
  local parent = {child = buffer.new(1 << 20)}
  weak[1] = parent.child
  if clear then parent.child = nil end
  pool:put(parent)
  parent = nil
  local lives = {}
  for cycle = 1, 2 do
    neap.gc.collect()
    lives[cycle] = weak[1] and "live" or "dead"
  end
  return table.concat(lives, ", ")
end
judge("D9", "a child that is not cleared, after 1 and 2 cycles", child_lives(false), "live, dead")
judge("D9", "a child that is cleared", child_lives(true), "dead, dead")
verdicts.finish()
