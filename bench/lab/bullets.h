// SPDX-License-Identifier: MIT
//
// The bullet workload: a frame of a bullet-hell game, and nothing else. It is the program of the
// source's pooling article, written over the managed heap, and the host of every experiment of
// family B.
//
//   frame:  spawn S bullets            a seeded generator, four draws a bullet, in a fixed order
//           for each live bullet       gravity, position, lifetime
//             alive: add x to the sum, keep (stable compaction)
//             dead:  drop, or give back to the free list
//
//   lifetimes are 20..39 frames, so about 30 S bullets are alive: far too long for a nursery to see
//   them die, far too short for old space. That is what makes the workload interesting.
//
// The checksum is the rounded sum of x over the 600 measured frames. It depends on every bullet
// being integrated exactly once a frame, in birth order, with IEEE doubles and no fused
// multiply-add; so it is an exact oracle for every storage here and for the source's own table.
//
// Storages (bullets_managed.cc, bullets_columns.cc, bullets_cpp.cc):
//
//   fresh      a managed object a bullet; dead ones are dropped
//   pool       managed objects and a LIFO free list, overwritten field by field
//   gcpool     managed objects through pool::Pool, which forgets what two collections saw idle
//   typed      managed columns, an index free list (LIFO), a dense list of indices
//   typedfifo  the same, slots reused in order of death
//   cpp-...    the same five in plain C++ on malloc, and `dense` (records compacted in one array):
//              the yardstick of the same run
//
// What the managed storages do about the write barrier: the live list is one managed array. The
// article's loop writes live[w++] = o for every survivor, moved or not, and so does ours: after the
// first death of a frame nearly all of them move. The loop runs in batches of kBatchSteps; before a
// batch the slots it may write are logged as one range (what a bulk builtin does), after it the
// mutator polls. Pushes go through the ordinary barrier, one by one. What is cut off the end of the
// list is cleared, because a stale slot would keep a dead bullet alive.
#ifndef NEAP_BENCH_LAB_BULLETS_H_
#define NEAP_BENCH_LAB_BULLETS_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace neap::lab {

inline constexpr int kBulletFrames = 600;      // measured frames, as published
inline constexpr int kBulletWarmFrames = 30;   // before them
inline constexpr double kBulletDt = 1.0 / 60;  // seconds a frame
inline constexpr double kBulletGravity = 400;
// Steps between two polls in loops over the live list. Fewer: the poll and the range log show in
// the frame; more: another thread's stop waits longer than the 1,000 steps that the house allows.
inline constexpr size_t kBatchSteps = 1000;

// What a spawn draws. `ttl` counts frames.
struct Shot {
  double x, y, vx, vy, ttl, dmg;
};

// mulberry32 (public domain, T. Ettinger): 32 bits of state, uniform in [0, 1).
class Mulberry32 {
 public:
  explicit Mulberry32(uint32_t seed) : state_(seed) {}
  double Next() {
    state_ += 0x6D2B79F5u;
    uint32_t t = (state_ ^ (state_ >> 15)) * (state_ | 1);
    t = (t + (t ^ (t >> 7)) * (t | 61)) ^ t;
    return (t ^ (t >> 14)) / 4294967296.0;
  }

 private:
  uint32_t state_;
};

// A muzzle that circles around (400, 300).
class BulletGenerator {
 public:
  explicit BulletGenerator(uint32_t seed = 12345) : random_(seed) {}
  Shot Next() {
    muzzle_ += 0.017;
    const double angle = muzzle_ + random_.Next() * 0.4;
    const double speed = 300 + random_.Next() * 200;
    Shot shot;
    shot.x = 400 + std::cos(muzzle_) * 30;
    shot.y = 300 + std::sin(muzzle_) * 30;
    shot.vx = std::cos(angle) * speed;
    shot.vy = std::sin(angle) * speed;
    shot.ttl = 20 + static_cast<int>(random_.Next() * 20);
    shot.dmg = 1 + static_cast<int>(random_.Next() * 9);
    return shot;
  }

 private:
  Mulberry32 random_;
  double muzzle_ = 0;  // radians
};

// One frame of one bullet; false: it died. `B` has the fields of Shot.
template <typename B>
inline bool Integrate(B& bullet) {
  bullet.vy += kBulletGravity * kBulletDt;
  bullet.x += bullet.vx * kBulletDt;
  bullet.y += bullet.vy * kBulletDt;
  bullet.ttl -= 1;
  return bullet.ttl > 0;
}

// X(kind, name): the storages, in the order of tables.
#define NEAP_LAB_BULLET_STORAGES(X) \
  X(kFresh, "fresh")                \
  X(kPool, "pool")                  \
  X(kGcPool, "gcpool")              \
  X(kTyped, "typed")                \
  X(kTypedFifo, "typedfifo")        \
  X(kCppFresh, "cpp-fresh")         \
  X(kCppPool, "cpp-pool")           \
  X(kCppTyped, "cpp-typed")         \
  X(kCppTypedFifo, "cpp-typedfifo") \
  X(kCppDense, "cpp-dense")

enum class BulletStorageKind : uint8_t {
#define NEAP_DECLARE_STORAGE(kind, name) kind,
  NEAP_LAB_BULLET_STORAGES(NEAP_DECLARE_STORAGE)
#undef NEAP_DECLARE_STORAGE
};
const char* BulletStorageName(BulletStorageKind kind);
std::optional<BulletStorageKind> ParseBulletStorage(std::string_view name);
// True for storages that live on the managed heap.
constexpr bool IsManaged(BulletStorageKind kind) { return kind < BulletStorageKind::kCppFresh; }

// Slots that typed storages reserve for `spawn`: no more than 39 frames' bullets live at once.
constexpr size_t ColumnCapacity(int spawn) {
  const size_t wanted = 45 * static_cast<size_t>(spawn);
  return wanted < 1024 ? 1024 : wanted;
}

// Where the bullets are. A frame is Spawn, then Update; both may reach safepoints.
class BulletStorage {
 public:
  virtual ~BulletStorage() = default;
  virtual void Spawn(BulletGenerator& generator, int count) = 0;
  // Integrates every live bullet; returns the sum of the survivors' x.
  virtual double Update() = 0;

  virtual size_t live() const = 0;
  // Objects ever made (managed or C++); 0 for columns.
  virtual uint64_t made() const = 0;
  // Managed lists replaced by larger ones; each is one more allocation.
  virtual uint64_t grown() const { return 0; }
  // Addresses of the live bullets (for columns: of their x) in the order of iteration.
  virtual std::vector<uint64_t> LiveAddresses() = 0;
};

// The rounded sum that the article and the peer programs give for a rate; nullopt: none published.
std::optional<double> PublishedChecksum(int spawn);
// The rounded sum over `frames` measured frames of `spawn` bullets each, after the warm-up.
double ChecksumOf(BulletStorage& storage, int spawn, int frames = kBulletFrames);
// The published sum computed here, by the plainest storage there is. Takes S x 20 us.
double ReferenceChecksum(int spawn, int frames = kBulletFrames);

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_BULLETS_H_
