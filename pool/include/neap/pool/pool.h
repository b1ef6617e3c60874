// SPDX-License-Identifier: MIT
//
// START HERE. A pool of reusable objects that the collector may empty: sync.Pool for C++.
//
//   pool::Pool<Buffer> buffers(heap, {.name = "buffers",
//                                     .make = [](gc::Mutator&) { return std::make_unique<Buffer>();
//                                     }, .reset = [](Buffer& b) { b.clear(); }});
//   std::unique_ptr<Buffer> b = buffers.Get(m);     // a parked one, or a new one
//   ...
//   buffers.Put(m, std::move(b));                   // do not touch it any more
//
// Two kinds of items, by type:
//   T derived from gc::Object   Item is T*: a reference into the managed heap. The pool is a root;
//                               the collector moves the object and updates the pool.
//   any other T                 Item is std::unique_ptr<T>: a C++ value off the managed heap. The
//                               collector's cycles evict it; its destructor runs later on a mutator
//                               that uses a pool of this heap (or calls DrainEvicted), never inside
//                               a pause.
//
// Semantics (source: Go's sync/pool.go, described in pool/word_pool.cc):
//   - Get order: own private slot, own queue newest first, oldest of the other Ps' queues, the same
//     in what the last major cycle demoted (the victim), then `make`.
//   - An item that nobody takes survives one major cycle and goes in the second (Retention).
//     Minor collections evict nothing.
//   - Any Get may miss, whatever was Put. Which item it returns is not specified.
//   - Put(x) happens before the Get that returns x.
// The default repairs what strands items in sync.Pool: private slots of other Ps in the victim,
// private slots of retired Ps, and the queues when the number of Ps grows. go_exact keeps them.
//
// What it is not for: a free list with an owner (use a vector); items that must not vanish
// (connections: use on_evict at least); a bound on concurrency.
//
// Safepoints: Get may call `make`, which may collect: raw pointers from before a Get are stale
// after it (rule M1 of neap/gc/mutator.h). TryGet and Put reach no safepoint. An item of a managed
// pool is itself a raw pointer, valid until the next safepoint.
//
// Thread safety: any thread that holds a P, without locks; construction, Close and destruction as
// said there. A pool is destroyed before its heap.
//
// Cost: a pair of Get and Put on one P that finds its private slot uses plain loads and stores,
// about a dozen instructions, and dirties one cache line.
#ifndef NEAP_POOL_POOL_H_
#define NEAP_POOL_POOL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "neap/gc/heap.h"
#include "neap/gc/mutator.h"
#include "neap/pool/checked.h"
#include "neap/pool/metrics.h"
#include "neap/pool/recorder.h"
#include "neap/pool/retention.h"
#include "neap/pool/word_pool.h"

namespace neap::pool {

template <typename T>
inline constexpr bool kIsManaged = std::is_base_of_v<gc::Object, T>;

// What Get returns and Put takes.
template <typename T>
using Item = std::conditional_t<kIsManaged<T>, T*, std::unique_ptr<T>>;

// Every field has a working default; all features are off. The functions that take an item (reset,
// size_of, is_clean, on_evict) may not use the heap or this pool, and on_evict may not throw.
template <typename T>
struct Options {
  // Appears in traces and messages.
  std::string name = "pool";
  // Makes an item when Get finds none; null: Get returns null then (sync.Pool without New). It may
  // reach safepoints, use this pool, and throw: the pool is unaffected.
  std::function<Item<T>(gc::Mutator& m)> make;
  // sync.Pool's corner cases as they are (see above).
  bool go_exact = false;
  // False: Get never looks into other Ps' queues.
  bool steal = true;
  Retention retention;

  // Called by Put for each item before it is parked.
  std::function<void(T&)> reset;
  // Bytes an item holds. Default: managed: the object and its registered off-heap bytes; values:
  // sizeof(T). Must give the same figure as long as the item is parked.
  std::function<size_t(const T&)> size_of;
  // Keep Metrics::bytes_held even if no bound needs it.
  bool account_bytes = false;
  // Put refuses larger items (sync.Pool's users write this test by hand).
  uint64_t max_item_bytes = kUnlimited;
  // Put refuses what would exceed them; all Ps and victims together.
  uint64_t max_items = kUnlimited;
  uint64_t max_bytes = kUnlimited;

  // Called once for each item that leaves the pool other than by Get: evicted, refused, closed,
  // destroyed with the pool. Runs on a mutator, outside pauses, some time after the cleanup. A
  // managed object lives one cycle longer because of it. (Without it, nothing is called for managed
  // objects, and values are only destroyed.)
  std::function<void(T&)> on_evict;

  // Checked mode (neap/pool/checked.h).
  bool checked = false;
  // Checked mode: whether an item may be parked as it is (after reset).
  std::function<bool(const T&)> is_clean;
  ViolationFunction on_violation;

  Chaos chaos;
  // Records every operation; must outlive the pool.
  Recorder* recorder = nullptr;
};

template <typename T>
class Pool {
 public:
  using value_type = T;
  using ItemType = Item<T>;

