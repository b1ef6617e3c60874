// SPDX-License-Identifier: MIT
//
// sync.pool: the native pool for scripts. What pools do is said in neap/pool/pool.h, what each
// function and option does in vm/library/meta/sync.lua, who keeps what alive in script_pool.h.
//
// Functions of the script are called by CallThen: they may yield, and they may use the pool, whose
// own operations are over or not begun when they run. An error in `new` leaves the pool as it was;
// after one in `reset` or `is_clean` the object is not in the pool.
#include <string>

#include "interpreter/native_call.h"
#include "interpreter/userdata_maker.h"
#include "library/library.h"
#include "library/native_setup.h"
#include "library/off_heap.h"
#include "library/pool_options.h"
#include "library/script_pool.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

constexpr const char* kPoolTypeName = "sync.pool";  // in the registry: the metatable

// States of a call that is entered again (NativeCall::CallThen).
enum Then : uint32_t { kStart, kMade, kWasReset, kWasChecked };

// --- Checks --------------------------------------------------------------------------------------

bool CheckPool(NativeCall& call, ScriptPool** pool) {
  void* payload = nullptr;
  if (!call.CheckUserdata(1, &kPoolTag, kPoolTypeName, &payload)) return false;
  *pool = static_cast<PoolHandle*>(payload)->pool;
  return *pool != nullptr || call.Error("the pool is gone: it was finalized");
}

std::string Named(const ScriptPool& pool) { return Concat("pool '", pool.name(), "'"); }

std::string PlaceText(const pool::CallPlace& place) {
  if (place.line() == 0) return "an unknown place";
  return Concat(place.file_name(), ":", static_cast<int64_t>(place.line()));
}

std::string ViolationText(const ScriptPool& pool, const pool::Violation& violation) {
  std::string text = Concat(Named(pool), ": object ", static_cast<int64_t>(violation.object),
                            " was ", pool::ViolationName(violation.kind));
  if (violation.get.line() != 0) text += Concat("; last got at ", PlaceText(violation.get));
  if (violation.put.line() != 0) text += Concat("; last put at ", PlaceText(violation.put));
  return text;
}

// False: the operation found something wrong; the error is set.
bool CheckFound(NativeCall& call, ScriptPool& pool) {
  const std::optional<pool::Violation> violation = pool.TakeViolation();
  return !violation || call.Error(ViolationText(pool, *violation));
}

// Checked mode only: it costs a walk of the frame.
pool::CallPlace PlaceOf(NativeCall& call, const ScriptPool& pool) {
  if (!const_cast<ScriptPool&>(pool).words().checked()) return {};
  return PoolSet::Of(call.state()).PlaceOfCaller();
}

// What `new` returned is on top.
bool CheckMade(NativeCall& call, ScriptPool& pool) {
  if (!IsPoolable(call.top())) {
    return call.Error(Concat(Named(pool), ": 'new' returned a ",
                             call.state().TypeNameOf(call.top()),
                             " value, an object was expected"));
  }
  pool.words().NoteMade(call.mutator(), call.top().word(), PlaceOf(call, pool));
  return true;
}

NativeResult CallNew(NativeCall& call, ScriptPool& pool) {
  call.Push(pool.Function(PoolRole::kNew));
  return call.CallThen(0, 1, kMade);
}

void Park(NativeCall& call, ScriptPool& pool, Value item) {
  pool.words().Put(call.mutator(), item.word(), PlaceOf(call, pool));
}

// --- get and put ---------------------------------------------------------------------------------

NativeResult CallOnItem(NativeCall& call, ScriptPool& pool, PoolRole role, int32_t wanted,
                        Then then) {
  call.Push(pool.Function(role));
  call.Push(call.arg(2));
  return call.CallThen(1, wanted, then);
}

bool CheckPutArgument(NativeCall& call, ScriptPool& pool) {
  if (!IsPoolable(call.arg(2))) {
    return call.TypeError(2, "object (table, userdata, function or thread)");
  }
  const std::optional<pool::Violation> violation =
      pool.words().FindBadPut(call.mutator(), call.arg(2).word(), PlaceOf(call, pool));
  return !violation || call.Error(ViolationText(pool, *violation));
}

// The steps of a Put from `step` on, each of which may call a function of the script.
NativeResult GoOnPutting(NativeCall& call, ScriptPool& pool, Then step) {
  const bool is_open = !pool.words().closed();
  if (step == kStart && is_open && !pool.Function(PoolRole::kReset).is_nil()) {
    return CallOnItem(call, pool, PoolRole::kReset, 0, kWasReset);
  }
  if (step != kWasChecked && is_open && !pool.Function(PoolRole::kIsClean).is_nil()) {
    return CallOnItem(call, pool, PoolRole::kIsClean, 1, kWasChecked);
  }
  if (step == kWasChecked && call.top().is_falsy()) {
    pool::Violation violation{.kind = pool::Violation::Kind::kDirtyPut,
                              .object = call.state().IdentityOf(call.arg(2)),
                              .here = PlaceOf(call, pool)};
    return call.ReturnIf(call.Error(ViolationText(pool, violation)));
  }
  Park(call, pool, call.arg(2));
  return call.ReturnIf(CheckFound(call, pool), 0);
}

