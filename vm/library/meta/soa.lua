---@meta

-- Rows of numbers, stored by column: for very many small records, where tables and even pools cost
-- more. Rows count from 1. The bytes lie outside the heap and count for its limits and pace.
---@class soalib
soa = {}

---@alias soa.type "f64"|"f32"|"i64"|"i32"|"u32"|"i16"|"u16"|"i8"|"u8"

-- soa.new{x = "f64", y = "f64", ttl = "i32"}, with room for `capacity` rows; it grows by itself.
-- Numbers that do not fit an integer type keep their low bits.
---@param types table<string, soa.type>
---@param capacity? integer
---@return soa
function soa.new(types, capacity) end

---@class soa: userdata
local store = {}

-- A new last row of zeros, or of the numbers in the table; its number.
---@param fields? table<string, number>
---@return integer
function store:push(fields) end

---@param row integer
---@param name string
---@return number
function store:get(row, name) end

---@param row integer
---@param name string
---@param value number
function store:set(row, name, value) end

-- A copy of the row.
---@param row integer
---@return table<string, number>
function store:row(row) end

-- The last row takes the place of this one: the number it had; nil when this was the last.
---@param row integer
---@return integer?
function store:remove(row) end

-- Removes the rows whose number passes the test; the others keep their order. How many went.
---@param name string
---@param test "<"|"<="|">"|">="|"=="|"~="
---@param value number
---@return integer
function store:remove_where(name, test, value) end

-- A column, for work on all rows at once. It stays good when rows come and go.
---@param name string
---@return soa.column
function store:column(name) end

-- Room for so many rows altogether.
---@param rows integer
function store:reserve(rows) end

-- No rows; the room stays.
function store:clear() end

-- The number of rows; as #s.
---@return integer
function store:len() end

---@return integer
function store:capacity() end

---@class soa.column: userdata
local column = {}

---@param row integer
---@return number
function column:get(row) end

---@param row integer
---@param value number
function column:set(row, value) end

-- Sets rows first to last, all by default.
---@param value number
---@param first? integer
---@param last? integer
function column:fill(value, first, last) end

-- Adds a number to every row; or to each that of another column of the same soa, times `scale`:
-- x:add(vx, dt).
---@param value number|soa.column
---@param scale? number 1
function column:add(value, scale) end

---@return number
function column:sum() end

-- nil when there are no rows.
---@return number?
function column:min() end

---@return number?
function column:max() end

-- The number of rows; as #c.
---@return integer
function column:len() end

return soa
