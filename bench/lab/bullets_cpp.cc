// SPDX-License-Identifier: MIT
#include "bullets_cpp.h"

#include <array>
#include <type_traits>
#include <vector>

#include "bullet_fields.h"
#include "neap/runtime/check.h"

namespace neap::lab {
namespace {

// A bullet here has no header: 48 bytes with 6 fields, 160 with 20.
static_assert(sizeof(BulletFields<6>) == 48 && sizeof(BulletFields<20>) == 160);

// new and delete, or a free list of pointers.
template <int kFields, bool kPooled>
class CppObjects final : public BulletStorage {
 public:
  using Bullet = BulletFields<kFields>;

  ~CppObjects() override {
    for (Bullet* bullet : live_) delete bullet;
    for (Bullet* bullet : free_) delete bullet;
  }

  void Spawn(BulletGenerator& generator, int count) override {
    for (int i = 0; i < count; ++i) {
      const Shot shot = generator.Next();
      Bullet* bullet;
      if (kPooled && !free_.empty()) {
        bullet = free_.back();
        free_.pop_back();
        bullet->Overwrite(shot);
      } else {
        bullet = new Bullet(shot);
        ++made_;
      }
      live_.push_back(bullet);
    }
  }

  double Update() override {
    size_t kept = 0;
    double sum = 0;
    for (Bullet* bullet : live_) {
      if (Integrate(*bullet)) {
        sum += bullet->x;
        live_[kept++] = bullet;
      } else if constexpr (kPooled) {
        free_.push_back(bullet);
      } else {
        delete bullet;
      }
    }
    live_.resize(kept);
    return sum;
  }

  size_t live() const override { return live_.size(); }
  uint64_t made() const override { return made_; }
  std::vector<uint64_t> LiveAddresses() override {
    std::vector<uint64_t> addresses;
    for (const Bullet* bullet : live_) addresses.push_back(reinterpret_cast<uint64_t>(bullet));
    return addresses;
  }

 private:
  std::vector<Bullet*> live_, free_;
  uint64_t made_ = 0;
};

// One vector a field, a list of free indices (stack or queue), a dense list of live ones.
template <int kFields, bool kFifo>
class CppColumns final : public BulletStorage {
 public:
  explicit CppColumns(int spawn) : free_(ColumnCapacity(spawn)), live_(free_.size()) {
    for (std::vector<double>& column : columns_) column.resize(free_.size());
    const size_t capacity = free_.size();
    for (size_t i = 0; i < capacity; ++i) {
      free_[i] = static_cast<int32_t>(kFifo ? i : capacity - 1 - i);
    }
    free_count_ = capacity;
  }

  void Spawn(BulletGenerator& generator, int count) override {
    for (int i = 0; i < count; ++i) {
      const Shot shot = generator.Next();
      const auto slot = static_cast<size_t>(TakeFree());
      const double values[] = {shot.x, shot.y, shot.vx, shot.vy, shot.ttl, shot.dmg};
      for (size_t f = 0; f < 6; ++f) columns_[f][slot] = values[f];
      for (size_t f = 6; f < kFields; ++f) columns_[f][slot] = shot.dmg;
      live_[live_count_++] = static_cast<int32_t>(slot);
    }
  }

  double Update() override {
    double* const x = columns_[0].data();
    double* const y = columns_[1].data();
    double* const vx = columns_[2].data();
    double* const vy = columns_[3].data();
    double* const ttl = columns_[4].data();
    size_t kept = 0;
    double sum = 0;
    for (size_t i = 0; i < live_count_; ++i) {
      const int32_t k = live_[i];
      vy[k] += kBulletGravity * kBulletDt;
      x[k] += vx[k] * kBulletDt;
      y[k] += vy[k] * kBulletDt;
      ttl[k] -= 1;
      if (ttl[k] > 0) {
        sum += x[k];
        live_[kept++] = k;
      } else {
        GiveFree(k);
      }
    }
    live_count_ = kept;
    return sum;
  }

  size_t live() const override { return live_count_; }
  uint64_t made() const override { return 0; }
  std::vector<uint64_t> LiveAddresses() override {
    std::vector<uint64_t> addresses;
    for (size_t i = 0; i < live_count_; ++i) {
      addresses.push_back(reinterpret_cast<uint64_t>(&columns_[0][static_cast<size_t>(live_[i])]));
    }
    return addresses;
  }

 private:
  int32_t TakeFree() {
    NEAP_CHECK(free_count_ > 0, "45 slots a spawn are enough for lifetimes under 40",
               "capacity=%zu", free_.size());
    --free_count_;
    if constexpr (!kFifo) return free_[free_count_];
    const int32_t slot = free_[head_];
    if (++head_ == free_.size()) head_ = 0;
    return slot;
  }
  void GiveFree(int32_t slot) {
    if constexpr (kFifo) {
      free_[tail_] = slot;
      if (++tail_ == free_.size()) tail_ = 0;
    } else {
      free_[free_count_] = slot;
    }
    ++free_count_;
  }

  std::array<std::vector<double>, kFields> columns_;
  std::vector<int32_t> free_, live_;
  size_t free_count_ = 0, live_count_ = 0;
  size_t head_ = 0, tail_ = 0;  // FIFO only: next slot to take, next place to give to
};

// Records in one vector, compacted in birth order each frame: no free list, no pointers. The
// physical limit of the workload.
template <int kFields>
class CppDense final : public BulletStorage {
 public:
  void Spawn(BulletGenerator& generator, int count) override {
    for (int i = 0; i < count; ++i) live_.emplace_back(generator.Next());
  }

  double Update() override {
    size_t kept = 0;
    double sum = 0;
    for (size_t i = 0; i < live_.size(); ++i) {
      BulletFields<kFields> bullet = live_[i];
      if (!Integrate(bullet)) continue;
      sum += bullet.x;
      live_[kept++] = bullet;
    }
    live_.resize(kept);
    return sum;
  }

  size_t live() const override { return live_.size(); }
  uint64_t made() const override { return 0; }
  std::vector<uint64_t> LiveAddresses() override {
    std::vector<uint64_t> addresses;
    for (auto& bullet : live_) addresses.push_back(reinterpret_cast<uint64_t>(&bullet));
    return addresses;
  }

 private:
  std::vector<BulletFields<kFields>> live_;
};

template <int kFields>
std::unique_ptr<BulletStorage> Make(BulletStorageKind kind, int spawn) {
  switch (kind) {
    case BulletStorageKind::kCppFresh:
      return std::make_unique<CppObjects<kFields, false>>();
    case BulletStorageKind::kCppPool:
      return std::make_unique<CppObjects<kFields, true>>();
    case BulletStorageKind::kCppTyped:
      return std::make_unique<CppColumns<kFields, false>>(spawn);
    case BulletStorageKind::kCppTypedFifo:
      return std::make_unique<CppColumns<kFields, true>>(spawn);
    case BulletStorageKind::kCppDense:
      return std::make_unique<CppDense<kFields>>();
    default:
      return nullptr;
  }
}

}  // namespace

std::unique_ptr<BulletStorage> MakeCppStorage(BulletStorageKind kind, int fields, int spawn) {
  NEAP_CHECK(fields == 6 || fields == 20, "bullets have 6 or 20 fields", "fields=%d", fields);
  auto storage = fields == 6 ? Make<6>(kind, spawn) : Make<20>(kind, spawn);
  NEAP_CHECK(storage != nullptr, "only cpp- storages live outside the managed heap", "kind=%s",
             BulletStorageName(kind));
  return storage;
}

}  // namespace neap::lab
