// SPDX-License-Identifier: MIT
//
// The collector's side of finalizer queues (neap/gc/finalizer.h): which objects are registered, and
// which are pending. An entry is weak until its object is found unreachable; then the object moves
// to the pending list of its queue, which is a root.
//
// Thread safety: registration and Run lock; collections only while stopped.
#ifndef NEAP_GC_FINALIZERS_H_
#define NEAP_GC_FINALIZERS_H_

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "neap/gc/finalizer.h"
#include "neap/gc/object.h"
#include "neap/gc/type.h"

namespace neap::gc {

class FinalizerState {
 public:
  FinalizerQueue::Function function = nullptr;
  void* context = nullptr;
  std::atomic<size_t> pending_count{0};
  std::deque<Word> pending;  // guarded by Finalizers::mutex_; roots
  bool closed = false;       // the queue is gone: entries are dropped at the next chance
  bool running = false;      // Run does not nest
  bool only_at_majors = false;
  bool once = false;
};

class Finalizers {
 public:
  struct Entry {
    Word object;
    uint64_t sequence;  // of its registration: later ones run first
    std::shared_ptr<FinalizerState> state;
  };

  void AddQueue(std::shared_ptr<FinalizerState> state);
  void CloseQueue(const std::shared_ptr<FinalizerState>& state);
  void Register(Object* object, std::shared_ptr<FinalizerState> state);
  // Pops the oldest pending object; 0 when there is none.
  Word PopPending(FinalizerState& state);
  void QueueAll(const std::shared_ptr<FinalizerState>& state);

  // --- World stopped -----------------------------------------------------------------------------
  // Pending objects are strong roots.
  void VisitPending(Tracer& tracer);
  // `which`: entries registered since the last minor or whose object is still young, or all.
  // `is_live(object)`: already reached by this collection. `resurrect(slot)`: makes the object of a
  // dead entry live, in place. `refresh(slot)`: updates the slot of a live one; returns true while
  // the object is young. Returns how many objects were queued; *kept: how many wait for a major
  // cycle and were made live, too.
  enum class Which : uint8_t { kYoung, kAll };
  size_t QueueUnreachable(Which which, const std::function<bool(Word)>& is_live,
                          const std::function<void(Word*)>& resurrect,
                          const std::function<bool(Word*)>& refresh, size_t* kept = nullptr);
  // Objects of any age / old objects only (N12), and the queues that are open.
  const std::vector<Entry>& young_entries() const { return young_; }
  const std::vector<Entry>& old_entries() const { return old_; }
  const std::vector<std::shared_ptr<FinalizerState>>& queues() const { return queues_; }

 private:
  std::mutex mutex_;  // guards what follows
  uint64_t registrations_ = 0;
  std::vector<Entry> young_;
  std::vector<Entry> old_;
  std::vector<std::shared_ptr<FinalizerState>> queues_;
};

}  // namespace neap::gc

#endif  // NEAP_GC_FINALIZERS_H_
