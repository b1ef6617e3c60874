// SPDX-License-Identifier: MIT
//
// Functions of the host. One is a native closure over a userdata that holds the std::function; the
// destroyer of objects takes care of it like of any other (core.cc).
#include <exception>

#include "core.h"
#include "interpreter/userdata_maker.h"
#include "library/native_setup.h"

namespace neap::lua {
namespace {

using vm::NativeCall;
using vm::NativeResult;
using vm::State;
using vm::Value;

NativeResult Trampoline(NativeCall& call) { return Core::Of(call.state())->RunHostFunction(call); }

NativeCall& CallOf(void* native_call) { return *static_cast<NativeCall*>(native_call); }

}  // namespace

bool Core::PushNative(Native native) {
  vm::Userdata* userdata = vm::NewUserdata(*state_, sizeof(Native), 0);
  if (userdata == nullptr) return state_->MemoryError();
  new (userdata->payload()) Native(std::move(native));
  Adopt(userdata, &kObjectOps<Native>);
  state_->Push(Value::FromObject(userdata));
  return vm::PushClosure(*state_, Trampoline, 1);
}

NativeResult Core::RunHostFunction(NativeCall& native_call) {
  vm::Userdata* userdata = vm::AsUserdata(native_call.upvalue(1));
  if (userdata->tag == 0) {
    return native_call.ReturnIf(native_call.Error("attempt to call a destroyed function"));
  }
  Native& function = *static_cast<Native*>(userdata->payload());  // does not move
  Call call(this, &native_call);
  bool ok = false;
  try {
    ok = function(call);
  } catch (const std::exception& exception) {
    ok = call.Fail(exception.what());
  } catch (...) {
    ok = call.Fail("exception of a native function");
  }
  if (state_->error_kind() == vm::ErrorKind::kStop) return native_call.Failed();
  if (ok) return native_call.Return(native_call.pushed());
  NEAP_CHECK(state_->error_kind() != vm::ErrorKind::kNone,
             "E7: a native function that returns false has set an error");
  return native_call.Failed();
}

Result<Any> Vm::NewNative(Native function) {
  Work work(*core_, 2);
  if (!work.ok() || !core_->PushNative(std::move(function))) return core_->TakeError();
  return core_->Wrap(core_->state().FromTop(1));
}

// --- Call ----------------------------------------------------------------------------------------

Vm& Call::vm() { return *core_->vm; }

int Call::count() const { return CallOf(native_call_).count(); }

Any Call::Get(int i) const { return core_->Wrap(CallOf(native_call_).arg(i)); }

bool Call::is_none_or_nil(int i) const { return CallOf(native_call_).is_none_or_nil(i); }

bool Call::Read(int i, bool* value) {
  *value = CallOf(native_call_).arg(i).is_truthy();
  return true;
}

bool Call::Read(int i, int64_t* value) { return CallOf(native_call_).CheckInteger(i, value); }

bool Call::Read(int i, double* value) { return CallOf(native_call_).CheckNumber(i, value); }

bool Call::Read(int i, std::string* value) {
  vm::String* text = nullptr;
  if (!CallOf(native_call_).CheckString(i, &text)) return false;
  *value = text->view();
  return true;
}

bool Call::Read(int i, Any* value) {
  if (!CallOf(native_call_).CheckAny(i)) return false;
  *value = Get(i);
  return true;
}

void* Call::Object(int i, const ObjectOps* ops) {
  NativeCall& call = CallOf(native_call_);
  const Core::TypeRecord* type = core_->FindType(ops);
  const char* name = type != nullptr ? type->name.c_str() : "object";
  const Value v = call.arg(i);
  if (type != nullptr && vm::IsUserdata(v) && vm::AsUserdata(v)->tag == 0 &&
      vm::AsUserdata(v)->metatable.get() == type->metatable.get()) {
    (void)call.ArgumentError(i, "the object is destroyed");
    return nullptr;
  }
  void* payload = nullptr;
  return call.CheckUserdata(i, ops, name, &payload) ? payload : nullptr;
}

bool Call::Push(const Input& result) {
  return core_->state().EnsureSlots(vm::kNativeSlots) && core_->Push(result);
}

bool Call::Fail(std::string_view message) { return CallOf(native_call_).Error(message); }

bool Call::Fail(const Error& error) {
  // A message of the host's own gets a position, an error of a script has one.
  if (error.value.is_nil() && !error.message.empty()) return Fail(error.message);
  return core_->Throw(error);
}

bool Call::FailArgument(int i, std::string_view message) {
  return CallOf(native_call_).ArgumentError(i, message);
}

bool Call::Measure(int i) {
  const Value v = CallOf(native_call_).arg(i);
  if (!vm::IsUserdata(v)) return true;
  vm::Userdata* userdata = vm::AsUserdata(v);
  const uint64_t before = userdata->off_heap_bytes;
  core_->Measure(userdata);
  if (userdata->off_heap_bytes <= before) return true;
  return core_->heap().HasRoom(core_->mutator()) || core_->state().MemoryError();
}

}  // namespace neap::lua
