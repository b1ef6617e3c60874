local mt = {__index = function(t, k) return k .. "!" end, __call = function(self, x) return x end}
mt.__eq, mt.__lt, mt.__concat = function() return true end, function() return false end, rawlen
mt.__close = function(o, e) print("close", e) end
local o = setmetatable({1, 2, x = 3}, mt)
do local c <close> = o print(o.y, o(5), o < o, o == {}, #o) end
o.x, o[1], o[1.5], o[-1] = nil, nil, 2, {}
for k, v in pairs(o) do o[k] = nil end
setmetatable({}, {__gc = function() print(collectgarbage("count") > 0) end, __mode = "kv"})
