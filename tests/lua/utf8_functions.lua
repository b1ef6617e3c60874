-- expect: ok
-- utf8.
local function fails(words, f, ...)
  local ok, message = pcall(f, ...)
  assert(not ok and tostring(message):find(words, 1, true), tostring(message))
end
assert(utf8.charpattern == "[\0-\x7F\xC2-\xFD][\x80-\xBF]*")
assert(utf8.char() == "" and utf8.char(72, 0x20ac, "65") == "H€A" and #utf8.char(0x7fffffff) == 6)
local text = "aé€𐍈"
assert(utf8.len(text) == 4 and utf8.len("") == 0 and utf8.len(text, -4) == 1)
local codes = {utf8.codepoint(text, 1, -1)}
assert(#codes == 4 and codes[2] == 0xe9 and codes[4] == 0x10348 and utf8.codepoint(text) == 97)
local seen = {}
for p, c in utf8.codes(text) do seen[#seen + 1] = p .. ":" .. c end
assert(table.concat(seen, " ") == "1:97 2:233 4:8364 7:66376")
local ok, position = utf8.len("ab\xff")
assert(ok == nil and position == 3)
assert(utf8.len("\u{7fffffff}") == nil and utf8.len("\u{7fffffff}", 1, -1, true) == 1)
assert(utf8.offset(text, 3) == 4 and utf8.offset(text, -1) == 7 and utf8.offset(text, 6) == nil)
assert(utf8.offset(text, 0, 5) == 4 and utf8.offset("abc", 4) == 4)
fails("value out of range", utf8.char, -1)
fails("invalid UTF-8 code", utf8.codepoint, "\xff")
fails("out of bounds", utf8.codepoint, "abc", 1, 10)
fails("initial position out of bounds", utf8.len, "abc", 5)
fails("final position out of bounds", utf8.len, "abc", 1, 5)
fails("initial position is a continuation byte", utf8.offset, "\x80", 1)
fails("position out of bounds", utf8.offset, "abc", 1, 6)
fails("invalid UTF-8 code", function() for _ in utf8.codes("a\xff") do end end)
print("ok")
