-- own_workload.lua: a workload to start from. `neap lab bench/lua/own_workload.lua` runs its frames
-- over each storage, in processes of their own, and says what collections had to do with them;
-- `neap lab FILE spawn=3000 nursery=2MiB` turns knobs, `neap sweep FILE spawn=500..4000*2` many.
--
-- Here: particles that live 20 to 39 frames. Replace what stands in `step` by what your frame does.
local workload = {
  storages = {"fresh", "freelist", "pool", "soa"},
  params = {spawn = 1000},
}

-- The same numbers in every storage: 31 random bits (Lehmer's generator, modulus 2^31 - 1).
local function generator(seed)
  local state = seed % 2147483646 + 1
  return function()
    state = state * 48271 % 2147483647
    return state / 2147483647
  end
end

-- A storage of objects: `take` gives one, `give` takes one back.
local function objects(take, give)
  local live, count = {}, 0
  return function(random, spawn)
    for _ = 1, spawn do
      local p = take()
      p.x, p.y, p.vx, p.vy = random(), random(), random() - 0.5, random() - 0.5
      p.ttl, p.age = 20 + random() * 20 // 1, 0
      count = count + 1
      live[count] = p
    end
    local kept, sum = 0, 0
    for i = 1, count do
      local p = live[i]
      p.vy = p.vy - 0.01
      p.x, p.y = p.x + p.vx, p.y + p.vy
      p.age = p.age + 1
      if p.age < p.ttl then
        kept = kept + 1
        live[kept] = p
        sum = sum + p.x
      else
        give(p)
      end
    end
    for i = count, kept + 1, -1 do live[i] = nil end
    count = kept
    return sum
  end
end

local function new() return {x = 0, y = 0, vx = 0, vy = 0, ttl = 0, age = 0} end

local storages = {}

function storages.fresh() return objects(new, function() end) end

function storages.freelist()
  local free, idle = {}, 0
  return objects(function()
    if idle == 0 then return new() end
    local p = free[idle]
    free[idle] = nil
    idle = idle - 1
    return p
  end, function(p)
    idle = idle + 1
    free[idle] = p
  end)
end

-- The pool that the collector empties.
function storages.pool()
  local pool = sync.pool{new = new, name = "particles"}
  return objects(function()
    local p = pool:get()
    return p
  end, function(p) pool:put(p) end)
end

-- No objects at all: rows of numbers.
function storages.soa()
  local rows = soa.new{x = "f64", y = "f64", vx = "f64", vy = "f64", ttl = "f64", age = "f64"}
  local x, y = rows:column("x"), rows:column("y")
  local vx, vy = rows:column("vx"), rows:column("vy")
  local ttl, age = rows:column("ttl"), rows:column("age")
  return function(random, spawn)
    for _ = 1, spawn do
      local row = rows:push()
      x:set(row, random())
      y:set(row, random())
      vx:set(row, random() - 0.5)
      vy:set(row, random() - 0.5)
      ttl:set(row, 20 + random() * 20 // 1)
    end
    vy:add(-0.01)
    x:add(vx)
    y:add(vy)
    age:add(1)
    ttl:add(-1)  -- counts what is left
    rows:remove_where("ttl", "<=", 0)
    return x:sum()
  end
end

function workload.setup(params)
  return {frame = storages[params.storage](), random = generator(params.seed),
          spawn = params.spawn}
end

function workload.step(state) return state.frame(state.random, state.spawn) end

return workload