// --- The other methods ---------------------------------------------------------------------------

// Argument 2: how many are still to be made.
NativeResult GoOnPrewarming(NativeCall& call, ScriptPool& pool) {
  int64_t left = call.arg(2).inline_integer();
  if (call.entry_state() == kMade) {
    if (!CheckMade(call, pool)) return call.Failed();
    Park(call, pool, call.top());
    call.Pop();
    if (!CheckFound(call, pool)) return call.Failed();
    call.set_arg(2, Value::InlineInteger(--left));
  }
  if (left == 0 || pool.words().closed()) return call.ReturnValue(call.arg(1));
  return CallNew(call, pool);
}

NativeResult PoolPrewarm(NativeCall& call) {
  ScriptPool* pool = nullptr;
  if (!CheckPool(call, &pool)) return call.Failed();
  if (call.entry_state() != kStart) return GoOnPrewarming(call, *pool);
  int64_t count = 0;
  if (!call.CheckInteger(2, &count)) return call.Failed();
  if (count < 0 || count > INT32_MAX) {
    return call.ReturnIf(call.ArgumentError(2, "count out of range"));
  }
  if (pool->Function(PoolRole::kNew).is_nil()) {
    return call.ReturnIf(call.Error(Concat(Named(*pool), ": prewarm needs the option 'new'")));
  }
  call.SetCount(2);
  call.set_arg(2, Value::InlineInteger(count));
  return GoOnPrewarming(call, *pool);
}

