// SPDX-License-Identifier: MIT
#include "pierce_run.h"

#include <algorithm>
#include <cmath>

#include "bullets.h"
#include "managed_list.h"
#include "neap/gc/handle.h"
#include "neap/gc/type.h"

namespace neap::lab {
namespace {

constexpr double kPoweredShare = 0.02;

struct Missile : gc::Object {
  int64_t pierce = 1;
  int64_t ttl = 0;  // frames

  static gc::TypeId Type() {
    static const gc::TypeId type = gc::RegisterType(
        {.name = "missile", .layout = gc::Layout::kNone, .base_bytes = sizeof(Missile)});
    return type;
  }
};

void Reset(Missile* missile, bool powered, PierceStorage storage) {
  if (powered) {
    missile->pierce = 3;
  } else if (storage != PierceStorage::kBuggyPool) {
    missile->pierce = 1;
  }
}

// A free one, or a new one; room for it in the caller's list has been made. (safepoint)
Missile* Take(gc::Mutator& m, ManagedList& free) {
  if (free.count() > 0) return free.RemoveLast<Missile>(m);
  return m.New<Missile>(Missile::Type());
}

// Ages every live missile; retired ones go to `free` when they are pooled.
void Age(gc::Mutator& m, ManagedList& live, ManagedList& free, bool pooled) {
  size_t kept = 0;
  for (size_t i = 0; i < live.count(); ++i) {
    if (i % kBatchSteps == 0) {
      free.MakeRoom(m, kBatchSteps);
      m.Poll();
    }
    auto* const missile = live.at<Missile>(i);
    if (--missile->ttl > 0) {
      m.Store(live.array(), live.slots() + kept++, missile);
    } else if (pooled) {
      free.Append(m, missile);
    }
  }
  live.Truncate(m, kept);
}

}  // namespace

uint64_t RunPierce(gc::Mutator& m, const PierceSpec& spec) {
  gc::HandleScope scope(m);
  ManagedList live(m, scope), free(m, scope);
  Mulberry32 random(spec.seed);
  uint64_t damage = 0;
  for (int frame = 0; frame < spec.frames; ++frame) {
    for (int i = 0; i < spec.spawn; ++i) {
      const bool powered = random.Next() < kPoweredShare;
      const int spread = spec.max_ttl - spec.min_ttl + 1;
      const int ttl = spec.min_ttl + static_cast<int>(random.Next() * spread);
      live.MakeRoom(m);
      Missile* const missile = Take(m, free);
      Reset(missile, powered, spec.storage);
      missile->ttl = ttl;
      damage += static_cast<uint64_t>(missile->pierce);
      live.Append(m, missile);
    }
    Age(m, live, free, spec.storage != PierceStorage::kFresh);
  }
  return damage;
}

double PredictedPierceRatio(const PierceSpec& spec) {
  double f = 0;
  for (int frame = 0; frame < spec.frames; ++frame) {
    const int generation = frame / spec.min_ttl + 1;
    f += 1 - std::pow(1 - kPoweredShare, generation);
  }
  f /= spec.frames;
  return (1 + 2 * f) / (1 + 2 * kPoweredShare);
}

bool OneGetLooksRight(gc::Mutator& m, PierceStorage storage) {
  gc::HandleScope scope(m);
  for (const bool powered : {false, true}) {
    ManagedList free(m, scope);
    Missile* const missile = Take(m, free);
    Reset(missile, powered, storage);
    if (missile->pierce != (powered ? 3 : 1)) return false;
  }
  return true;
}

}  // namespace neap::lab
