---@meta string.buffer

-- LuaJIT's module: text that is put together at one end and taken at the other. Its bytes lie outside
-- the heap and count for its limits and pace. local buffer = require "string.buffer"; also
-- string.buffer.
---@class string.bufferlib
local module = {}

-- An empty buffer with room for `size` bytes.
---@param size? integer
---@return string.buffer
function module.new(size) end

-- A value as bytes, in LuaJIT's format: nil, booleans, numbers, strings, and tables of those at most
-- 100 deep, without metatables. Anything else is an error.
---@param value any
---@return string
function module.encode(value) end

-- The value that `bytes` encode, all of them; malformed ones are an error.
---@param bytes string
---@return any
function module.decode(bytes) end

-- #b is its length, tostring(b) its content, .. joins it as a string.
---@class string.buffer: userdata
---@operator len: integer
---@operator concat(any): string
local buffer = {}

-- Appends strings, numbers, other buffers, and what __tostring makes of other values.
---@param ... any
---@return string.buffer self
function buffer:put(...) end

-- Appends what string.format gives.
---@param format string
---@param ... any
---@return string.buffer self
function buffer:putf(format, ...) end

-- Appends an encoded value.
---@param value any
---@return string.buffer self
function buffer:encode(value) end

-- Takes an encoded value from the front; after an error everything is still there.
---@return any
function buffer:decode() end

-- Replaces the content.
---@param value any
---@return string.buffer self
function buffer:set(value) end

-- Takes bytes from the front: for each argument a string of at most so many bytes, or of all with
-- nil; without arguments all.
---@param ... integer?
---@return string ...
function buffer:get(...) end

-- Drops bytes from the front.
---@param count integer
---@return string.buffer self
function buffer:skip(count) end

-- The content as a string; it stays.
---@return string
function buffer:tostring() end

---@return integer
function buffer:len() end

-- Makes room for `size` more bytes; the number of bytes that there is room for.
---@param size integer
---@return integer
function buffer:reserve(size) end

-- Empties it, and keeps its memory.
---@return string.buffer self
function buffer:reset() end

-- Empties it, and gives its memory back.
function buffer:free() end

return module
