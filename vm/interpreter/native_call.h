// SPDX-License-Identifier: MIT
//
// How native functions see their call.
//
//   NativeResult Rep(NativeCall& call) {
//     String* text = nullptr;
//     int64_t count = 0;
//     if (!call.CheckString(1, &text) || !call.CheckInteger(2, &count)) return call.Failed();
//     ...
//     call.Push(Value::FromObject(result));
//     return call.Return(1);
//   }
//
// Arguments are numbered from 1. They stand in the stack, below what the function pushes; results
// are the last values pushed. A function finds kNativeSlots free slots above its arguments.
//
//   N1  Raw pointers (String*, Table*, string_view of a heap string) are good until the next
//       safepoint: allocation of heap objects, Call, operations with metamethods, Poll. Read the
//       argument again afterwards (the collector updates the slot).
//   N2  A function that got false from anything returns Failed() at once.
//   N3  Not across a CallThen: C++ locals. The function is entered anew, with state() as it said.
#ifndef NEAP_VM_INTERPRETER_NATIVE_CALL_H_
#define NEAP_VM_INTERPRETER_NATIVE_CALL_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "interpreter/state.h"

namespace neap::vm {

enum class NativeResult : uint8_t {
  kReturn,  // `results` values on top
  kError,
  kCall,    // call what CallThen said, then enter this function again
  kYield,   // `results` values on top go to the resumer
  kResume,  // switch to the coroutine `resumed` (coroutine library only)
};

// The entry state of a function whose frame caught an error (Protect, Resume): the variables above
// it are closed, and the error value is the one value above its arguments' place that counts: the
// top.
inline constexpr uint32_t kNativeErrorState = 0xffffffff;

class NativeCall {
 public:
  explicit NativeCall(State& state) : state_(state) {}

  State& state() { return state_; }
  Objects& objects() { return state_.objects(); }
  gc::Mutator& mutator() { return state_.mutator(); }

  // --- Arguments (no safepoint) ------------------------------------------------------------------
  // As they were passed; pushing does not change it. In a later entry (CallThen): unchanged.
  int count() const { return static_cast<int>(frame().saved_count); }
  bool has(int i) const { return i <= count(); }
  // nil when there is none.
  Value arg(int i) const { return has(i) ? Value::FromWord(slot(i)) : Value::Nil(); }
  bool is_none_or_nil(int i) const { return arg(i).is_nil(); }
  void set_arg(int i, Value v) { slot(i) = v.word(); }
  // Makes it `count` arguments: adds nils, or drops the last ones. Nothing may have been pushed.
  void SetCount(int count);
  // The native closure's own values, from 1.
  Value upvalue(int i) const {
    const Value function = Value::FromWord(state_.running()->stack[frame().function]);
    return Value::FromWord(
        gc::LoadSlot(&static_cast<NativeClosure*>(function.object())->values()[i - 1]));
  }
  void set_upvalue(int i, Value v);

  // --- Checks; false: the error is set -----------------------------------------------------------
  // Words as luaL_check...: "bad argument #1 to 'f' (number expected, got no value)".
  [[nodiscard]] bool CheckAny(int i);
  [[nodiscard]] bool CheckInteger(int i, int64_t* value);
  [[nodiscard]] bool CheckNumber(int i, double* value);
  [[nodiscard]] bool OptInteger(int i, int64_t* value);  // keeps *value when none or nil
  [[nodiscard]] bool OptNumber(int i, double* value);
  // Numbers become strings, in the argument's slot (a safepoint then).
  [[nodiscard]] bool CheckString(int i, String** value);
  [[nodiscard]] bool OptString(int i, String** value);  // keeps *value when none or nil
  [[nodiscard]] bool CheckTable(int i);
  [[nodiscard]] bool CheckFunction(int i);
  [[nodiscard]] bool CheckType(int i, LuaType type);
  // A userdata made with this tag; the payload.
  [[nodiscard]] bool CheckUserdata(int i, const void* tag, const char* type_name, void** payload);
  // One of the names (null-terminated list), `otherwise` when none was given and it is not null.
  [[nodiscard]] bool CheckOption(int i, const char* otherwise, const char* const* names,
                                 int* index);
  // The text of argument i, checked before to be a string (N1).
  std::string_view text(int i) const { return AsString(arg(i))->view(); }

