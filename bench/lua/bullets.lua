-- bullets.lua [STORAGE [SPAWN [frames]]]: the bullet workload of the lab (bench/lab/bullets.h) as a
-- script. lab_bullets.lua judges it.
--
-- STORAGE: fresh (a record a bullet), pool (records in a free list), columns (a table a field and a
-- free list of indices, last in first out), fifo (the same, first in first out); in neap also sync
-- (records in a sync.pool), soa (columns of numbers outside the heap). Prints the milliseconds of
-- the median frame, of the 99th percentile and of the worst, and the checksum, which is the same in
-- every language and storage. With `frames` (neap only) a line a frame comes first: its
-- milliseconds, those of firing, of collections in it, the number of these, objects allocated; then
-- the records made in the 30 frames before and in these. lab/bullet_cell.lua reads that.
local storage, spawn = (...) or "fresh", tonumber((select(2, ...))) or 3000
local each_frame = select(3, ...) == "frames"
local kFrames, kWarm, kDt, kGravity = 600, 30, 1 / 60, 400
local cos, sin, floor, clock = math.cos, math.sin, math.floor, os.clock

-- Mulberry32: 32 random bits a call, as a fraction.
local random
if math.type then
  random = load([[
    local state = 12345
    return function()
      state = (state + 0x6D2B79F5) & 0xffffffff
      local z = ((state ~ (state >> 15)) * (state | 1)) & 0xffffffff
      z = z ~ ((z + (z ~ (z >> 7)) * (z | 61)) & 0xffffffff)
      return (z ~ (z >> 14)) / 4294967296
    end]])()
else  -- a Lua without integers: products in two halves
  local bit = bit or bit32
  local xor, either, both, right = bit.bxor, bit.bor, bit.band, bit.rshift
  local function times(a, b)
    local low = both(b, 0xffff)
    local high = right(b, 16) % 65536
    local a_low, a_high = both(a, 0xffff), right(a, 16) % 65536
    return (a_low * low + (a_low * high + a_high * low) % 65536 * 65536) % 4294967296
  end
  local state = 12345
  random = function()
    state = (state + 0x6D2B79F5) % 4294967296
    local z = times(xor(state, right(state, 15)) % 4294967296, either(state, 1) % 4294967296)
    local y = times(xor(z, right(z, 7)) % 4294967296, either(z, 61) % 4294967296)
    z = xor(z, (z + y) % 4294967296) % 4294967296
    return xor(z, right(z, 14)) % 4294967296 / 4294967296
  end
end

local turn = 0
local function shot()
  turn = turn + 0.017
  local angle = turn + random() * 0.4
  local speed = 300 + random() * 200
  local ttl = 20 + floor(random() * 20)
  local damage = 1 + floor(random() * 9)
  return 400 + cos(turn) * 30, 300 + sin(turn) * 30, cos(angle) * speed, sin(angle) * speed, ttl,
    damage
end

-- Each makes the two phases of a frame: a function that fires, and one that moves all bullets and
-- returns the sum of x of those alive.
local storages = {}

local made = 0
local function records(pooled)
  local live, count, free, idle = {}, 0, {}, 0
  return function()
    for _ = 1, spawn do
      local x, y, vx, vy, ttl, damage = shot()
      local bullet
      if idle > 0 then
        bullet = free[idle]
        free[idle] = nil
        idle = idle - 1
        bullet.x, bullet.y, bullet.vx, bullet.vy = x, y, vx, vy
        bullet.ttl, bullet.damage = ttl, damage
      else
        bullet = {x = x, y = y, vx = vx, vy = vy, ttl = ttl, damage = damage}
        made = made + 1
      end
      count = count + 1
      live[count] = bullet
    end
  end, function()
    local kept, sum = 0, 0
    for i = 1, count do
      local bullet = live[i]
      bullet.vy = bullet.vy + kGravity * kDt
      bullet.x = bullet.x + bullet.vx * kDt
      bullet.y = bullet.y + bullet.vy * kDt
      local ttl = bullet.ttl - 1
      bullet.ttl = ttl
      if ttl > 0 then
        sum = sum + bullet.x
        kept = kept + 1
        live[kept] = bullet
      elseif pooled then
        idle = idle + 1
        free[idle] = bullet
      end
    end
    for i = count, kept + 1, -1 do live[i] = nil end
    count = kept
    return sum
  end
end

function storages.fresh() return records(false) end
function storages.pool() return records(true) end