  // InvalidArgument names the option that does not fit. Otherwise as the constructor.
  static absl::StatusOr<std::unique_ptr<Pool>> Create(gc::Heap& heap, Options<T> options = {}) {
    absl::Status status = ValidateOptions(Untype(options));
    if (!status.ok()) return status;
    return std::make_unique<Pool>(heap, std::move(options));
  }
  // For options known to be valid (checked). The thread holds a P of the heap, or no other thread
  // uses the heap yet.
  explicit Pool(gc::Heap& heap, Options<T> options = {})
      : words_(heap, Untype(options)), make_(std::move(options.make)) {}

  // An item: a parked one, else what `make` returns (null without). A safepoint.
  ItemType Get(gc::Mutator& m, std::source_location place = std::source_location::current()) {
    const Word word = words_.TakeFast(m.proc());
    if (word == 0) [[unlikely]]
      return GetSlow(m, place);
    return FromWord(word);
  }
  // A parked item, or null. (no safepoint)
  ItemType TryGet(gc::Mutator& m, std::source_location place = std::source_location::current()) {
    return FromWord(words_.Take(m, place));
  }
  // Parks an item; null is ignored. The caller may not use it any more. (no safepoint)
  void Put(gc::Mutator& m, ItemType item,
           std::source_location place = std::source_location::current()) {
    if (item == nullptr) [[unlikely]]
      return;
    words_.Put(m, ToWord(std::move(item)), place);
  }

  // Makes `count` items and parks them on this thread's P (others find them by stealing). They age
  // as all others do: call it again after quiet times. A safepoint.
  void Prewarm(gc::Mutator& m, size_t count,
               std::source_location place = std::source_location::current()) {
    NEAP_CHECK(make_ != nullptr, "P5: Prewarm needs Options::make");
    for (size_t i = 0; i < count; ++i) Put(m, MakeSlow(m, place), place);
  }

  // Refuses all Puts (the items are dropped) and finds nothing from now on, and evicts what this
  // thread can reach; what other Ps hold in private goes at the next major cycle. Get still calls
  // `make`. FailedPrecondition when closed already. (no safepoint)
  absl::Status Close(gc::Mutator& m) { return words_.Close(m); }
  bool closed() const { return words_.closed(); }

  // Any thread that holds a P. (no safepoint)
  Metrics Snapshot() const { return words_.Snapshot(); }
  // Checked mode: what was taken and is not back, oldest Get first. (no safepoint)
  std::vector<Unreturned> FindUnreturned(gc::Mutator& m) const { return words_.FindUnreturned(m); }
  WordPool& words() { return words_; }

 private:
  static ItemType FromWord(Word word) { return ItemType(reinterpret_cast<T*>(word)); }
  static Word ToWord(ItemType item) {
    if constexpr (kIsManaged<T>) {
      return reinterpret_cast<Word>(item);
    } else {
      return reinterpret_cast<Word>(item.release());
    }
  }
  static T& At(Word word) { return *reinterpret_cast<T*>(word); }

  [[gnu::noinline]] ItemType GetSlow(gc::Mutator& m, std::source_location place) {
    const Word word = words_.TakeSlow(m, m.proc(), place);
    return word != 0 ? FromWord(word) : MakeSlow(m, place);
  }
  ItemType MakeSlow(gc::Mutator& m, std::source_location place) {
    if (make_ == nullptr) return nullptr;
    ItemType item = make_(m);
    if (words_.checked() && item != nullptr) {
      words_.NoteMade(m, reinterpret_cast<Word>(&*item), place);
    }
    return item;
  }
  static WordOptions Untype(const Options<T>& options);

  WordPool words_;
  std::function<ItemType(gc::Mutator&)> make_;
};

template <typename T>
WordOptions Pool<T>::Untype(const Options<T>& options) {
  WordOptions words;
  words.name = options.name;
  words.managed = kIsManaged<T>;
  words.go_exact = options.go_exact;
  words.steal = options.steal;
  words.retention = options.retention;
  if (options.reset) words.reset = [f = options.reset](Word word) { f(At(word)); };
  if (options.size_of) words.size_of = [f = options.size_of](Word word) { return f(At(word)); };
  words.account_bytes = options.account_bytes;
  words.max_item_bytes = options.max_item_bytes;
  words.max_items = options.max_items;
  words.max_bytes = options.max_bytes;
  if (options.on_evict) words.on_evict = [f = options.on_evict](Word word) { f(At(word)); };
  if constexpr (!kIsManaged<T>) {
    words.value_bytes = sizeof(T);
    words.destroy = [](Word word) { delete reinterpret_cast<T*>(word); };
  }
  words.checked = options.checked;
  if (options.is_clean) words.is_clean = [f = options.is_clean](Word word) { return f(At(word)); };
  words.on_violation = options.on_violation;
  words.chaos = options.chaos;
  words.recorder = options.recorder;
  return words;
}

}  // namespace neap::pool

#endif  // NEAP_POOL_POOL_H_
