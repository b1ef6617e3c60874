// SPDX-License-Identifier: MIT
#include "neap/gc/mutator.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "collector.h"
#include "large_space.h"
#include "local.h"
#include "neap/gc/handle.h"
#include "type_table.h"

namespace neap::gc {
namespace {

constexpr size_t kCardShift = 9;
static_assert(kCardBytes == size_t{1} << kCardShift);

bool CardIsLogged(Object* holder, const Word* slot) {
  const auto offset = static_cast<size_t>(reinterpret_cast<const char*>(slot) -
                                          reinterpret_cast<const char*>(holder));
  return __atomic_load_n(&LargeHeader::Of(holder)->cards[offset >> kCardShift], __ATOMIC_RELAXED) !=
         0;
}

// What a mutator without a P allocates from: nothing, so that it reaches the slow path's check
// (M3).
Tlab no_tlab;

}  // namespace

uint32_t Object::InstallHash(uint32_t hash) {
  uint64_t seen = header();
  for (;;) {
    if (const auto stored = static_cast<uint32_t>(seen >> 32); stored != 0) return stored;
    // Byte 1 may change under us (the barrier of another thread), so the word is replaced whole.
    if (ref64().compare_exchange_weak(seen, (seen & 0xffffffffu) | uint64_t{hash} << 32,
                                      std::memory_order_relaxed)) {
      return hash;
    }
  }
}

Mutator::Mutator(Heap& heap) : heap_(heap) {
  Collector& collector = heap_.collector();
  processor_ = collector.scheduler().Acquire();
  BindTo(processor_);
  poll_always_ = collector.options().debug.stress_safepoint != 0;
  // The first segment stays open: otherwise each outermost scope would open and clear one.
  AddHandleSegment();
  collector.roots().Add(this);
}

Mutator::~Mutator() {
  NEAP_CHECK(processor_ != nullptr, "M3: a mutator is destroyed outside blocking regions");
  heap_.collector().roots().Remove(this);
  heap_.collector().scheduler().Release(processor_);
  for (Word* segment : handle_segments_) delete[] segment;
}

namespace {

uint64_t AllocatedOn(const Local* local) {
  if (local == nullptr) return 0;
  return local->allocated_bytes();
}

}  // namespace

uint64_t Mutator::allocated_bytes() const {
  return allocated_before_ + AllocatedOn(local_) - allocated_on_bind_;
}

void Mutator::BindTo(Processor* p) {
  allocated_before_ = allocated_bytes();
  processor_ = p;
  local_ = p == nullptr ? nullptr : static_cast<Local*>(p->gc);
  tlab_ = p == nullptr ? &no_tlab : static_cast<Tlab*>(local_);
  allocated_on_bind_ = AllocatedOn(local_);
}

// --- Allocation ----------------------------------------------------------------------------------

Object* Mutator::TryAllocate(TypeId type, uint64_t length) {
  const size_t bytes = BytesFor(type, length);
  NEAP_CHECK(type_table[type].base_bytes != 0, "T6: an object's type is registered", "type=%u",
             type);
  if (bytes == 0) return nullptr;
  void* memory = nullptr;
  if (bytes <= kMaxNurseryObjectBytes) {
    char* top = tlab_->top;
    if (static_cast<size_t>(tlab_->limit - top) >= bytes) [[likely]] {
      tlab_->StoreTop(top + bytes);
      tlab_->CountObject();
      memory = top;
    }
  }
  if (memory == nullptr) {
    memory = heap_.collector().AllocateSlow(*this, type, bytes, Collector::Where::kNursery);
    if (memory == nullptr) return nullptr;
  }
  auto* object = static_cast<Object*>(memory);
  if (bytes <= kMaxNurseryObjectBytes) {
    std::memset(static_cast<char*>(memory) + kHeaderBytes, 0, bytes - kHeaderBytes);
    object->set_header(Object::MakeHeader(type));
  }
  if (type_table[type].element_shift != TypeDescriptor::kFixedSize)
    object->body<uint64_t>()[0] = length;
  return object;
}

Object* Mutator::TryAllocateStationary(TypeId type, uint64_t length) {
  const size_t bytes = BytesFor(type, length);
  if (bytes == 0) return nullptr;
  auto* object = static_cast<Object*>(
      heap_.collector().AllocateSlow(*this, type, bytes, Collector::Where::kStationary));
  if (object == nullptr) return nullptr;
  if (type_table[type].element_shift != TypeDescriptor::kFixedSize)
    object->body<uint64_t>()[0] = length;
  return object;
}

namespace {

[[noreturn]] void DieForLackOfMemory(TypeId type, uint64_t bytes) {
  std::fprintf(stderr, "neap: out of memory: no room for %llu bytes (type %s)\n",
               static_cast<unsigned long long>(bytes), GetType(type).name);
  std::abort();
}

}  // namespace

Object* Mutator::Allocate(TypeId type, uint64_t length) {
  Object* object = TryAllocate(type, length);
  if (object == nullptr) [[unlikely]]
    DieForLackOfMemory(type, BytesFor(type, length));
  return object;
}

void* Mutator::AllocateRawSlow(TypeId type, size_t bytes) {
  void* memory = heap_.collector().AllocateSlow(*this, type, bytes, Collector::Where::kNursery);
  if (memory == nullptr) [[unlikely]]
    DieForLackOfMemory(type, bytes);
  return memory;
}

// --- Barrier -------------------------------------------------------------------------------------

void Mutator::LogSlow(Object* holder, Word* slot, LogState state) {
  const uint64_t drop = heap_.collector().options().debug.drop_barrier;
  if (drop != 0 && ++local_->barrier_logs % drop == 0) return;
  if (state == LogState::kUnlogged) {
    local_->log.push_back(holder);
    local_->logged_objects.Add(1);
    holder->set_log_state(LogState::kLogged);
    return;
  }
  LargeHeader* large = LargeHeader::Of(holder);
  const auto offset =
      static_cast<size_t>(reinterpret_cast<char*>(slot) - reinterpret_cast<char*>(holder));
  __atomic_store_n(&large->cards[offset >> kCardShift], uint8_t{1}, __ATOMIC_RELAXED);
  // Two threads may both find the flag clear: the object is then logged twice, and taken once.
  if (!__atomic_load_n(&large->logged, __ATOMIC_RELAXED)) {
    __atomic_store_n(&large->logged, true, __ATOMIC_RELAXED);
    local_->log.push_back(holder);
    local_->logged_objects.Add(1);
  }
}

// Out of line, so that the inlined test compares the byte in memory and keeps no register.
void Mutator::LogSlot(Object* holder, Word* slot) {
  const LogState state = holder->log_state();
  if (state != LogState::kCarded || !CardIsLogged(holder, slot)) LogSlow(holder, slot, state);
}

void Mutator::LogElement(SlotArray* array, uint64_t index) {
  LogSlot(array, &array->slots()[index]);
}

void Mutator::LogRange(Object* holder, Word* first, size_t count) {
  const LogState state = holder->log_state();
  if (state == LogState::kLogged || count == 0) return;
  if (state == LogState::kUnlogged) {
    LogSlow(holder, first, state);
    return;
  }
  constexpr size_t kSlotsPerCard = (size_t{1} << kCardShift) / sizeof(Word);
  for (size_t i = 0; i < count; i += kSlotsPerCard) {
    if (!CardIsLogged(holder, first + i)) LogSlow(holder, first + i, state);
  }
  if (!CardIsLogged(holder, first + count - 1)) LogSlow(holder, first + count - 1, state);
}

// --- Hash, identity, off-heap --------------------------------------------------------------------

uint32_t Mutator::Hash(Object* object) {
  if (const uint32_t stored = object->stored_hash(); stored != 0) return stored;
  // splitmix64 over a per-P counter: no two requests of one P repeat before 2^64.
  uint64_t z = (local_->hash_state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  const auto hash = static_cast<uint32_t>((z ^ (z >> 31)) >> 32);
  return object->InstallHash(hash == 0 ? 1 : hash);
}

uint64_t Mutator::Identity(Object* object) {
  return heap_.collector().identities().Get(object, heap_.collector().IsYoung(object));
}

void Mutator::OffHeapChanged(Object* owner, int64_t delta) {
  heap_.collector().OffHeapChanged(*this, owner, delta);
}

// --- Safepoints ----------------------------------------------------------------------------------

void Mutator::PollSlow() {
  NEAP_CHECK(processor_ != nullptr, "M3: nothing of the heap is used inside a blocking region");
  NEAP_CHECK(no_safepoint_ == 0, "M6: no safepoint is reached inside a NoSafepointScope");
  if (processor_->poll_requested()) {
    // The P may be another mutator's for a while, whose bytes are none of ours.
    const uint64_t allocated = allocated_bytes();
    BindTo(heap_.collector().scheduler().SafepointSlow(processor_));
    allocated_before_ = allocated;
  }
  if (poll_always_) heap_.collector().StressSafepoint(*this);
}

void Mutator::MoveToProc(int id) {
  if (id == processor_->id) return;
  Scheduler& scheduler = heap_.collector().scheduler();
  const uint64_t allocated = allocated_bytes();
  scheduler.Release(processor_);
  BindTo(scheduler.AcquireSpecific(id));
  allocated_before_ = allocated;
}

void Mutator::EnterBlocking() {
  NEAP_CHECK(processor_ != nullptr, "M3: blocking regions do not nest");
  NEAP_CHECK(no_safepoint_ == 0, "M6: no safepoint is reached inside a NoSafepointScope");
  Processor* p = processor_;
  BindTo(nullptr);
  heap_.collector().scheduler().Release(p);
}

void Mutator::LeaveBlocking() { BindTo(heap_.collector().scheduler().Acquire()); }

// --- Handles -------------------------------------------------------------------------------------

void Mutator::AddHandleSegment() {
  if (handle_segments_open_ == handle_segments_.size()) {
    handle_segments_.push_back(new Word[kHandleSegment]);
    std::fill_n(handle_segments_.back(), kHandleSegment, kClosedHandle);
  }
  handle_next_ = handle_segments_[handle_segments_open_++];
  handle_end_ = handle_next_ + kHandleSegment;
}

// Closes whole segments until the innermost one ends at `end` (null: until none is left).
void Mutator::PopHandleSegments(const Word* end) {
  while (handle_end_ != end) {
    NEAP_CHECK(handle_segments_open_ > 0, "H1: handle scopes close in reverse order");
    std::fill_n(handle_segments_[--handle_segments_open_], kHandleSegment, kClosedHandle);
    Word* last = handle_segments_open_ == 0 ? nullptr : handle_segments_[handle_segments_open_ - 1];
    handle_next_ = handle_end_ = last == nullptr ? nullptr : last + kHandleSegment;
  }
}

size_t Mutator::handle_count() const {
  if (handle_segments_open_ == 0) return 0;
  return handle_segments_open_ * kHandleSegment - static_cast<size_t>(handle_end_ - handle_next_);
}

void Mutator::RestoreHeights(const Heights& heights) {
  NEAP_CHECK(heights.handles <= handle_count(), "H1: handle scopes close in reverse order",
             "height=%zu of %zu", heights.handles, handle_count());
  // The first segment is never closed.
  const size_t segments =
      std::max<size_t>(1, (heights.handles + kHandleSegment - 1) / kHandleSegment);
  Word* last = handle_segments_[segments - 1];
  const size_t used = heights.handles - (segments - 1) * kHandleSegment;
  PopHandles(last + used, last + kHandleSegment);
  NEAP_CHECK(heights.pins <= pins_.size(), "H2: pins are released in reverse order");
  pins_.resize(heights.pins);
  no_safepoint_ = heights.no_safepoint;
}

}  // namespace neap::gc
