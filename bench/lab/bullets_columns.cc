// SPDX-License-Identifier: MIT
//
// Typed bullets on the managed heap: a column of doubles a field, an index free list, a dense list
// of live indices. All are byte arrays; no bullet is an object, so a frame allocates nothing and
// the collector has nothing to trace.
//
//   columns_[f]  | header | length | value of slot 0 | value of slot 1 | ...   f = x, y, vx, ...
//   free_        | header | length | int32 index | ...        LIFO: a stack. FIFO: a circular queue
//   live_        | header | length | int32 index | ...        in birth order
//
// The arrays may move between two polls as far as this code is concerned (they are large and do
// not, but that is the heap's business), so every batch reads their addresses again.
#include <array>
#include <cstddef>
#include <cstdint>

#include "bullets_managed.h"
#include "neap/gc/handle.h"
#include "neap/runtime/check.h"

namespace neap::lab {
namespace {

template <int kFields, bool kFifo>
class ManagedColumns final : public BulletStorage {
 public:
  ManagedColumns(gc::Mutator& m, int spawn)
      : m_(m), scope_(m), capacity_(ColumnCapacity(spawn)), free_count_(capacity_) {
    for (auto& column : columns_) column = scope_.New(m.NewBytes(capacity_ * sizeof(double)));
    free_ = scope_.New(m.NewBytes(capacity_ * sizeof(int32_t)));
    live_ = scope_.New(m.NewBytes(capacity_ * sizeof(int32_t)));
    int32_t* const free = Indices(free_);
    for (size_t i = 0; i < capacity_; ++i) {
      free[i] = static_cast<int32_t>(kFifo ? i : capacity_ - 1 - i);  // slot 0 is taken first
    }
  }

  void Spawn(BulletGenerator& generator, int count) override {
    for (int done = 0; done < count;) {
      m_.Poll();
      const int end = std::min(count, done + static_cast<int>(kBatchSteps));
      const Addresses at = Read();
      for (; done < end; ++done) {
        const Shot shot = generator.Next();
        const auto slot = static_cast<size_t>(TakeFree(at));
        const double values[] = {shot.x, shot.y, shot.vx, shot.vy, shot.ttl, shot.dmg};
        for (size_t f = 0; f < 6; ++f) at.columns[f][slot] = values[f];
        for (size_t f = 6; f < kFields; ++f) at.columns[f][slot] = shot.dmg;
        at.live[live_count_++] = static_cast<int32_t>(slot);
      }
    }
  }

  double Update() override {
    size_t kept = 0;
    double sum = 0;
    for (size_t done = 0; done < live_count_;) {
      m_.Poll();
      const size_t end = std::min(live_count_, done + kBatchSteps);
      UpdateBatch(Read(), done, end, &kept, &sum);
      done = end;
    }
    live_count_ = kept;
    return sum;
  }

  size_t live() const override { return live_count_; }
  uint64_t made() const override { return 0; }
  std::vector<uint64_t> LiveAddresses() override {
    std::vector<uint64_t> addresses;
    const Addresses at = Read();
    for (size_t i = 0; i < live_count_; ++i) {
      addresses.push_back(reinterpret_cast<uint64_t>(at.columns[0] + at.live[i]));
    }
    return addresses;
  }

 private:
  using Bytes = gc::Handle<gc::ByteArray>;
  // Raw addresses, valid until the next safepoint (M1).
  struct Addresses {
    std::array<double*, kFields> columns;
    int32_t* free;
    int32_t* live;
  };

  static int32_t* Indices(const Bytes& array) { return reinterpret_cast<int32_t*>(array->data()); }
  Addresses Read() const {
    Addresses at;
    for (size_t f = 0; f < kFields; ++f) {
      at.columns[f] = reinterpret_cast<double*>(columns_[f]->data());
    }
    at.free = Indices(free_);
    at.live = Indices(live_);
    return at;
  }

  void UpdateBatch(const Addresses& at, size_t begin, size_t end, size_t* kept, double* sum) {
    double* const x = at.columns[0];
    double* const y = at.columns[1];
    double* const vx = at.columns[2];
    double* const vy = at.columns[3];
    double* const ttl = at.columns[4];
    size_t write = *kept;
    double total = *sum;
    for (size_t i = begin; i < end; ++i) {
      const int32_t k = at.live[i];
      vy[k] += kBulletGravity * kBulletDt;
      x[k] += vx[k] * kBulletDt;
      y[k] += vy[k] * kBulletDt;
      ttl[k] -= 1;
      if (ttl[k] > 0) {
        total += x[k];
        at.live[write++] = k;
      } else {
        GiveFree(at, k);
      }
    }
    *kept = write;
    *sum = total;
  }

  int32_t TakeFree(const Addresses& at) {
    NEAP_CHECK(free_count_ > 0, "45 slots a spawn are enough for lifetimes under 40",
               "capacity=%zu", capacity_);
    --free_count_;
    if constexpr (!kFifo) return at.free[free_count_];
    const int32_t slot = at.free[head_];
    if (++head_ == capacity_) head_ = 0;
    return slot;
  }
  void GiveFree(const Addresses& at, int32_t slot) {
    if constexpr (kFifo) {
      at.free[tail_] = slot;
      if (++tail_ == capacity_) tail_ = 0;
    } else {
      at.free[free_count_] = slot;
    }
    ++free_count_;
  }

  gc::Mutator& m_;
  gc::HandleScope scope_;
  const size_t capacity_;
  std::array<Bytes, kFields> columns_;
  Bytes free_, live_;
  size_t free_count_, live_count_ = 0;
  size_t head_ = 0, tail_ = 0;  // FIFO only: next slot to take, next place to give to
};

template <int kFields>
std::unique_ptr<BulletStorage> Make(gc::Mutator& m, bool fifo, int spawn) {
  if (fifo) return std::make_unique<ManagedColumns<kFields, true>>(m, spawn);
  return std::make_unique<ManagedColumns<kFields, false>>(m, spawn);
}

}  // namespace

std::unique_ptr<BulletStorage> MakeColumnStorage(gc::Mutator& m, BulletStorageKind kind, int fields,
                                                 int spawn) {
  const bool fifo = kind == BulletStorageKind::kTypedFifo;
  return fields == 6 ? Make<6>(m, fifo, spawn) : Make<20>(m, fifo, spawn);
}

}  // namespace neap::lab