NativeResult PoolStats(NativeCall& call) {
  ScriptPool* pool = nullptr;
  if (!CheckPool(call, &pool)) return call.Failed();
  const pool::Metrics metrics = pool->words().Snapshot();
  bool ok = PushNewTable(call.state());
#define NEAP_SET_METRIC(field, sentence) \
  ok = ok && SetIntegerField(call.state(), #field, static_cast<int64_t>(metrics.field));
  NEAP_POOL_METRICS(NEAP_SET_METRIC)
#undef NEAP_SET_METRIC
  return call.ReturnIf(ok);
}

// Rows {object = number, place = "file:line", dead = boolean}.
NativeResult PoolUnreturned(NativeCall& call) {
  ScriptPool* pool = nullptr;
  if (!CheckPool(call, &pool)) return call.Failed();
  if (!pool->words().checked()) {
    return call.ReturnIf(
        call.Error(Concat(Named(*pool), ": unreturned needs the option 'checked'")));
  }
  State& state = call.state();
  if (!PushNewTable(state)) return call.Failed();
  int64_t row = 0;
  for (const pool::Unreturned& item : pool->words().FindUnreturned(call.mutator())) {
    if (!PushNewTable(state) ||
        !SetIntegerField(state, "object", static_cast<int64_t>(item.object)) ||
        !SetTextField(state, "place", PlaceText(item.get)) ||
        !SetBooleanField(state, "dead", item.dead)) {
      return call.Failed();
    }
    if (!RawSetInteger(call.objects(), AsTable(call.top(2)), ++row, call.top())) {
      return call.ReturnIf(state.MemoryError());
    }
    call.Pop();
  }
  return call.Return(1);
}

// True when this call closed it.
NativeResult PoolClose(NativeCall& call) {
  ScriptPool* pool = nullptr;
  if (!CheckPool(call, &pool)) return call.Failed();
  const bool closed = pool->words().Close(call.mutator()).ok();
  PoolSet::Of(call.state()).RunEvicted();
  if (call.state().error_kind() == ErrorKind::kStop) return call.Failed();
  return call.ReturnValue(Value::Boolean(closed));
}

NativeResult PoolIsClosed(NativeCall& call) {
  ScriptPool* pool = nullptr;
  if (!CheckPool(call, &pool)) return call.Failed();
  return call.ReturnValue(Value::Boolean(pool->words().closed()));
}

NativeResult PoolToString(NativeCall& call) {
  ScriptPool* pool = nullptr;
  if (!CheckPool(call, &pool)) return call.Failed();
  std::string text = Concat(kPoolTypeName, " (", pool->name(), ")");
  State::AppendAddress(call.state().IdentityOf(call.arg(1)), &text);
  return call.ReturnIf(call.PushString(text));
}

NativeResult PoolCollected(NativeCall& call) {
  void* payload = nullptr;
  if (!call.CheckUserdata(1, &kPoolTag, kPoolTypeName, &payload)) return call.Failed();
  ScriptPool* pool = static_cast<PoolHandle*>(payload)->pool;
  PoolSet& set = PoolSet::Of(call.state());
  if (pool != nullptr) set.Remove(pool);
  set.RunEvicted();
  return call.state().error_kind() == ErrorKind::kStop ? call.Failed() : call.Return(0);
}

// --- Making --------------------------------------------------------------------------------------

void Orphan(void* payload) {
  ScriptPool* pool = static_cast<PoolHandle*>(payload)->pool;
  if (pool != nullptr) pool->Orphan();
}

// Pushes the userdata of a pool that is not there yet, with the functions of the options.
bool PushHandle(NativeCall& call) {
  State& state = call.state();
  Userdata* userdata = NewUserdata(state, sizeof(PoolHandle), kPoolRoles);
  if (userdata == nullptr) return state.MemoryError();
  call.Push(Value::FromObject(userdata));
  userdata->tag = reinterpret_cast<uint64_t>(&kPoolTag);
  const Value metatable = RawField(state, state.registry(), kPoolTypeName);
  call.mutator().Store(userdata, userdata->metatable.slot(), metatable.word());
  auto* functions = static_cast<gc::SlotArray*>(gc::ToObject(userdata->user_values));
  for (int role = 0; role < kPoolRoles; ++role) {
    call.mutator().Store(functions, static_cast<uint64_t>(role),
                         PoolFunctionOption(call, static_cast<PoolRole>(role)).word());
  }
  return true;
}

void Connect(State& state, Userdata* userdata, pool::WordOptions options) {
  ScriptPool* pool = PoolSet::Of(state).Add(userdata, std::move(options));
  auto* handle = static_cast<PoolHandle*>(userdata->payload());
  handle->pool = pool;
  handle->words = &pool->words();
  const bool is_plain = pool->Function(PoolRole::kReset).is_nil() && !pool->words().checked();
  handle->put_here = is_plain ? handle->words : nullptr;
  userdata->drop = Orphan;
  NoteOffHeap(state, userdata, ScriptPool::Bytes());
  state.RegisterFinalizer(userdata);
}

NativeResult NewPool(NativeCall& call) {
  ScriptPool* pool = nullptr;
  if (call.entry_state() != kStart) {
    return CheckPool(call, &pool) ? GoOnPrewarming(call, *pool) : call.Failed();
  }
  PoolSettings settings;
  if (!ReadPoolOptions(call, &settings)) return call.Failed();
  if (call.state().is_closing()) {
    return call.ReturnIf(call.Error("a state that closes makes no pools"));
  }
  if (!PushHandle(call)) return call.Failed();
  Connect(call.state(), AsUserdata(call.top()), std::move(settings.words));
  if (settings.prewarm == 0) return call.Return(1);
  const Value made = call.top();
  call.Pop();
  call.SetCount(2);
  call.set_arg(1, made);
  call.set_arg(2, Value::InlineInteger(static_cast<int64_t>(settings.prewarm)));
  if (!CheckPool(call, &pool)) return call.Failed();
  return GoOnPrewarming(call, *pool);
}

constexpr NativeEntry kFunctions[] = {{"pool", NewPool}, {nullptr, nullptr}};
constexpr NativeEntry kMethods[] = {
    {"close", PoolClose},           {"closed", PoolIsClosed}, {"get", PoolGet},
    {"prewarm", PoolPrewarm},       {"put", PoolPut},         {"stats", PoolStats},
    {"unreturned", PoolUnreturned}, {nullptr, nullptr},
};
constexpr NativeEntry kMetamethods[] = {
    {"__gc", PoolCollected},
    {"__close", PoolClose},
    {"__tostring", PoolToString},
    {nullptr, nullptr},
};

}  // namespace

NativeResult PoolGet(NativeCall& call) {
  ScriptPool* pool = nullptr;
  if (!CheckPool(call, &pool)) return call.Failed();
  if (call.entry_state() == kMade) return call.ReturnIf(CheckMade(call, *pool));
  if (pool->words().closed()) return call.ReturnIf(call.Error(Concat(Named(*pool), " is closed")));
  const Word item = pool->words().Take(call.mutator(), PlaceOf(call, *pool));
  if (item != 0) {
    call.Push(Value::FromWord(item));
    return call.ReturnIf(CheckFound(call, *pool));
  }
  if (pool->Function(PoolRole::kNew).is_nil()) return call.ReturnValue(Value::Nil());
  return CallNew(call, *pool);
}

NativeResult PoolPut(NativeCall& call) {
  ScriptPool* pool = nullptr;
  if (!CheckPool(call, &pool)) return call.Failed();
  const auto step = static_cast<Then>(call.entry_state());
  if (step == kStart && !CheckPutArgument(call, *pool)) return call.Failed();
  return GoOnPutting(call, *pool, step);
}

bool OpenSync(State& state) {
  return MakeMetatable(state, kPoolTypeName, kMethods, kMetamethods) && PushNewTable(state) &&
         SetFunctions(state, kFunctions);
}

}  // namespace neap::vm