  // --- Errors: set the error, return false -------------------------------------------------------
  bool ArgumentError(int i, std::string_view message);
  bool TypeError(int i, std::string_view expected);
  bool Error(std::string_view message) { return state_.ErrorAt(1, message); }
  // A failed TextStatus: kError, or kArgument of `argument` (of `at_hand` for kValueAtHand).
  bool TextError(const TextStatus& status, int at_hand = 1);
  NativeResult Failed() const { return NativeResult::kError; }

  // --- Pushing -----------------------------------------------------------------------------------
  void Push(Value v) { state_.Push(v); }
  [[nodiscard]] bool PushString(std::string_view text);  // bytes outside the heap
  [[nodiscard]] bool PushInteger(int64_t i);
  void PushNumber(double d) { Push(Value::Double(d)); }
  void PushBoolean(bool b) { Push(Value::Boolean(b)); }
  void PushNil() { Push(Value::Nil()); }
  Value top(uint32_t i = 1) const { return state_.FromTop(i); }
  void Pop(uint32_t n = 1) { state_.Pop(n); }
  // Values of the frame from slot 1 on, arguments included. After a CallThen that took arguments
  // along, count() says more than is there; this does not.
  uint32_t height() const { return frame().top - frame().base; }
  // Makes slot `i` and all above it stand one higher, and sets slot `i` to `v`.
  void Insert(int i, Value v) {
    Push(Value::Nil());
    for (int k = static_cast<int>(height()); k > i; --k) slot(k) = slot(k - 1);
    slot(i) = v.word();
  }
  // Values above the arguments.
  uint32_t pushed() const { return frame().top - frame().base - frame().saved_count; }

  // --- Ways out ----------------------------------------------------------------------------------
  uint32_t results = 0;
  NativeResult Return(uint32_t count) {
    results = count;
    return NativeResult::kReturn;
  }
  NativeResult ReturnValue(Value v) {
    Push(v);
    return Return(1);
  }
  // All that `ok` says: the value pushed last, or failure.
  NativeResult ReturnIf(bool ok, uint32_t count = 1) { return ok ? Return(count) : Failed(); }
  // nil, message: what failing functions of io and os return; and the error number.
  NativeResult ReturnFailure(std::string_view message, int64_t code);

  // Calls the function `arguments` below the top and enters this function again with state() ==
  // `then`, the `wanted` (-1: all) results in place of function and arguments. Coroutines may yield
  // across it. For `kFrameProtected` see base_calls.cc.
  uint32_t call_arguments = 0;
  int32_t call_wanted = 0;
  NativeResult CallThen(uint32_t arguments, int32_t wanted, uint32_t then);
  uint32_t entry_state() const { return frame().state; }
  // An error in what CallThen calls from now on enters the function again, with kNativeErrorState.
  void Protect() { frame().flags |= kFrameProtected; }
  // The same, and slot 1 holds the function that makes error values into others.
  void ProtectWithHandler() { frame().flags |= kFrameProtected | kFrameHandler; }

  // Coroutine library only: lets the coroutine run with the `values` on top, and returns what it
  // passes back when it yields or returns, kWithTrue: behind a true. Only when it fails or cannot
  // be resumed the function is entered again, with kNativeErrorState and the error on top.
  Coroutine* resumed = nullptr;
  enum class Passing : uint8_t { kPlain, kWithTrue };
  NativeResult Resume(Coroutine* co, uint32_t values, Passing passing) {
    resumed = co;
    results = values;
    frame().state = static_cast<uint32_t>(passing);
    return NativeResult::kResume;
  }

  [[nodiscard]] bool Call(int arguments, int wanted) { return state_.Call(arguments, wanted); }

 private:
  Frame& frame() const { return state_.running()->frame(); }
  Word& slot(int i) const {
    return state_.running()->stack[frame().base + static_cast<uint32_t>(i) - 1];
  }
  State& state_;
};

// Native closures. Null: no memory. A safepoint.
NativeClosure* NewNativeClosure(State& state, NativeFunction function, int values = 0);

// A library: names and functions, ended by a null name. Sets them as fields of the table on top of
// the running native frame. False: no memory (error set).
struct NativeEntry {
  const char* name;
  NativeFunction function;
};
[[nodiscard]] bool SetFunctions(State& state, const NativeEntry* entries);
// Sets field `name` of the table that stands below the top to the value on top, and pops it.
[[nodiscard]] bool SetFieldFromTop(State& state, std::string_view name);

}  // namespace neap::vm

#endif  // NEAP_VM_INTERPRETER_NATIVE_CALL_H_
