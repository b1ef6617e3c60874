-- expect: ok
-- os.date and os.time.
local function fails(message, f, ...)
  local ok, err = pcall(f, ...)
  assert(not ok and err == message, tostring(err))
end

assert(os.date("!%c", 0) == "Thu Jan  1 00:00:00 1970" and os.date("!%Y-%m-%d", 86400) == "1970-01-02")
assert(os.date("!%Ex %Od%%", 0) ~= "" and os.date("") == "" and os.date("!\0x", 0) == "\0x")
local t = os.date("!*t", 3661)
assert(t.year == 1970 and t.month == 1 and t.day == 1 and t.hour == 1 and t.min == 1 and t.sec == 1)
assert(t.wday == 5 and t.yday == 1 and t.isdst == false)
for _, bad in ipairs({"%Ez", "%", "%Q", "%E", "%O1"}) do
  local ok, err = pcall(function() os.date(bad) end)
  assert(err:find("bad argument #1 to 'date' (invalid conversion specifier '" .. bad .. "')", 1, true))
end
fails("date result cannot be represented in this installation", os.date, "*t", 2^60 | 0)
local ok, err = pcall(function() os.date("%c", 1e300) end)
assert(err:find("bad argument #2 to 'date' (number has no integer representation)", 1, true))

assert(math.type(os.time()) == "integer")
t = {year = 2000, month = 14, day = -3, hour = 25}
local seconds = os.time(t)
assert(t.year == 2001 and t.month == 1 and t.day == 29 and t.hour == 1 and t.min == 0)
assert(t.yday == 29 and t.wday == 2 and os.time(t) == seconds)
assert(os.time({year = 2000, month = "2", day = "3"}) == os.time({year = 2000, month = 2, day = 3}))
assert(os.time({year = 2000, month = 1, day = 1, hour = 12}) == os.time({year = 2000, month = 1, day = 1}))
local now = os.time()
assert(os.time(os.date("*t", now)) == now)
fails("field 'year' missing in date table", os.time, {})
fails("field 'month' missing in date table", os.time, {year = 2000})
fails("field 'year' is not an integer", os.time, {year = "x", month = 1, day = 1})
fails("field 'month' is not an integer", os.time, {year = 2000, month = 1.5, day = 1})
fails("field 'year' is out-of-bound", os.time, {year = math.maxinteger, month = 1, day = 1})
fails("field 'month' is out-of-bound", os.time, {year = 2000, month = 1 << 32, day = 1})
fails("field 'day' is out-of-bound", os.time, {year = 2000, month = 1, day = -(1 << 32)})
print("ok")
