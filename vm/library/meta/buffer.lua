---@meta

-- Typed bytes of a fixed size: Luau's library. Offsets count from 0; numbers are little endian. Each
-- function on a buffer is its method, too: b:readi32(0). A span that is not all within the buffer is
-- an error, and nothing is read or written.
---@class bufferlib
buffer = {}

---@class buffer: userdata
local methods = {}

-- `size` zeros.
---@param size integer
---@return buffer
function buffer.create(size) end

-- The bytes of a string.
---@param text string
---@return buffer
function buffer.fromstring(text) end

-- All bytes.
---@param b buffer
---@return string
function buffer.tostring(b) end

-- The number of bytes; as #b.
---@param b buffer
---@return integer
function buffer.len(b) end

---@param b buffer
---@param offset integer
---@return integer
function buffer.readi8(b, offset) end

---@param b buffer
---@param offset integer
---@return integer
function buffer.readu8(b, offset) end

---@param b buffer
---@param offset integer
---@return integer
function buffer.readi16(b, offset) end

---@param b buffer
---@param offset integer
---@return integer
function buffer.readu16(b, offset) end

---@param b buffer
---@param offset integer
---@return integer
function buffer.readi32(b, offset) end

---@param b buffer
---@param offset integer
---@return integer
function buffer.readu32(b, offset) end

---@param b buffer
---@param offset integer
---@return integer
function buffer.readi64(b, offset) end

---@param b buffer
---@param offset integer
---@return number
function buffer.readf32(b, offset) end

---@param b buffer
---@param offset integer
---@return number
function buffer.readf64(b, offset) end

-- The low bits of the number.
---@param b buffer
---@param offset integer
---@param value integer
function buffer.writei8(b, offset, value) end

-- The low bits of the number.
---@param b buffer
---@param offset integer
---@param value integer
function buffer.writeu8(b, offset, value) end

-- The low bits of the number.
---@param b buffer
---@param offset integer
---@param value integer
function buffer.writei16(b, offset, value) end

-- The low bits of the number.
---@param b buffer
---@param offset integer
---@param value integer
function buffer.writeu16(b, offset, value) end

-- The low bits of the number.
---@param b buffer
---@param offset integer
---@param value integer
function buffer.writei32(b, offset, value) end

-- The low bits of the number.
---@param b buffer
---@param offset integer
---@param value integer
function buffer.writeu32(b, offset, value) end

---@param b buffer
---@param offset integer
---@param value integer
function buffer.writei64(b, offset, value) end

---@param b buffer
---@param offset integer
---@param value number
function buffer.writef32(b, offset, value) end

---@param b buffer
---@param offset integer
---@param value number
function buffer.writef64(b, offset, value) end

-- `count` bits (0 to 32) from bit `offset` on, as an unsigned number.
---@param b buffer
---@param offset integer in bits
---@param count integer
---@return integer
function buffer.readbits(b, offset, count) end

---@param b buffer
---@param offset integer in bits
---@param count integer
---@param value integer
function buffer.writebits(b, offset, count, value) end

---@param b buffer
---@param offset integer
---@param count integer
---@return string
function buffer.readstring(b, offset, count) end

-- The first `count` bytes of the text, all by default.
---@param b buffer
---@param offset integer
---@param text string
---@param count? integer
function buffer.writestring(b, offset, text, count) end

-- They may be the same buffer, and overlap.
---@param target buffer
---@param target_offset integer
---@param source buffer
---@param source_offset? integer 0
---@param count? integer all that the source has from there on
function buffer.copy(target, target_offset, source, source_offset, count) end

---@param b buffer
---@param offset integer
---@param value integer a byte
---@param count? integer to the end
function buffer.fill(b, offset, value, count) end

return buffer
