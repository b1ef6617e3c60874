// SPDX-License-Identifier: MIT
//
// Bullets as managed objects: fresh, with a free list, and through the collector's own pool.
//
//   live_ --> | SlotArray | o | o | o | ... |        birth order, compacted every frame
//                           |   |
//                           v   v
//                         | header 8 | x | y | vx | vy | ttl | dmg |      56 bytes (168 with 20)
//
// The three differ only in where a spawn takes its object from and where a death leaves it; that is
// what `Supply` is. Raw pointers never outlive a batch of the update loop or one turn of the spawn
// loop (rule M1): each turn makes room in the list first, takes the object second, appends third.
#include "bullets_managed.h"

#include <algorithm>

#include "managed_bullet.h"
#include "managed_list.h"
#include "neap/gc/handle.h"
#include "neap/pool/pool.h"
#include "neap/runtime/check.h"

namespace neap::lab {
namespace {

// Supplies. Take may reach a safepoint and returns a bullet that carries `shot`; Give may not.
// BeforeBatch may, and makes Give possible for the next `steps` deaths.

template <int kFields>
class FreshSupply {
 public:
  using Bullet = ManagedBullet<kFields>;
  FreshSupply(gc::Mutator&, gc::HandleScope&) : type_(Bullet::Type()) {}
  Bullet* Take(gc::Mutator& m, const Shot& shot) {
    ++made_;
    return m.New<Bullet>(type_, shot);
  }
  void BeforeBatch(gc::Mutator&, size_t) {}
  void Give(gc::Mutator&, Bullet*) {}
  uint64_t made() const { return made_; }
  uint64_t grown() const { return 0; }

 private:
  const gc::TypeId type_;
  uint64_t made_ = 0;
};

// The pool that every tutorial teaches: it grows to the largest population ever and keeps it.
template <int kFields>
class FreeListSupply {
 public:
  using Bullet = ManagedBullet<kFields>;
  FreeListSupply(gc::Mutator& m, gc::HandleScope& scope) : free_(m, scope), fresh_(m, scope) {}
  Bullet* Take(gc::Mutator& m, const Shot& shot) {
    if (free_.count() > 0) {
      Bullet* const bullet = free_.RemoveLast<Bullet>(m);
      bullet->fields.Overwrite(shot);
      return bullet;
    }
    return fresh_.Take(m, shot);
  }
  void BeforeBatch(gc::Mutator& m, size_t steps) { free_.MakeRoom(m, steps); }
  void Give(gc::Mutator& m, Bullet* bullet) { free_.Append(m, bullet); }
  uint64_t made() const { return fresh_.made(); }
  uint64_t grown() const { return free_.grown(); }

 private:
  ManagedList free_;
  FreshSupply<kFields> fresh_;
};

// The pool that the collector empties: what no frame took for two major cycles is garbage.
template <int kFields>
class CollectedPoolSupply {
 public:
  using Bullet = ManagedBullet<kFields>;
  CollectedPoolSupply(gc::Mutator& m, gc::HandleScope& scope, pool::Chaos chaos = {})
      : pool_(m.heap(), PoolOptions(chaos)), fresh_(m, scope) {}
  Bullet* Take(gc::Mutator& m, const Shot& shot) {
    if (Bullet* const bullet = pool_.TryGet(m)) {
      bullet->fields.Overwrite(shot);
      return bullet;
    }
    return fresh_.Take(m, shot);
  }
  void BeforeBatch(gc::Mutator&, size_t) {}
  void Give(gc::Mutator& m, Bullet* bullet) { pool_.Put(m, bullet); }
  uint64_t made() const { return fresh_.made(); }
  uint64_t grown() const { return 0; }

 private:
  static pool::Options<Bullet> PoolOptions(const pool::Chaos& chaos) {
    pool::Options<Bullet> options;
    options.name = "bullets";
    options.chaos = chaos;
    return options;
  }

