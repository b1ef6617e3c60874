// SPDX-License-Identifier: MIT
#include "core.h"

#include <utility>

#include "interpreter/debug_info.h"
#include "library/library.h"
#include "library/native_setup.h"
#include "neap/runtime/random_seed.h"
#include "text/concat.h"

namespace neap::lua {
namespace {

using vm::NativeCall;
using vm::NativeResult;
using vm::State;
using vm::Value;

// Message handler: notes where the error was raised, and leaves it as it is.
NativeResult NoteErrorPlace(NativeCall& call) {
  Core::Of(call.state())->NoteTraceback(call.state().running(), 1);
  call.Push(call.arg(1));
  return call.Return(1);
}

uint64_t SeedOf(const VmOptions& options) {
  return options.hash_seed ? *options.hash_seed : RandomSeed();
}

void Warn(State& state, std::string_view message, bool to_continue) {
  const Core* core = Core::Of(state);
  if (core->warn) core->warn(message, to_continue);
}

bool FreeObjects(void* context, uint64_t, uint64_t) {
  return static_cast<Core*>(context)->DestroyPending();
}

ErrorKind KindOf(vm::ErrorKind kind) {
  switch (kind) {
    case vm::ErrorKind::kMemory:
      return ErrorKind::kMemory;
    case vm::ErrorKind::kStop:
      return ErrorKind::kStop;
    default:
      return ErrorKind::kScript;
  }
}

}  // namespace

Core::Core(std::unique_ptr<gc::Heap> own_heap, gc::Heap* heap, gc::Mutator* mutator,
           const VmOptions& options)
    : warn(options.warn), own_heap_(std::move(own_heap)) {
  if (mutator == nullptr) {
    own_mutator_ = std::make_unique<gc::Mutator>(own_heap_ != nullptr ? *own_heap_ : *heap);
    mutator = own_mutator_.get();
  }
  state_ = std::make_unique<State>(*mutator, vm::StateOptions{.hash_seed = SeedOf(options)});
  destroyer_ = std::make_unique<gc::FinalizerQueue>(mutator->heap(), Destroy, this);
  state_->host = this;
  state_->host_finalizers = destroyer_.get();
  state_->note_error = NoteError;
  state_->warn = Warn;
  if (own_heap_ != nullptr) own_heap_->SetOutOfMemoryFunction(FreeObjects, this);
  vm::NativeClosure* handler = vm::NewNativeClosure(*state_, NoteErrorPlace);
  NEAP_CHECK(handler != nullptr, "V1: there is memory for the Vm's own functions");
  handler_ = gc::GlobalHandle(*mutator, handler);
  OpenLibraries(options.libraries);
  state_->SetInstructionBudget(options.instruction_budget);
  state_->SetAllocationBudget(options.allocation_budget);
}

void Core::OpenLibraries(Libraries libraries) {
  if (libraries == Libraries::kNone) return;
  const auto set = libraries == Libraries::kAll ? vm::LibrarySet::kAll : vm::LibrarySet::kSandbox;
  NEAP_CHECK(vm::OpenLibraries(*state_, set), "V1: there is memory for the libraries");
}

Core::~Core() {
  CheckUse();
  CheckIdle();
  state_->Close();
  destroyer_->QueueAll(mutator());
  DestroyPending();
  types_.clear();
  handler_.Reset();
  NEAP_CHECK(values_ == 0, "E3: every Any is destroyed before its Vm", "values=%llu",
             static_cast<unsigned long long>(values_));
  if (own_heap_ != nullptr) own_heap_->SetOutOfMemoryFunction(nullptr, nullptr);
  state_->host_finalizers = nullptr;
  destroyer_.reset();
  state_.reset();
  own_mutator_.reset();
}

// --- Values --------------------------------------------------------------------------------------

Any Core::Wrap(Value v) { return Any(this, v.word()); }

Value Core::ValueOf(const Any& any) const {
  if (any.handle_.get() == nullptr) return Value::FromWord(any.word_);
  NEAP_CHECK(any.core_ == this, "E5: an Any is used with its own Vm");
  return Value::FromObject(any.handle_.get());
}

namespace {

// Pushes what an Input holds.
struct Pusher {
  Core& core;
  State& state;