local function columns(fifo)
  local capacity = spawn * 45
  local function column(value)
    local t = {}
    for i = 1, capacity do t[i] = value end
    return t
  end
  local x, y, vx, vy = column(0.0), column(0.0), column(0.0), column(0.0)
  local ttl, damage, free, live = column(0), column(0), column(0), column(0)
  for i = 1, capacity do free[i] = capacity + 1 - i end
  local idle, count = capacity, 0
  local first, last = 1, capacity  -- of the free in a ring
  return function()
    for _ = 1, spawn do
      local i
      if fifo then
        i = free[first]
        first = first % capacity + 1
      else
        i = free[idle]
        idle = idle - 1
      end
      x[i], y[i], vx[i], vy[i], ttl[i], damage[i] = shot()
      count = count + 1
      live[count] = i
    end
  end, function()
    local kept, sum = 0, 0
    for k = 1, count do
      local i = live[k]
      local speed = vy[i] + kGravity * kDt
      vy[i] = speed
      local at = x[i] + vx[i] * kDt
      x[i] = at
      y[i] = y[i] + speed * kDt
      local left = ttl[i] - 1
      ttl[i] = left
      if left > 0 then
        sum = sum + at
        kept = kept + 1
        live[kept] = i
      elseif fifo then
        last = last % capacity + 1
        free[last] = i
      else
        idle = idle + 1
        free[idle] = i
      end
    end
    count = kept
    return sum
  end
end

function storages.columns() return columns(false) end
function storages.fifo() return columns(true) end

function storages.sync()
  local pool = require("sync").pool{name = "bullets", new = function()
    made = made + 1
    return {x = 0.0, y = 0.0, vx = 0.0, vy = 0.0, ttl = 0, damage = 0}
  end}
  local live, count = {}, 0
  return function()
    for _ = 1, spawn do
      local bullet = pool:get()
      bullet.x, bullet.y, bullet.vx, bullet.vy, bullet.ttl, bullet.damage = shot()
      count = count + 1
      live[count] = bullet
    end
  end, function()
    local kept, sum = 0, 0
    for i = 1, count do
      local bullet = live[i]
      bullet.vy = bullet.vy + kGravity * kDt
      bullet.x = bullet.x + bullet.vx * kDt
      bullet.y = bullet.y + bullet.vy * kDt
      local ttl = bullet.ttl - 1
      bullet.ttl = ttl
      if ttl > 0 then
        sum = sum + bullet.x
        kept = kept + 1
        live[kept] = bullet
      else
        pool:put(bullet)
      end
    end
    for i = count, kept + 1, -1 do live[i] = nil end
    count = kept
    return sum
  end
end

function storages.soa()
  local store = require("soa").new({x = "f64", y = "f64", vx = "f64", vy = "f64", ttl = "i32",
                                    damage = "i32"}, spawn * 45)
  local x, y, vx, vy = store:column("x"), store:column("y"), store:column("vx"), store:column("vy")
  local ttl = store:column("ttl")
  local row = {}
  return function()
    for _ = 1, spawn do
      row.x, row.y, row.vx, row.vy, row.ttl, row.damage = shot()
      store:push(row)
    end
  end, function()
    vy:add(kGravity * kDt)
    x:add(vx, kDt)
    y:add(vy, kDt)
    ttl:add(-1)
    store:remove_where("ttl", "<=", 0)
    return x:sum()
  end
end

local fire, update = (storages[storage] or
                      error("bullets.lua: no storage '" .. storage .. "'", 0))()
for _ = 1, kWarm do
  fire()
  update()
end
local ms, sum = {}, 0
local made_before = made
local before = each_frame and neap.gc.stats()
for i = 1, kFrames do
  local start = clock()
  fire()
  local fired = clock()
  sum = sum + update()
  ms[i] = (clock() - start) * 1000
  if each_frame then
    local now = neap.gc.stats()
    print(string.format("%.4f %.4f %.4f %d %d", ms[i], (fired - start) * 1000,
                        (now.gc_cpu_ns - before.gc_cpu_ns) / 1e6,
                        now.minors + now.majors - before.minors - before.majors,
                        now.alloc_objects - before.alloc_objects))
    before = neap.gc.stats()
  end
end
if each_frame then print("made", made_before, made - made_before) end
table.sort(ms)
print(string.format("%s %d: p50 %.3f ms, p99 %.3f ms, worst %.3f ms, checksum %.0f", storage, spawn,
                    ms[kFrames / 2 + 1], ms[kFrames * 0.99 + 1], ms[kFrames], floor(sum + 0.5)))
