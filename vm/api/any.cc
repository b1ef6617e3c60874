// SPDX-License-Identifier: MIT
#include "neap/vm/any.h"

#include "core.h"
#include "interpreter/operations.h"
#include "objects/equality.h"
#include "text/concat.h"

namespace neap::lua {
namespace {

using vm::NativeCall;
using vm::NativeResult;
using vm::Value;

// What may run metamethods runs in one of these, protected.
NativeResult Index(NativeCall& call) {
  return call.ReturnIf(call.state().PushIndex(call.arg(1), call.arg(2)));
}
NativeResult SetIndex(NativeCall& call) {
  return call.ReturnIf(call.state().SetIndex(call.arg(1), call.arg(2), call.arg(3)), 0);
}
NativeResult LengthOf(NativeCall& call) {
  int64_t length = 0;
  const bool ok = call.state().LengthOf(call.arg(1), &length);
  return call.ReturnIf(ok && call.PushInteger(length));
}
NativeResult Display(NativeCall& call) {
  return call.ReturnIf(call.state().PushTostring(call.arg(1)));
}

Error Orphan(const char* what) {
  Error error;
  error.message = vm::Concat("attempt to ", what, " a nil value");
  return error;
}

}  // namespace

// --- Roots ---------------------------------------------------------------------------------------

Any::Any(Core* core, gc::Word word) : core_(core) {
  if (!Value::FromWord(word).is_object()) {
    word_ = word;
    return;
  }
  handle_ = gc::GlobalHandle(core_->mutator(), gc::ToObject(word));
  ++core_->values_;
}

Any::Any(const Any& other) : core_(other.core_), word_(other.word_) {
  if (other.handle_.get() == nullptr) return;
  core_->CheckThread();
  handle_ = gc::GlobalHandle(core_->mutator(), other.handle_.get());
  ++core_->values_;
}

Any::Any(Any&& other) noexcept
    : core_(other.core_),
      word_(std::exchange(other.word_, Value::kNil)),
      handle_(std::move(other.handle_)) {}

Any& Any::operator=(const Any& other) {
  if (this != &other) *this = Any(other);
  return *this;
}

Any& Any::operator=(Any&& other) noexcept {
  if (this == &other) return *this;
  Release();
  core_ = other.core_;
  word_ = std::exchange(other.word_, Value::kNil);
  handle_ = std::move(other.handle_);
  return *this;
}

Any::~Any() { Release(); }

void Any::Release() {
  if (handle_.get() == nullptr) return;
  core_->CheckThread();
  handle_.Reset();
  --core_->values_;
}

// --- What it is ----------------------------------------------------------------------------------

namespace {

Kind KindOf(Value v) {
  switch (vm::TypeOf(v)) {
    case vm::LuaType::kNil:
      return Kind::kNil;
    case vm::LuaType::kBoolean:
      return Kind::kBoolean;
    case vm::LuaType::kLightUserdata:
      return Kind::kPointer;
    case vm::LuaType::kNumber:
      return vm::IsInteger(v) ? Kind::kInteger : Kind::kFloat;
    case vm::LuaType::kString:
      return Kind::kString;
    case vm::LuaType::kTable:
      return Kind::kTable;
    case vm::LuaType::kFunction:
      return Kind::kFunction;
    case vm::LuaType::kUserdata:
      return Kind::kObject;
    case vm::LuaType::kThread:
      return Kind::kCoroutine;
  }
  return Kind::kNil;
}

}  // namespace

gc::Word Any::word() const {
  if (handle_.get() == nullptr) return word_;
  core_->CheckThread();
  return gc::ToWord(handle_.get());
}

Kind Any::kind() const { return KindOf(Value::FromWord(word())); }

bool Any::is_truthy() const { return Value::FromWord(word()).is_truthy(); }

const char* Any::type_name() const { return vm::TypeName(vm::TypeOf(Value::FromWord(word()))); }

std::optional<int64_t> Any::ToInteger() const {
  int64_t i = 0;
  if (!vm::State::ToIntegerStrict(Value::FromWord(word()), &i)) return std::nullopt;
  return i;
}

std::optional<double> Any::ToNumber() const {
  const Value v = Value::FromWord(word());
  if (!vm::IsNumber(v)) return std::nullopt;
  return vm::NumberOf(v);
}

std::optional<std::string> Any::ToText() const {
  const Value v = Value::FromWord(word());
  if (!vm::IsString(v)) return std::nullopt;
  return std::string(vm::AsString(v)->view());
}

void* Any::Object(const ObjectOps* ops) const {
  const Value v = Value::FromWord(word());
  if (!vm::IsUserdata(v) || vm::AsUserdata(v)->tag != reinterpret_cast<uint64_t>(ops)) {
    return nullptr;
  }
  return vm::AsUserdata(v)->payload();
}

bool Any::RawEquals(const Any& other) const {
  if (handle_.get() != nullptr && other.handle_.get() != nullptr) {
    NEAP_CHECK(core_ == other.core_, "E5: an Any is used with its own Vm");
  }
  return vm::RawEqual(Value::FromWord(word()), Value::FromWord(other.word()));
}

// --- As Lua would do -----------------------------------------------------------------------------

Result<std::string> Any::ToDisplay() const {
  if (core_ == nullptr) return std::string("nil");
  Work work(*core_, 3);
  const Input inputs[] = {*this};
  uint32_t first = 0;
  if (!work.ok() || !core_->RunNative(Display, inputs, &first)) return core_->TakeError();
  return std::string(vm::AsString(core_->state().at(first))->view());
}

Result<Any> Any::Get(const Input& key) const {
  if (core_ == nullptr) return Orphan("index");
  Work work(*core_, 4);
  if (!work.ok()) return core_->TakeError();
  vm::State& state = core_->state();
  if (!core_->Push(key)) return core_->TakeError();
  const vm::Lookup found = vm::FindIndex(state, core_->ValueOf(*this), state.FromTop(1));
  if (found.kind == vm::Lookup::kValue) return core_->Wrap(found.value);
  const Input inputs[] = {*this, key};
  uint32_t first = 0;
  if (!core_->RunNative(Index, inputs, &first)) return core_->TakeError();
  return core_->Wrap(state.at(first));
}

Result<void> Any::Set(const Input& key, const Input& value) const {
  if (core_ == nullptr) return Orphan("index");
  Work work(*core_, 5);
  const Input inputs[] = {*this, key, value};
  uint32_t first = 0;
  if (!work.ok() || !core_->RunNative(SetIndex, inputs, &first)) return core_->TakeError();
  return {};
}

Result<int64_t> Any::Length() const {
  if (core_ == nullptr) return Orphan("get length of");
  Work work(*core_, 3);
  const Input inputs[] = {*this};
  uint32_t first = 0;
  if (!work.ok() || !core_->RunNative(LengthOf, inputs, &first)) return core_->TakeError();
  return vm::IntegerOf(core_->state().at(first));
}

bool Any::Next(Any* key, Any* value) const {
  if (kind() != Kind::kTable) return false;
  core_->CheckUse();
  Value k = core_->ValueOf(*key);
  Value v;
  const auto* table = vm::AsTable(core_->ValueOf(*this));
  if (vm::Next(core_->state().objects(), table, &k, &v) != vm::NextResult::kFound) return false;
  *key = core_->Wrap(k);
  *value = core_->Wrap(v);
  return true;
}

Result<std::vector<Any>> Any::CallSpan(std::span<const Input> arguments) const {
  if (core_ == nullptr) return Orphan("call");
  Work work(*core_, arguments.size() + 2);
  if (!work.ok()) return core_->TakeError();
  vm::State& state = core_->state();
  core_->PushHandler();
  state.Push(core_->ValueOf(*this));
  const uint32_t first = work.first() + 1;
  if (!core_->PushAll(arguments) || !core_->CallTop(static_cast<int>(arguments.size()))) {
    return core_->TakeError();
  }
  std::vector<Any> results;
  for (uint32_t i = first; i < state.running()->frame().top; ++i) {
    results.push_back(core_->Wrap(state.at(i)));
  }
  return results;
}

std::string Error::ToString() const {
  return traceback.empty() ? message : vm::Concat(message, "\n", traceback);
}

}  // namespace neap::lua
