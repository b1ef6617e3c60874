// SPDX-License-Identifier: MIT
#include "neap/vm/vm.h"

#include <algorithm>

#include "core.h"
#include "interpreter/userdata_maker.h"
#include "library/native_setup.h"
#include "text/concat.h"

namespace neap::lua {

using vm::State;
using vm::Value;

// --- Beginning and end ---------------------------------------------------------------------------

absl::StatusOr<std::unique_ptr<Vm>> Vm::Create(VmOptions options) {
  absl::StatusOr<std::unique_ptr<gc::Heap>> heap = gc::Heap::Create(options.heap);
  if (!heap.ok()) return heap.status();
  return std::unique_ptr<Vm>(
      new Vm(std::make_unique<Core>(std::move(*heap), nullptr, nullptr, options)));
}

Vm::Vm(std::unique_ptr<Core> core) : core_(std::move(core)) { core_->vm = this; }

Vm::Vm(VmOptions options)
    : Vm(std::make_unique<Core>(std::make_unique<gc::Heap>(options.heap), nullptr, nullptr,
                                options)) {}

Vm::Vm(gc::Heap& heap, VmOptions options)
    : Vm(std::make_unique<Core>(nullptr, &heap, nullptr, options)) {}

Vm::Vm(gc::Mutator& mutator, VmOptions options)
    : Vm(std::make_unique<Core>(nullptr, nullptr, &mutator, options)) {}

Vm::~Vm() = default;

gc::Heap& Vm::heap() { return core_->heap(); }
gc::Mutator& Vm::mutator() { return core_->mutator(); }

// --- Running -------------------------------------------------------------------------------------

Result<Any> Vm::Load(std::string_view chunk, const std::string& name, ChunkKind kind) {
  constexpr const char* kModes[] = {"t", "b", "bt"};
  Work work(*core_, 1);
  if (!work.ok()) return core_->TakeError();
  if (core_->state().Load(chunk, name, kModes[static_cast<int>(kind)])) {
    return core_->Wrap(core_->state().FromTop(1));
  }
  Error error = core_->TakeError();
  if (error.kind == ErrorKind::kScript) error.kind = ErrorKind::kSyntax;
  return error;
}

Result<Any> Vm::Run(std::string_view chunk, const std::string& name) {
  Result<Any> function = Load(chunk, name);
  return function.ok() ? function->Call() : std::move(function);
}

// --- Values --------------------------------------------------------------------------------------

Any Vm::globals() {
  core_->CheckUse();
  return core_->Wrap(core_->state().globals_value());
}

Result<Any> Vm::Get(std::string_view name) { return globals().Get(name); }

Result<void> Vm::Set(std::string_view name, const Input& value) {
  return globals().Set(name, value);
}

Result<Any> Vm::Make(const Input& value) {
  Work work(*core_, 1);
  if (!work.ok() || !core_->Push(value)) return core_->TakeError();
  return core_->Wrap(core_->state().FromTop(1));
}

Result<Any> Vm::NewTable(int fields) {
  Work work(*core_, 1);
  if (!work.ok()) return core_->TakeError();
  vm::Table* table = core_->state().objects().NewTable(std::clamp(fields, 0, vm::kMaxInlineFields));
  if (table == nullptr) {
    (void)core_->state().MemoryError();
    return core_->TakeError();
  }
  return core_->Wrap(Value::FromObject(table));
}

// --- Types ---------------------------------------------------------------------------------------

namespace {

// Calls the method, then asks how large the object has become.
Native Measured(const Native& method) {
  return [method](Call& call) { return method(call) && call.Measure(1); };
}

// Pushes the table of methods, or of metamethods.
bool PushFunctions(Core& core, const TypeDescription& type,
                   const std::vector<TypeDescription::Function>& functions) {
  if (!vm::PushNewTable(core.state())) return false;
  for (const TypeDescription::Function& function : functions) {
    if (!core.PushNative(type.bytes ? Measured(function.native) : function.native) ||
        !vm::SetFieldFromTop(core.state(), function.name)) {
      return false;
    }
  }
  return true;
}

bool PushMetatable(Core& core, const TypeDescription& type) {
  State& state = core.state();
  if (!PushFunctions(core, type, type.metamethods)) return false;
  if (!vm::SetTextField(state, "__name", type.name) ||
      !vm::SetTextField(state, "__metatable", type.name)) {
    return false;
  }
  const auto is_index = [](const auto& f) { return f.name == "__index"; };
  if (std::any_of(type.metamethods.begin(), type.metamethods.end(), is_index)) return true;
  return PushFunctions(core, type, type.methods) && vm::SetFieldFromTop(state, "__index");
}

}  // namespace

Result<void> Vm::DefineType(const TypeDescription& type) {
  Work work(*core_, 8);
  if (!work.ok() || !PushMetatable(*core_, type)) return core_->TakeError();
  Core::TypeRecord& record = core_->types(type.ops);
  record.metatable = gc::GlobalHandle(core_->mutator(), core_->state().FromTop(1).object());
  record.name = type.name;
  record.bytes = type.bytes;
  return {};
}

Result<Any> Vm::AllocateObject(const ObjectOps* ops, void** memory) {
  Work work(*core_, 1);
  if (!work.ok()) return core_->TakeError();
  if (core_->FindType(ops) == nullptr) {
    return Error{.message = "the type of the object is not defined (Vm::Define)"};
  }
  vm::Userdata* userdata = vm::NewUserdata(core_->state(), ops->bytes, 0);
  if (userdata == nullptr) {
    (void)core_->state().MemoryError();
    return core_->TakeError();
  }
  *memory = userdata->payload();
  return core_->Wrap(Value::FromObject(userdata));
}

Result<Any> Vm::AdoptObject(const ObjectOps* ops, Any object) {
  Work work(*core_, 0);
  core_->Adopt(vm::AsUserdata(core_->ValueOf(object)), ops);
  if (core_->heap().HasRoom(core_->mutator())) return object;
  (void)core_->state().MemoryError();
  return core_->TakeError();
}

// --- Budgets -------------------------------------------------------------------------------------

void Vm::SetInstructionBudget(uint64_t instructions) {
  core_->CheckUse();
  core_->state().SetInstructionBudget(instructions);
}

void Vm::SetAllocationBudget(uint64_t bytes) {
  core_->CheckUse();
  core_->state().SetAllocationBudget(bytes);
}

uint64_t Vm::instruction_budget() const {
  core_->CheckUse();
  return core_->state().instruction_budget();
}

uint64_t Vm::allocation_budget() const {
  core_->CheckUse();
  return core_->state().allocation_budget();
}

void Vm::Interrupt() { core_->state().Interrupt(); }

void Vm::ForgetInterrupt() { core_->state().ForgetInterrupt(); }

// --- Collecting ----------------------------------------------------------------------------------

bool Vm::Idle(uint64_t deadline_ns) {
  core_->CheckUse();
  core_->CheckIdle();
  const bool done = core_->heap().Idle(core_->mutator(), deadline_ns);
  core_->state().RunFinalizers();
  core_->state().ClearError();
  return done && core_->state().finalizers().pending() == 0;
}

void Vm::Collect() {
  core_->CheckUse();
  core_->CheckIdle();
  core_->heap().Collect(core_->mutator());
  core_->state().RunFinalizers();
  core_->state().ClearError();
}

}  // namespace neap::lua