  bool operator()(std::monostate) const { return PushValue(Value::Nil()); }
  bool operator()(bool b) const { return PushValue(Value::Boolean(b)); }
  bool operator()(int64_t i) const { return NativeCall(state).PushInteger(i); }
  bool operator()(double d) const { return PushValue(Value::Double(d)); }
  bool operator()(std::string_view text) const { return NativeCall(state).PushString(text); }
  bool operator()(const Any* any) const { return PushValue(core.ValueOf(*any)); }
  bool PushValue(Value v) const {
    state.Push(v);
    return true;
  }
};

}  // namespace

bool Core::Push(const Input& input) { return std::visit(Pusher{*this, *state_}, input.content()); }

bool Core::PushAll(std::span<const Input> inputs) {
  for (const Input& input : inputs) {
    if (!Push(input)) return false;
  }
  return true;
}

// --- Calls and errors ----------------------------------------------------------------------------

bool Core::CallTop(int arguments) {
  const uint32_t top = state_->running()->frame().top;
  const uint32_t function = top - static_cast<uint32_t>(arguments) - 1;
  if (state_->error_kind() != vm::ErrorKind::kStop) state_->ClearError();
  if (state_->ProtectedCall(arguments, -1, function - 1)) return true;
  // A caught error stands in the place of the function; one that was not is still the state's.
  if (state_->error_kind() == vm::ErrorKind::kNone) {
    state_->Recall(state_->FromTop(1));
  }
  return false;
}

bool Core::RunNative(vm::NativeFunction function, std::span<const Input> inputs, uint32_t* first) {
  PushHandler();
  *first = state_->running()->frame().top;
  return vm::PushClosure(*state_, function, 0) && PushAll(inputs) &&
         CallTop(static_cast<int>(inputs.size()));
}

Error Core::TakeError() {
  const vm::ErrorKind kind = state_->error_kind();
  Error error = MakeError(state_->error(), kind);
  if (kind != vm::ErrorKind::kStop || is_idle()) state_->ClearError();
  return error;
}

Error Core::MakeError(Value value, vm::ErrorKind kind) {
  Error error;
  error.kind = KindOf(kind);
  error.message =
      vm::IsString(value) || vm::IsNumber(value)
          ? State::TextOf(value)
          : vm::Concat("(error object is a ", vm::TypeName(vm::TypeOf(value)), " value)");
  error.traceback = TakeTraceback();
  error.value = Wrap(value);
  return error;
}

bool Core::Throw(const Error& error) {
  const Value value = ValueOf(error.value);
  if (!value.is_nil() || error.message.empty()) return state_->Throw(value);
  return state_->ThrowText(error.message);
}

void Core::NoteTraceback(const vm::Coroutine* co, int64_t level) {
  traceback_ = vm::Traceback(*state_, co, nullptr, level);
}

// Whether our handler, if it were called, would be.
bool Core::HandlesNextError() const {
  const vm::Coroutine* co = state_->running();
  for (uint32_t i = co->frame_count; i-- > 0;) {
    const vm::Frame& frame = co->frames[i];
    if ((frame.flags & vm::kFrameProtected) == 0) continue;
    return (frame.flags & vm::kFrameHandler) != 0 &&
           gc::ToObject(co->stack[frame.base]) == handler_.get();
  }
  return false;
}

void Core::NoteError(State& state, vm::ErrorKind kind) {
  Core* core = Of(state);
  if (kind == vm::ErrorKind::kStop || core->HandlesNextError()) {
    core->NoteTraceback(state.running(), 0);
  }
}

// --- Objects -------------------------------------------------------------------------------------

void Core::Destroy(gc::Mutator&, gc::Handle<gc::Object> object, void* context) {
  auto* core = static_cast<Core*>(context);
  auto* userdata = static_cast<vm::Userdata*>(object.get());
  const auto* ops = reinterpret_cast<const ObjectOps*>(std::exchange(userdata->tag, 0));
  if (ops == nullptr) return;
  const bool outer = std::exchange(core->in_destructor_, true);
  ops->destroy(userdata->payload());
  core->in_destructor_ = outer;
  const auto held = static_cast<int64_t>(std::exchange(userdata->off_heap_bytes, 0));
  if (held != 0) core->mutator().OffHeapChanged(userdata, -held);
}

bool Core::DestroyPending() { return destroyer_->Run(mutator()) > 0; }

Core::TypeRecord* Core::FindType(const ObjectOps* ops) {
  const auto found = types_.find(ops);
  return found == types_.end() ? nullptr : &found->second;
}

void Core::Adopt(vm::Userdata* userdata, const ObjectOps* ops) {
  userdata->tag = reinterpret_cast<uint64_t>(ops);
  if (const TypeRecord* type = FindType(ops)) {
    mutator().Store(userdata, userdata->metatable.slot(), type->metatable.get());
  }
  destroyer_->Register(mutator(), userdata);
  Measure(userdata);
}

void Core::Measure(vm::Userdata* userdata) {
  const TypeRecord* type = FindType(reinterpret_cast<const ObjectOps*>(userdata->tag));
  if (type == nullptr || !type->bytes) return;
  const bool outer = std::exchange(in_destructor_, true);
  const uint64_t bytes = type->bytes(userdata->payload());
  in_destructor_ = outer;
  const uint64_t before = std::exchange(userdata->off_heap_bytes, bytes);
  if (bytes != before) mutator().OffHeapChanged(userdata, static_cast<int64_t>(bytes - before));
}

}  // namespace neap::lua
