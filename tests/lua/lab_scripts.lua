-- expect: ok
-- The laboratory's scripts in bench/lua meet their strict criteria. They take their time, and count
-- cycles: not under the switches that collect at odd moments.
local folder = arg[0]:match("^(.*)/tests/lua/[^/]*$") .. "/bench/lua/"
local sizes = {lab_eviction = "100", lab_dirty = "", lab_held = "40000000 100", lab_pool_time = "200000"}
if not os.getenv("NEAP_DEBUG") then
  for name, arguments in pairs(sizes) do
    local command = string.format("'%s' '%s%s.lua' %s", arg[-1], folder, name, arguments)
    local pipe = io.popen(command)
    local said = pipe:read("a")
    assert(pipe:close() and said:find("pass: 0 criteria failed\n$"), name .. "\n" .. said)
  end
  -- The bullet workload gives the same sum in every storage, as in other languages.
  for _, storage in ipairs{"fresh", "pool", "columns", "sync", "soa"} do
    local pipe = io.popen(string.format("'%s' '%sbullets.lua' %s 300", arg[-1], folder, storage))
    local said = pipe:read("a")
    assert(pipe:close() and said:find("checksum 2050992545\n$"), said)
  end
end
print("ok")
