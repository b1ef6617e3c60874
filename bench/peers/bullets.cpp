// SPDX-License-Identifier: MIT
//
// The bullet workload on malloc: what a C++ programmer writes without thinking about memory. One
// new per spawned bullet, one delete per dead one, live ones in a vector in order of birth.
//
//   peer_bullets SPAWN     prints one RESULT line: frame times in ms (wall and CPU), checksum
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace {

constexpr int kWarmFrames = 30, kFrames = 600;
constexpr double kStep = 1.0 / 60, kGravity = 400;

struct Bullet {
  double x, y, vx, vy;
  double frames_left, damage;
};

// mulberry32, uniform in [0, 1).
class Random {
 public:
  double operator()() {
    uint32_t t = seed_ += 0x6D2B79F5u;
    t = (t ^ (t >> 15)) * (t | 1u);
    t = (t + (t ^ (t >> 7)) * (t | 61u)) ^ t;
    return static_cast<double>(t ^ (t >> 14)) / 4294967296.0;
  }

 private:
  uint32_t seed_ = 12345;
};

class Game {
 public:
  double Frame(int spawn) {
    for (int i = 0; i < spawn; ++i) alive_.push_back(Shoot());
    double sum = 0;
    auto kept = alive_.begin();
    for (Bullet* b : alive_) {
      b->vy += kGravity * kStep;
      b->x += b->vx * kStep;
      b->y += b->vy * kStep;
      b->frames_left -= 1;
      if (b->frames_left > 0) {
        sum += b->x;
        *kept++ = b;
      } else {
        delete b;
      }
    }
    alive_.erase(kept, alive_.end());
    return sum;
  }

 private:
  Bullet* Shoot() {
    turn_ += 0.017;
    const double angle = turn_ + random_() * 0.4;
    const double speed = 300 + random_() * 200;
    const double frames = 20 + std::floor(random_() * 20);
    const double damage = 1 + std::floor(random_() * 9);
    return new Bullet{400 + std::cos(turn_) * 30,
                      300 + std::sin(turn_) * 30,
                      std::cos(angle) * speed,
                      std::sin(angle) * speed,
                      frames,
                      damage};
  }

  Random random_;
  double turn_ = 0;
  std::vector<Bullet*> alive_;
};

double NowMs(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

double At(std::vector<double>& values, double fraction) {
  std::sort(values.begin(), values.end());
  const auto index = static_cast<size_t>(fraction * static_cast<double>(values.size()));
  return values[std::min(index, values.size() - 1)];
}

}  // namespace

int main(int argc, char** argv) {
  const int spawn = argc > 1 ? std::atoi(argv[1]) : 3000;
  Game game;
  for (int i = 0; i < kWarmFrames; ++i) game.Frame(spawn);
  std::vector<double> wall, cpu;
  double sum = 0;
  for (int i = 0; i < kFrames; ++i) {
    const double wall_start = NowMs(CLOCK_MONOTONIC), cpu_start = NowMs(CLOCK_THREAD_CPUTIME_ID);
    sum += game.Frame(spawn);
    cpu.push_back(NowMs(CLOCK_THREAD_CPUTIME_ID) - cpu_start);
    wall.push_back(NowMs(CLOCK_MONOTONIC) - wall_start);
  }
  std::printf("RESULT p50=%.5f p99=%.5f max=%.5f cpu_p50=%.5f cpu_p99=%.5f cpu_max=%.5f chk=%.0f\n",
              At(wall, .5), At(wall, .99), At(wall, 1), At(cpu, .5), At(cpu, .99), At(cpu, 1),
              std::round(sum));
}
