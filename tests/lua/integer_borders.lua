-- expect: ok
-- Integers at the borders of 50 bits (beyond them neap keeps a box) and of 64, and doubles beside
-- them. The results are written out: they were computed with exact integers.
local least, most = math.mininteger, math.maxinteger
local h, l = 2 ^ 49 | 0, -(2 ^ 49) | 0  -- the first that does not fit; the last that does

assert(h == 562949953421312 and l == -562949953421312)
assert(h - 1 == 562949953421311 and h + 0 == h and h - 1 + 1 == h and l - 1 == -562949953421313)
assert((h - 1) + (h - 1) == 1125899906842622 and l + l == -1125899906842624)
assert(h - h == 0 and l - l == 0 and h + l == 0 and -h == l and -l == h and -(l - 1) == h + 1)
assert(h * 2 == 1125899906842624 and (h - 1) * (h - 1) == -1125899906842623)
assert(h * h == 0 and (h + 1) * (h - 1) == -1 and l * l == 0 and (h + 3) * 5 == 2814749767106575)
assert(most + 1 == least and least - 1 == most and most * 2 == -2 and least * -1 == least)
assert(least // -1 == least and least % -1 == 0 and most // -1 == -most and -least == least)
assert(h // 3 == 187649984473770 and h % 3 == 2 and l // 3 == -187649984473771 and l % 3 == 1)
assert(h // -7 == -80421421917331 and h % -7 == -5 and most // h == 16383 and most % h == h - 1)

assert(h & most == h and l & h == h and (h | 1) == h + 1 and (l | 1) == l + 1 and h ~ l == -1 << 50)
assert(~h == -562949953421313 and ~l == 562949953421311 and ~most == least and ~(h - 1) == l)
assert(1 << 49 == h and 1 << 63 == least and 1 << 64 == 0 and h << 14 == least and h << 15 == 0)
assert(l >> 49 == 32767 and -1 >> 1 == most and least >> 63 == 1 and h >> 49 == 1 and h >> -14 == least)
assert(h << -49 == 1 and 5 << most == 0 and 5 >> least == 0 and least >> least == 0)
assert("x" .. h == "x562949953421312" and #tostring(least) == 20)

-- Comparison, also with doubles, and as keys.
assert(h == h + 0.0 and h < h + 1 and h <= h and not (h < h) and l < h and h > l and h ~= h + 1)
assert(h + 0.5 > h and h - 0.5 < h and most < 2.0 ^ 63 and least == -2.0 ^ 63 and most ~= 2.0 ^ 63)
local t = {[h] = "h", [l] = "l", [most] = "most", [h - 1] = "below"}
assert(t[h + 0.0] == "h" and t[562949953421312] == "h" and t[-h] == "l" and t[most] == "most")
t[h] = nil
assert(t[h] == nil and t[h - 1] == "below" and next({[least] = 1}) == least)
assert(math.type(h) == "integer" and math.type(h + 0.0) == "float" and math.ult(h, l))

-- Loops over the border, both ways.
local sum = 0
for i = h - 3, h + 3 do sum = sum + (i - h) end
for i = l + 3, l - 3, -2 do sum = sum + (i - l) end
assert(sum == 0)
local rounds = 0
for _ = most - 2, most do rounds = rounds + 1 end
for _ = least + 2, least, -1 do rounds = rounds + 1 end
assert(rounds == 6)

-- A generator that needs all 64 bits (Marsaglia's xorshift).
local x = 88172645463325252
local function xorshift()
  x = x ~ x << 13
  x = x ~ x >> 7
  x = x ~ x << 17
  return x
end
assert(xorshift() == 8748534153485358512 and xorshift() == 3040900993826735515)
assert(xorshift() == 3453997556048239312)

-- Doubles: signs of zero, infinities and NaN through every operator.
local inf, nan = math.huge, 0.0 / 0.0
local function is_nan(v) return v ~= v end
assert(1 / (0.0 + -0.0) == inf and 1 / (-0.0 - 0.0) == -inf and 1 / (-0.0 * 5.0) == -inf)
assert(is_nan(inf - inf) and is_nan(inf * 0.0) and is_nan(nan + 1.0) and is_nan(1.0 / nan))
assert(inf + 1.0 == inf and -inf - 1.0 == -inf and 1.0 / -inf == 0.0 and 1e308 * 10.0 == inf)
assert(is_nan(nan * nan) and is_nan(nan - nan) and not (nan < 1.0) and not (nan >= 1.0))
assert(2 * 1.5 == 3.0 and 1.5 * 2 == 3.0 and 1 - 0.5 == 0.5 and 0.5 - 1 == -0.5 and 3 / 2 == 1.5)
assert(h * 1.0 == 0x1p49 and h / 2 == 0x1p48 and h + 0.5 == 562949953421312.5)
print("ok")
