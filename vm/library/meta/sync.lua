---@meta

-- Pools of objects that the collector may empty. Also: local sync = require "sync".
---@class synclib
sync = {}

-- Options of sync.pool. Each is off by default, and costs nothing then.
---@class sync.pool.options
---@field name? string appears in messages, statistics and traces; "pool"
---@field new? fun(): any makes an object when there is none; it may fail, yield, use the pool
---@field reset? fun(object: any) called by put before the object is parked
---@field on_evict? fun(object: any) called once for what leaves the pool other than by get, some time later; an error in it is a warning
---@field retain? "victim"|"flush"|"time"|"bytes" how long what nobody takes is kept; "victim"
---@field cycles? integer "victim": survives so many major cycles, 1 to 8; 1
---@field ttl? number "time": seconds it is kept at least
---@field budget? integer "bytes": kept as long as all objects together have at most so many bytes; a pool that is unused for 8 cycles is emptied
---@field max_size? integer puts beyond so many objects are refused
---@field max_bytes? integer puts beyond so many bytes are refused
---@field max_item_bytes? integer larger objects are refused
---@field prewarm? integer so many objects are made at once
---@field steal? boolean false: get does not look at what other processors hold; true
---@field go_exact? boolean the corner cases of Go's sync.Pool as they are; false
---@field account_bytes? boolean keep stats().bytes_held even if no bound needs it; false
---@field checked? boolean find double puts, use after put, objects that the pool has not handed out; false
---@field is_clean? fun(object: any): boolean checked: whether an object may be parked as it is, after reset
---@field chaos? boolean|sync.pool.chaos random misses and drops, which any user of a pool must bear

-- Bytes of an object are those of the object itself, the parts of a table, and what a userdata has
-- registered; not of what it refers to.

---@class sync.pool.chaos
---@field seed? integer the same seed and operations give the same misses
---@field miss_one_in? integer this share of gets finds nothing; 0: none
---@field drop_one_in? integer this share of puts is dropped; 0: none
---@field shuffle? boolean gets look in the places of a pool in random order

-- A pool of its own; collected as any value, and closed by that. An unknown or wrong option is an
-- error that names it.
---@param options? sync.pool.options
---@return sync.pool
function sync.pool(options) end

-- A pool. get may miss whatever was put; which object it returns is not specified. What nobody takes
-- the collector's major cycles evict (retain). To be closed at the end of a block: local p <close>.
---@class sync.pool
local pool = {}

-- A parked object, or what `new` returns; nil without `new`. After close it is an error. An error
-- in `new` leaves the pool as it was.
---@return any
function pool:get() end

-- Parks a table, userdata, function or thread, which the caller may not use any more; other values
-- are refused with an error. What is over a bound, or comes after close, is dropped. Objects that
-- the pool has not handed out are welcome, unless it is checked. When `reset` fails the object is
-- not in the pool.
---@param object table|userdata|function|thread
function pool:put(object) end

-- Makes `count` objects and parks them.
---@param count integer
---@return sync.pool self
function pool:prewarm(count) end

-- Evicts what is in the pool, and all that is put later. False: it was closed already.
---@return boolean
function pool:close() end

---@return boolean
function pool:closed() end

-- The figures of the pool, counted since it was made.
---@return sync.pool.stats
function pool:stats() end

---@class sync.pool.stats
---@field gets integer
---@field private_hits integer found in the processor's own slot
---@field shared_hits integer found in the processor's own queue
---@field steals integer found in the queue of another processor
---@field victim_hits integer found in what a cycle had demoted
---@field misses integer found nowhere: new was called, or nil returned
---@field puts integer refused ones included
---@field drops integer refused puts: bounds, budget, closed, chaos
---@field oversize_drops integer of these, larger than max_item_bytes
---@field evictions integer objects dropped by cycles or by close
---@field cleanups integer cycles that found something to demote or drop
---@field rescues integer hits that Go's pool would have missed
---@field victim_marked_empty integer
---@field stranded_private integer
---@field swapped_out integer
---@field items_held integer objects in the pool now
---@field bytes_held integer bytes of these; 0 unless bytes are counted

-- Checked pools: what was got and is not back, the oldest first.
---@return {object: integer, place: string, dead: boolean}[]
function pool:unreturned() end

return sync
