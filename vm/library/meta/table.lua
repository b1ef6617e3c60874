---@meta

-- What `table` has beside Lua 5.4's functions.

-- Lua 5.5's: a table with room for so many elements and fields.
---@param elements integer
---@param fields? integer
---@return table
function table.create(elements, fields) end

-- LuaJIT's name for the same; also require "table.new".
---@param elements integer
---@param fields? integer
---@return table
function table.new(elements, fields) end

-- Removes all entries and keeps the room for them; no metamethod is called, the metatable stays. Also
-- require "table.clear".
---@param t table
function table.clear(t) end

-- A copy of the entries in a new table with the same metatable, which __metatable must not lock.
---@generic T: table
---@param t T
---@return T
function table.clone(t) end