  pool::Pool<Bullet> pool_;
  FreshSupply<kFields> fresh_;
};

// Bullets in a list, from any supply.
template <int kFields, template <int> class Supply>
class ManagedObjects final : public BulletStorage {
 public:
  using Bullet = ManagedBullet<kFields>;
  template <typename... SupplyArguments>
  explicit ManagedObjects(gc::Mutator& m, SupplyArguments... arguments)
      : m_(m), scope_(m), live_(m, scope_), supply_(m, scope_, arguments...) {}

  void Spawn(BulletGenerator& generator, int count) override {
    for (int i = 0; i < count; ++i) {
      const Shot shot = generator.Next();
      live_.MakeRoom(m_);
      live_.Append(m_, supply_.Take(m_, shot));
    }
  }

  double Update() override {
    const size_t count = live_.count();
    size_t kept = 0;
    double sum = 0;
    for (size_t done = 0; done < count;) {
      const size_t end = std::min(count, done + kBatchSteps);
      supply_.BeforeBatch(m_, end - done);
      m_.Poll();
      UpdateBatch(done, end, &kept, &sum);
      done = end;
    }
    live_.Truncate(m_, kept);
    return sum;
  }

  size_t live() const override { return live_.count(); }
  uint64_t made() const override { return supply_.made(); }
  uint64_t grown() const override { return live_.grown() + supply_.grown(); }
  std::vector<uint64_t> LiveAddresses() override {
    std::vector<uint64_t> addresses;
    for (size_t i = 0; i < live_.count(); ++i) {
      addresses.push_back(reinterpret_cast<uint64_t>(live_.at<Bullet>(i)));
    }
    return addresses;
  }

 private:
  // No safepoint inside: the raw array and the raw bullets hold for the whole batch.
  void UpdateBatch(size_t begin, size_t end, size_t* kept, double* sum) {
    gc::Word* const slots = live_.slots();
    m_.LogRange(live_.array(), slots + *kept, end - begin);  // the most that this batch can write
    size_t write = *kept;
    double total = *sum;
    for (size_t i = begin; i < end; ++i) {
      const gc::Word word = gc::LoadSlot(slots + i);
      auto* const bullet = static_cast<Bullet*>(gc::ToObject(word));
      if (Integrate(bullet->fields)) {
        total += bullet->fields.x;
        gc::InitSlot(slots + write++, word);
      } else {
        supply_.Give(m_, bullet);
      }
    }
    *kept = write;
    *sum = total;
  }

  gc::Mutator& m_;
  gc::HandleScope scope_;
  ManagedList live_;
  Supply<kFields> supply_;
};

template <int kFields>
std::unique_ptr<BulletStorage> Make(gc::Mutator& m, BulletStorageKind kind) {
  switch (kind) {
    case BulletStorageKind::kFresh:
      return std::make_unique<ManagedObjects<kFields, FreshSupply>>(m);
    case BulletStorageKind::kPool:
      return std::make_unique<ManagedObjects<kFields, FreeListSupply>>(m);
    case BulletStorageKind::kGcPool:
      return std::make_unique<ManagedObjects<kFields, CollectedPoolSupply>>(m);
    default:
      return nullptr;
  }
}

}  // namespace

std::unique_ptr<BulletStorage> MakeManagedStorage(gc::Mutator& m, BulletStorageKind kind,
                                                  int fields, int spawn) {
  NEAP_CHECK(fields == 6 || fields == 20, "bullets have 6 or 20 fields", "fields=%d", fields);
  if (kind == BulletStorageKind::kTyped || kind == BulletStorageKind::kTypedFifo) {
    return MakeColumnStorage(m, kind, fields, spawn);
  }
  auto storage = fields == 6 ? Make<6>(m, kind) : Make<20>(m, kind);
  NEAP_CHECK(storage != nullptr, "cpp- storages do not live on the managed heap", "kind=%s",
             BulletStorageName(kind));
  return storage;
}

std::unique_ptr<BulletStorage> MakeChaoticStorage(gc::Mutator& m, uint64_t seed) {
  const pool::Chaos chaos{.seed = seed, .miss_one_in = 3, .drop_one_in = 4, .shuffle = true};
  return std::make_unique<ManagedObjects<6, CollectedPoolSupply>>(m, chaos);
}

}  // namespace neap::lab
