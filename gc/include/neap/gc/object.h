// SPDX-License-Identifier: MIT
//
// The 8-byte header in front of every managed object, and the words that slots hold.
//
//    63          32 31      16 15       8 7        4 3   2   1   0
//   +--------------+----------+----------+----------+---+---+---+---+
//   | hash         | type     | log      | age      | R | S | P | F |
//   +--------------+----------+----------+----------+---+---+---+---+
//     byte 4..7      2..3       1          0
//
//   byte 0  the collector's, written only while the world is stopped
//     F     forwarded: the whole word is the new address with bit 0 set
//     P     pinned: copied from the pin tables at the start of a pause, cleared at its end
//     S     stationary young: a young object that never moves (large, or asked for)
//     R     reached: a young object that stays in place was reached in this minor collection
//     age   minor collections survived, saturating at 15
//   byte 1  log state of the write barrier, single-byte stores by mutators and by the collector
//   type    index into the type table (neap/gc/type.h)
//   hash    0 until first asked for; then it moves with the object, so that tables never rehash
//
// Any slot of an object is one 64-bit word. A word is a reference exactly when it lies in the
// heap's reserved address range; every other word (null, a NaN-boxed number) is data to the
// collector.
#ifndef NEAP_GC_OBJECT_H_
#define NEAP_GC_OBJECT_H_

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace neap::gc {

using Word = uint64_t;
using TypeId = uint16_t;

inline constexpr size_t kHeaderBytes = 8;
inline constexpr size_t kObjectAlignment = 8;
inline constexpr size_t kMinObjectBytes = 16;

// What the write barrier has to do for a store into the object (byte 1 of the header).
enum class LogState : uint8_t {
  kLogged = 0,    // nothing: young, or already in a modification buffer or the retained set
  kUnlogged = 1,  // old and clean: the slow path logs the object
  kCarded = 2,    // old, large, many slots: the byte of the 512-byte card decides
};

class Object {
 public:
  static constexpr uint64_t kForwardedBit = 1 << 0;
  static constexpr uint64_t kPinnedBit = 1 << 1;
  static constexpr uint64_t kStationaryYoungBit = 1 << 2;
  static constexpr uint64_t kReachedBit = 1 << 3;
  static constexpr int kAgeShift = 4;
  static constexpr uint64_t kMaxAge = 15;

  // The header word is read and written with relaxed atomics (plain instructions on x86).
  uint64_t header() const { return ref64().load(std::memory_order_relaxed); }
  void set_header(uint64_t word) { ref64().store(word, std::memory_order_relaxed); }

  static constexpr uint64_t MakeHeader(TypeId type) { return uint64_t{type} << 16; }
  TypeId type() const { return static_cast<TypeId>(header() >> 16); }
  // The upper half of the type, for embedders whose kinds of objects are ranges of 256 ids: the
  // test is one comparison with a byte in memory. A plain load: it races with stores of other bytes
  // only.
  uint8_t type_range() const {
#if defined(__SANITIZE_THREAD__)
    return ref8(3).load(std::memory_order_relaxed);
#else
    return reinterpret_cast<const uint8_t*>(&word_)[3];
#endif
  }
  // A plain load of half the word, for the same reason.
  uint32_t stored_hash() const {
#if defined(__SANITIZE_THREAD__)
    return static_cast<uint32_t>(header() >> 32);
#else
    return reinterpret_cast<const uint32_t*>(&word_)[1];
#endif
  }
  uint32_t age() const { return static_cast<uint32_t>(header() >> kAgeShift) & kMaxAge; }

  // A plain load, so that the barrier's test is one instruction. It races only with stores of
  // kLogged, and finding an older state logs the object twice, which is harmless.
  LogState log_state() const {
#if defined(__SANITIZE_THREAD__)
    return static_cast<LogState>(ref8(1).load(std::memory_order_relaxed));
#else
    return static_cast<LogState>(reinterpret_cast<const uint8_t*>(&word_)[1]);
#endif
  }
  void set_log_state(LogState state) {
    ref8(1).store(static_cast<uint8_t>(state), std::memory_order_release);
  }
  // Stores the hash; any thread that holds a P, racing threads agree on the first one stored.
  uint32_t InstallHash(uint32_t hash);

  template <typename T>
  T* body() {
    return reinterpret_cast<T*>(reinterpret_cast<char*>(this) + kHeaderBytes);
  }
  template <typename T>
  const T* body() const {
    return reinterpret_cast<const T*>(reinterpret_cast<const char*>(this) + kHeaderBytes);
  }

 private:
  std::atomic_ref<uint64_t> ref64() const {
    return std::atomic_ref<uint64_t>(const_cast<uint64_t&>(word_));
  }
  std::atomic_ref<uint8_t> ref8(int byte) const {
    return std::atomic_ref<uint8_t>(
        reinterpret_cast<uint8_t*>(const_cast<uint64_t*>(&word_))[byte]);
  }
  uint64_t word_ = 0;
};
static_assert(sizeof(Object) == kHeaderBytes);
static_assert(std::endian::native == std::endian::little);  // the parts of the header that are read

// Loads a reference slot. Relaxed on x86; acquire where a tool must see the pairing with the
// release store of the barrier.
inline Word LoadSlot(const Word* slot) {
#if defined(__SANITIZE_THREAD__)
  return std::atomic_ref<Word>(*const_cast<Word*>(slot)).load(std::memory_order_acquire);
#else
  return std::atomic_ref<Word>(*const_cast<Word*>(slot)).load(std::memory_order_relaxed);
#endif
}
// Stores a slot without a barrier: initialization of an object that nobody else sees yet and that
// has met no safepoint since it was allocated, or any store while the world is stopped.
inline void InitSlot(Word* slot, Word value) {
  std::atomic_ref<Word>(*slot).store(value, std::memory_order_release);
}

inline Word ToWord(const Object* object) { return reinterpret_cast<Word>(object); }
inline Object* ToObject(Word word) { return reinterpret_cast<Object*>(word); }

// A reference field of a C++ object that lives in the managed heap. Reading is free; writing goes
// through Mutator::Store, which knows the holder. Layout: one word.
template <typename T>
class Ref {
 public:
  T* get() const { return reinterpret_cast<T*>(LoadSlot(&word_)); }
  operator T*() const { return get(); }
  T* operator->() const { return get(); }
  Word* slot() { return &word_; }
  const Word* slot() const { return &word_; }

 private:
  Word word_ = 0;
};
static_assert(sizeof(Ref<Object>) == 8);

}  // namespace neap::gc

#endif  // NEAP_GC_OBJECT_H_
