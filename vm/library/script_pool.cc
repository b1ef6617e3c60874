// SPDX-License-Identifier: MIT
//
// script_pool.h.
#include "library/script_pool.h"

#include <algorithm>
#include <utility>

#include "interpreter/debug_info.h"
#include "interpreter/function_code.h"

namespace neap::vm {
namespace {

constexpr char kPoolSetKey = 0;  // its address

uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

}  // namespace

// --- A pool --------------------------------------------------------------------------------------

ScriptPool::ScriptPool(State& state, PoolSet& set, Userdata* userdata, pool::WordOptions options)
    : userdata_(userdata) {
  options.managed = true;
  options.size_of = BytesOfItem;
  options.on_violation = [this](const pool::Violation& violation) { violation_ = violation; };
  if (!Function(PoolRole::kOnEvict).is_nil()) {
    options.on_evict = [this, &set](Word item) {
      if (userdata_ != nullptr) set.NoteEvicted(Function(PoolRole::kOnEvict).word(), item);
    };
  }
  if (options.checked) {
    options.fingerprint = [&state](Word item) { return FingerprintOf(state, item); };
    options.own_items_only = true;
  }
  words_ = std::make_unique<pool::WordPool>(state.heap(), std::move(options));
}

Value ScriptPool::Function(PoolRole role) const {
  auto* values = static_cast<gc::SlotArray*>(gc::ToObject(userdata_->user_values));
  return Value::FromWord(gc::LoadSlot(values->slots() + static_cast<int>(role)));
}

std::optional<pool::Violation> ScriptPool::TakeViolation() {
  return std::exchange(violation_, std::nullopt);
}

// --- All of a state ------------------------------------------------------------------------------

PoolSet& PoolSet::Of(State& state) {
  if (Attachment* set = state.FindAttachment(&kPoolSetKey)) return *static_cast<PoolSet*>(set);
  auto made = std::make_unique<PoolSet>(state);
  PoolSet& set = *made;
  state.Attach(&kPoolSetKey, std::move(made));
  return set;
}

PoolSet::PoolSet(State& state) : state_(state) { state_.heap().AddRootProvider(this); }

PoolSet::~PoolSet() {
  is_ending_ = true;
  while (!pools_.empty()) Remove(pools_.back().get());
  state_.heap().RemoveRootProvider(this);
}

ScriptPool* PoolSet::Add(Userdata* userdata, pool::WordOptions options) {
  pools_.push_back(std::make_unique<ScriptPool>(state_, *this, userdata, std::move(options)));
  pools_.back()->index = pools_.size() - 1;
  return pools_.back().get();
}

// The pool's destructor may still call on_evict, which needs the userdata.
void PoolSet::Remove(ScriptPool* pool) {
  if (Userdata* userdata = pool->userdata(); userdata != nullptr) {
    *static_cast<PoolHandle*>(userdata->payload()) = {};
  }
  const size_t index = pool->index;
  const std::unique_ptr<ScriptPool> removed = std::move(pools_[index]);
  if (index + 1 != pools_.size()) {
    pools_[index] = std::move(pools_.back());
    pools_[index]->index = index;
  }
  pools_.pop_back();
}

void PoolSet::NoteEvicted(Word function, Word item) {
  if (is_ending_) return;
  {
    std::lock_guard lock(mutex_);
    evicted_.push_back({function, item});
  }
  state_.RequestAttention();
}

bool PoolSet::TakeEvicted(Evicted* evicted) {
  std::lock_guard lock(mutex_);
  if (evicted_.empty()) return false;
  *evicted = evicted_.front();
  evicted_.pop_front();
  return true;
}

size_t PoolSet::CountEvicted() {
  std::lock_guard lock(mutex_);
  return evicted_.size();
}

// What is evicted meanwhile waits for the next poll: a function that puts its item back where it is
// refused would never end here.
void PoolSet::RunEvicted() {
  if (runs_evicted_) return;
  runs_evicted_ = true;
  Evicted evicted;
  for (size_t left = CountEvicted(); left > 0; --left) {
    if (state_.error_kind() == ErrorKind::kStop || !TakeEvicted(&evicted)) break;
    state_.CallDeferred(Value::FromWord(evicted.function), Value::FromWord(evicted.item),
                        "on_evict");
  }
  runs_evicted_ = false;
}

void PoolSet::AfterCycle(State& state) {
  for (size_t i = pools_.size(); i-- > 0;) {
    if (pools_[i]->userdata() == nullptr) Remove(pools_[i].get());
  }
  pool::DrainEvicted(state.mutator());
  RunEvicted();
}

void PoolSet::VisitRoots(gc::Tracer& tracer) {
  for (Evicted& evicted : evicted_) {
    tracer.VisitSlot(&evicted.function);
    tracer.VisitSlot(&evicted.item);
  }
}

pool::CallPlace PoolSet::PlaceOfCaller() {
  const Coroutine* co = state_.running();
  uint32_t index = 0;
  if (!FindFrame(co, 1, &index) || co->frames[index].code == nullptr) return {};
  const Frame& frame = co->frames[index];
  const std::string& name = *chunk_names_.insert(ShortSource(*frame.code)).first;
  return {name.c_str(), static_cast<uint32_t>(std::max<int64_t>(CurrentLine(frame), 0))};
}

// --- Items ---------------------------------------------------------------------------------------

size_t BytesOfItem(Word item) {
  gc::Object* object = gc::ToObject(item);
  const gc::TypeDescriptor& type = gc::GetType(object->type());
  size_t bytes = gc::ObjectBytes(object);
  if (type.off_heap_bytes != nullptr) bytes += type.off_heap_bytes(object);
  if (!IsTableType(object->type())) return bytes;
  auto* table = static_cast<Table*>(object);
  if (ArrayPart* array = table->array.get()) bytes += gc::ObjectBytes(array);
  if (table->fields == 0) return bytes;
  bytes += gc::ObjectBytes(gc::ToObject(table->fields));
  if (!table->is_dictionary()) return bytes;
  const Word index = table->dictionary()->index;
  return index == 0 ? bytes : bytes + gc::ObjectBytes(gc::ToObject(index));
}

// Weak tables change by themselves; what else there is has no content that can be looked at here.
uint64_t FingerprintOf(State& state, Word item) {
  if (!IsTable(Value::FromWord(item))) return 0;
  Table* table = AsTable(Value::FromWord(item));
  Objects& objects = state.objects();
  if (!state.MetamethodOf(table->metatable(), Event::kMode).is_nil()) return 0;
  uint64_t sum = 0;
  Value key;
  Value value;
  while (Next(objects, table, &key, &value) == NextResult::kFound) {
    const uint64_t pair = (uint64_t{objects.HashOf(key)} << 32) | objects.HashOf(value);
    sum += Mix(pair + 1);
  }
  if (Table* metatable = table->metatable()) sum ^= Mix(state.mutator().Hash(metatable));
  return sum;
}

}  // namespace neap::vm
