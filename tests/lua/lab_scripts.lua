-- expect: ok
-- The laboratory's scripts in bench/lua meet their strict criteria. They take their time, and count
-- cycles: not under the switches that collect at odd moments. Here are those about pools;
-- lab_scripts_bullets.lua brings its own list.
local folder = arg[0]:match("^(.*)/tests/lua/[^/]*$") .. "/bench/lua/"
-- Flags, script, arguments, what it ends with.
local scripts = kScripts or {
  {"", "lab_eviction", "100"},
  {"", "lab_dirty", ""},
  {"", "lab_held", "40000000 100"},
  {"", "lab_pool_time", "200000"},
  {"--preset=go", "lab_pool_time", "200000"},
  {"--preset=go", "lab_two_collections", "40"},
  {"", "lab_two_collections", ""},  -- says that the preset is missing
  {"--preset=go", "lab_pool_knobs", "10"},
  {"", "lab_pool_knobs", "", "starts no major cycle\n"},
  {"--preset=go", "lab_pool_rates", "3"},
  {"--preset=go", "lab_pool_limit", "10"},
  {"--preset=go", "lab_irregular", "1500 400"},
  {"", "lab_irregular", "", "starts no major cycle\n"},
  {"--preset=go", "lab_miss_costs", "5 20000"},
  {"", "lab_miss_costs", "5 20000"},
  {"--preset=go", "lab_buffer_costs", "4000"},
  {"", "lab_buffer_costs", "4000"},
  {"", "lab_alternatives", ""},
}
if not os.getenv("NEAP_DEBUG") then
  for _, script in ipairs(scripts) do
    local flags, name, arguments, ending = table.unpack(script)
    local pipe = io.popen(string.format("'%s' run %s '%s%s.lua' %s", arg[-1], flags, folder, name,
                                        arguments))
    local said = pipe:read("a")
    assert(pipe:close() and said:find(ending or "pass: 0 criteria failed\n$"), name .. "\n" .. said)
  end
end
print("ok")
