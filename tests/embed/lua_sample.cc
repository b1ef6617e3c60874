// SPDX-License-Identifier: MIT
//
// A game that embeds Lua, built against the installed headers and library only:
//
//   c++ -std=c++20 lua_sample.cc $(pkg-config --cflags --libs neap)
//
// Bullets are C++ objects, what they do each frame is a script's business. Scripts come from
// players: they run in a sandbox, with a budget per frame, on a heap with a cap.
#include <cmath>
#include <cstdio>
#include <string>

#include "neap/vm/vm.h"

namespace lua = neap::lua;
namespace {

constexpr uint64_t kFrameNs = 500'000, kBudget = 100'000;
int bullets_alive = 0;

struct Bullet {
  Bullet(double vx, double vy) : vx(vx), vy(vy) { ++bullets_alive; }
  Bullet(const Bullet& other) : Bullet(other.vx, other.vy) {}
  ~Bullet() { --bullets_alive; }
  void Step(double dt) { x += vx * dt, y += vy * dt; }
  double Distance() const { return std::hypot(x, y); }
  double x = 0, y = 0, vx, vy;
};

constexpr const char* kScript = R"(
  local bullets = {}
  function update(frame)
    for i = 1, 10 do bullets[#bullets + 1] = shoot(i, frame % 7) end
    for i = #bullets, 1, -1 do
      bullets[i]:step(0.1)
      if bullets[i]:distance() > 20 then table.remove(bullets, i) end
    end
    return #bullets
  end
  function cheat() pcall(function() while true do end end) end
  function broken() shoot('fast', 1) end
)";

}  // namespace

int main() {
  lua::VmOptions options;
  options.libraries = lua::Libraries::kSandbox;
  options.heap.hard_limit_bytes = 32 << 20;
  lua::Vm vm(options);
  vm.Define(lua::Type<Bullet>("bullet")
                .Method("step", &Bullet::Step)
                .Method("distance", &Bullet::Distance))
      .Check();
  vm.SetFunction("shoot", [](double vx, double vy) { return Bullet(vx, vy); }).Check();
  vm.Run(kScript, "=player").Check();

  const lua::Any update = vm.Get("update").value();
  int64_t bullets = 0;
  for (int frame = 0; frame < 600; ++frame) {
    vm.SetInstructionBudget(kBudget);
    const lua::Result<lua::Any> result = update.Call(frame);
    bullets = result.value().ToInteger().value();
    vm.Idle(neap::MonotonicNanos() + kFrameNs);  // the frame's rest is the collector's
  }
  vm.Collect();
  std::printf("%d bullets fly\n", bullets_alive);

  for (const char* name : {"cheat", "broken"}) {
    const lua::Error error = vm.Get(name)->Call().error();
    std::printf("%s: %s\n", name, error.ToString().c_str());
    if (error.traceback.find(name) == std::string::npos) return 1;
    vm.SetInstructionBudget(kBudget);
  }
  return bullets > 0 && bullets_alive == bullets ? 0 : 1;
}
