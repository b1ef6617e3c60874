---@meta

-- The runtime itself. Not in sandboxes. Also: local neap = require "neap".
---@class neaplib
---@field version string the version of neap, as "0.1.0"
neap = {}

-- The collector. A knob without an argument says how things stand; with one it sets that, and
-- returns what was before. Knobs are the heap's: every script on it feels them.
---@class neap.gclib
neap.gc = {}

-- A whole, forced major cycle. False: nothing was done, in a finalizer.
---@return boolean
function neap.gc.collect() end

-- A minor collection. False: nothing was done, in a finalizer or without a nursery.
---@return boolean
function neap.gc.minor() end

-- Every figure of the heap, by the names of gc/include/neap/gc/stats.h: bytes and objects allocated,
-- copied, promoted; minors, majors, pauses in ns; gauges as heap_bytes and off_heap_bytes.
---@return table<string, integer>
function neap.gc.stats() end

-- Percent of growth between major cycles, or "off".
---@param percent? integer|"off"
---@return integer|"off"
function neap.gc.gogc(percent) end

-- The soft limit of memory in bytes, or "none".
---@param bytes? integer|string as 67108864, "64MiB" or "none"
---@return integer|"none"
function neap.gc.memory_limit(bytes) end

-- The size of the nursery in bytes per processor, "adaptive", or (as an answer only) "off".
---@param bytes? integer|string 4 KiB to 1 GiB, or "adaptive"
---@return integer|"adaptive"|"off"
function neap.gc.nursery(bytes) end

-- Objects are promoted on this survival, 1 to 15.
---@param survivals? integer
---@return integer
function neap.gc.tenure(survivals) end

-- Writes every object, and who holds it, to a file for `neap heap` and for Chrome's developer tools.
---@param path string
---@return true?
---@return string? message why the file could not be written
function neap.gc.snapshot(path) end

-- Calls `f` with the number of the cycle at the first safepoint after a major cycle; once when
-- several have passed. It cannot yield, an error in it is a warning, and collecting from it does
-- nothing.
---@param f fun(cycle: integer)
---@return neap.gc.watch
function neap.gc.on_cycle(f) end

-- What on_cycle returns; as a <close> variable it ends with its block.
---@class neap.gc.watch
local watch = {}

-- True when the function was still to be called.
---@return boolean
function watch:remove() end

return neap
