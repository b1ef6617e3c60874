// SPDX-License-Identifier: MIT
#include "finalizers.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "collector.h"
#include "neap/gc/heap.h"
#include "neap/runtime/check.h"

namespace neap::gc {
namespace {

bool LatestFirst(const Finalizers::Entry& a, const Finalizers::Entry& b) {
  return a.sequence > b.sequence;
}

// Of several entries of one object in a queue that wants it once, the first registered stays: the
// last one in the list.
void DropRepeated(std::vector<Finalizers::Entry>& dead) {
  if (dead.size() < 2) return;
  absl::flat_hash_set<Word> seen;
  std::vector<bool> repeated(dead.size());
  for (size_t i = dead.size(); i-- > 0;) {
    repeated[i] = dead[i].state->once && !seen.insert(dead[i].object).second;
  }
  size_t kept = 0;
  for (size_t i = 0; i < dead.size(); ++i) {
    if (repeated[i]) continue;
    if (kept != i) dead[kept] = std::move(dead[i]);
    ++kept;
  }
  dead.resize(kept);
}

}  // namespace

void Finalizers::AddQueue(std::shared_ptr<FinalizerState> state) {
  std::lock_guard lock(mutex_);
  queues_.push_back(std::move(state));
}

void Finalizers::CloseQueue(const std::shared_ptr<FinalizerState>& state) {
  std::lock_guard lock(mutex_);
  state->closed = true;
  state->pending.clear();
  state->pending_count.store(0, std::memory_order_relaxed);
  std::erase(queues_, state);
  const auto of_queue = [&](const Entry& entry) { return entry.state == state; };
  std::erase_if(young_, of_queue);
  std::erase_if(old_, of_queue);
}

void Finalizers::Register(Object* object, std::shared_ptr<FinalizerState> state) {
  std::lock_guard lock(mutex_);
  young_.push_back({ToWord(object), ++registrations_, std::move(state)});
}

Word Finalizers::PopPending(FinalizerState& state) {
  std::lock_guard lock(mutex_);
  if (state.pending.empty()) return 0;
  const Word word = state.pending.front();
  state.pending.pop_front();
  state.pending_count.store(state.pending.size(), std::memory_order_relaxed);
  return word;
}

void Finalizers::QueueAll(const std::shared_ptr<FinalizerState>& state) {
  std::lock_guard lock(mutex_);
  std::vector<Entry> entries;
  for (std::vector<Entry>* list : {&young_, &old_}) {
    for (const Entry& entry : *list) {
      if (entry.state == state) entries.push_back(entry);
    }
    std::erase_if(*list, [&](const Entry& entry) { return entry.state == state; });
  }
  std::sort(entries.begin(), entries.end(), LatestFirst);
  DropRepeated(entries);
  for (const Entry& entry : entries) state->pending.push_back(entry.object);
  state->pending_count.store(state->pending.size(), std::memory_order_relaxed);
}

void Finalizers::VisitPending(Tracer& tracer) {
  std::lock_guard lock(mutex_);
  for (auto& state : queues_) {
    for (Word& word : state->pending) tracer.VisitSlot(&word);
  }
}

size_t Finalizers::QueueUnreachable(Which which, const std::function<bool(Word)>& is_live,
                                    const std::function<void(Word*)>& resurrect,
                                    const std::function<bool(Word*)>& refresh, size_t* kept) {
  std::lock_guard lock(mutex_);
  std::vector<Entry> candidates;
  if (which == Which::kAll) candidates.swap(old_);
  candidates.insert(candidates.end(), std::make_move_iterator(young_.begin()),
                    std::make_move_iterator(young_.end()));
  young_.clear();
  // First all verdicts, then the resurrections: one dead object may hold another.
  std::vector<Entry> dead;
  std::vector<Entry> alive;
  for (Entry& entry : candidates) {
    (is_live(entry.object) ? alive : dead).push_back(std::move(entry));
  }
  for (Entry& entry : alive) {
    const bool young = refresh(&entry.object);
    (young ? young_ : old_).push_back(std::move(entry));
  }
  if (which == Which::kYoung) {
    const auto waits = [](const Entry& entry) { return entry.state->only_at_majors; };
    const auto first = std::stable_partition(dead.begin(), dead.end(), std::not_fn(waits));
    for (auto entry = first; entry != dead.end(); ++entry) {
      resurrect(&entry->object);
      const bool young = refresh(&entry->object);
      (young ? young_ : old_).push_back(std::move(*entry));
    }
    *kept = static_cast<size_t>(dead.end() - first);
    dead.erase(first, dead.end());
  }
  std::sort(dead.begin(), dead.end(), LatestFirst);
  DropRepeated(dead);
  for (const Entry& entry : dead) {
    FinalizerState& state = *entry.state;
    state.pending.push_back(entry.object);
    state.pending_count.store(state.pending.size(), std::memory_order_relaxed);
    resurrect(&state.pending.back());
  }
  return dead.size();
}

// --- FinalizerQueue ------------------------------------------------------------------------------

FinalizerQueue::FinalizerQueue(Heap& heap, Function function, void* context)
    : heap_(heap), state_(std::make_shared<FinalizerState>()) {
  state_->function = function;
  state_->context = context;
  heap_.collector().finalizers().AddQueue(state_);
}

FinalizerQueue::~FinalizerQueue() { heap_.collector().finalizers().CloseQueue(state_); }

void FinalizerQueue::SetOnlyAtMajors(bool only) { state_->only_at_majors = only; }

void FinalizerQueue::SetOnce(bool once) { state_->once = once; }

void FinalizerQueue::Register(Mutator&, Object* object) {
  heap_.collector().finalizers().Register(object, state_);
}

size_t FinalizerQueue::pending() const {
  return state_->pending_count.load(std::memory_order_relaxed);
}

size_t FinalizerQueue::Run(Mutator& m, size_t max) {
  if (state_->running || pending() == 0) return 0;
  struct Running {
    bool& flag;
    explicit Running(bool& f) : flag(f) { flag = true; }
    ~Running() { flag = false; }
  } running(state_->running);
  size_t ran = 0;
  while (ran < max) {
    const Word word = heap_.collector().finalizers().PopPending(*state_);
    if (word == 0) break;
    HandleScope scope(m);
    ++ran;
    state_->function(m, scope.New(ToObject(word)), state_->context);
  }
  return ran;
}

void FinalizerQueue::QueueAll(Mutator&) { heap_.collector().finalizers().QueueAll(state_); }

}  // namespace neap::gc
