-- expect: ok
-- The laboratory's scripts about bullets and their memory; lab_scripts.lua says what the columns
-- are, and runs them.
kScripts = {
  {"--preset=source", "lab_bullets", "300"},
  {"--preset=source", "lab_bullet_phases", "100 1"},
  {"--preset=source", "lab_nursery_size", "100"},
  {"--preset=source", "lab_cell_order", "100"},
  {"", "lab_object_size", "2000"},
  {"--preset=go", "lab_object_size", "2000"},
  {"", "lab_micro_costs", "10000", "costs more than it saves%)\n$"},
  {"", "lab_peak", "10000"},
  {"", "lab_pierce", "60"},
}
dofile((arg[0]:gsub("[^/]*$", "lab_scripts.lua")))
