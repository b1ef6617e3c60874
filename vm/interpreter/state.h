// SPDX-License-Identifier: MIT
//
// START HERE. One Lua VM: what the reference implementation keeps in its global state. It owns the
// objects of its heap, runs functions, raises errors; the libraries are native functions over it.
//
// A call has three ways out. `Step` says which, wherever Lua code may have to run:
//
//   kDone    it is done
//   kPushed  a frame of a Lua function was pushed: the interpreter loop goes on there, and finishes
//            the instruction when that frame returns. Only the loop (interpreter.cc) may see this
//   kError   `error` holds the error value; the caller returns at once with its own word for it
//
// C++ exceptions are not used. Errors unwind frames to the innermost protected one (unwind.cc).
//
//   R1  A raw word or pointer to a heap object is used between two safepoints only. Everything that
//       takes a State& may be a safepoint unless it says otherwise. What must survive stands in a
//       stack slot, in a handle, or in an object.
//   R2  The `top` of the frame on top tells the collector what is live.
#ifndef NEAP_VM_INTERPRETER_STATE_H_
#define NEAP_VM_INTERPRETER_STATE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interpreter/attachment.h"
#include "interpreter/coroutine.h"
#include "interpreter/event_names.h"
#include "neap/gc/finalizer.h"
#include "neap/gc/heap.h"
#include "neap/gc/mutator.h"
#include "objects/objects.h"
#include "objects/userdata.h"
#include "text/text_status.h"

namespace neap::vm {

enum class Step : uint8_t { kDone, kPushed, kError };

enum class ErrorKind : uint8_t {
  kNone,
  kScript,   // error(), a runtime error: protected calls catch it
  kMemory,   // likewise; no message handler runs
  kHandler,  // an error in a message handler
  kStop,     // a budget is used up or the host interrupted: nothing in the script catches it
};

inline constexpr uint64_t kNoBudget = UINT64_MAX;

struct StateOptions {
  uint64_t hash_seed = 0;
  std::optional<uint64_t> random_seed = std::nullopt;  // of math.random; none: drawn
  uint64_t instruction_budget = kNoBudget;             // in calls and rounds of loops
  uint64_t allocation_budget = kNoBudget;              // bytes
};

// What scripts said to collectgarbage. Only `is_stopped` and the mode have an effect on the heap;
// the others are answered as the reference implementation does.
struct CollectorSettings {
  bool is_stopped = false;
  bool is_generational = true;
  int pause_percent = 200;
  int step_multiplier = 100;
  uint64_t gogc_before_stop = 0;
  uint64_t step_credit_kib = 0;
  uint64_t live_after_cycle_bytes = 0;
};

class State final : public gc::RootProvider {
 public:
  // The mutator's thread owns the state.
  State(gc::Mutator& mutator, const StateOptions& options);
  ~State() override;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  gc::Mutator& mutator() { return m_; }
  gc::Heap& heap() { return m_.heap(); }
  Objects& objects() { return objects_; }
  Coroutine* running() { return running_; }
  Coroutine* main_coroutine() { return main_; }

  // --- Roots that every part of the VM uses ------------------------------------------------------
  Table* globals() { return static_cast<Table*>(gc::ToObject(roots_[kGlobals])); }
  Table* registry() { return static_cast<Table*>(gc::ToObject(roots_[kRegistry])); }
  Value registry_value() const { return Value::FromWord(roots_[kRegistry]); }
  Value globals_value() const { return Value::FromWord(roots_[kGlobals]); }
  // The atom "__index" and so on.
  String* event_name(Event event) {
    return static_cast<String*>(gc::ToObject(roots_[kFirstEventName + static_cast<int>(event)]));
  }
  // Metatables of the types without their own (strings, numbers, ...); null: none.
  Table* type_metatable(LuaType type) {
    return static_cast<Table*>(gc::ToObject(roots_[kFirstTypeMetatable + static_cast<int>(type)]));
  }
  void set_type_metatable(LuaType type, Table* metatable) {
    objects_.IndexChanged();  // inline caches know the string metatable
    roots_[kFirstTypeMetatable + static_cast<int>(type)] = gc::ToWord(metatable);
  }

  // --- Calls (native code) -----------------------------------------------------------------------
  // Calls the function that stands `arguments` slots below the top of the current native frame,
  // with those arguments; both are replaced by `wanted` results (-1: all). Runs the interpreter in
  // here: coroutines cannot yield across it. False: error.
  // `flags`: FrameFlags that say what the call is for (kFrameHook, kFrameFinalizer).
  [[nodiscard]] bool Call(int arguments, int wanted, uint16_t flags = 0);
  // The same, and an error does not leave it: on false the function and its arguments are replaced
  // by the error value, variables are closed. `handler`: stack index of a message handler, 0: none.
  // An error that scripts may not catch (kStop) is returned too; the caller must pass it on.
  [[nodiscard]] bool ProtectedCall(int arguments, int wanted, uint32_t handler = 0,
                                   uint16_t flags = 0);

  // --- Operations with metamethods, for native code ----------------------------------------------
  // On the current native frame's stack: operands are values, the result is pushed. False: error.
  [[nodiscard]] bool PushIndex(Value object, Value key);
  [[nodiscard]] bool PushField(Value object, std::string_view name);
  [[nodiscard]] bool SetIndex(Value object, Value key, Value value);
  [[nodiscard]] bool PushLength(Value object);
  // `*length`: of an object whose length must be an integer ("object length is not an integer").
  [[nodiscard]] bool LengthOf(Value object, int64_t* length);
  [[nodiscard]] bool Equal(Value a, Value b, bool* result);
  [[nodiscard]] bool Less(Value a, Value b, bool* result);
  // tostring(v): pushes a string (with __tostring and __name).
  [[nodiscard]] bool PushTostring(Value v);
  // Arithmetic by Lua's rules (with string coercion and metamethods); pushes the result.
  [[nodiscard]] bool PushArithmetic(Op op, Value a, Value b);

  // --- Metatables (no safepoint) -----------------------------------------------------------------
  Table* MetatableOf(Value v);
  // The metamethod, or nil.
  Value MetamethodOf(Value v, Event event);
  Value MetamethodOf(Table* metatable, Event event);
  // "userdata", a string __name of the metatable, ... as error messages call it.
  std::string TypeNameOf(Value v);

  // --- Errors ------------------------------------------------------------------------------------
  // Each sets `error` and returns false, so that `return state.Error(...)` reads well.
  bool Throw(Value value);                            // the value itself
  bool RuntimeError(std::string_view message);        // with "chunk:line:" of the current Lua frame
  bool ErrorAt(int level, std::string_view message);  // luaL_error: position of that level
  bool MemoryError();
  bool StackError();  // "stack overflow", or an error in error handling
  // Uncatchable, and sticky: until the outermost call has returned (or ClearError) nothing that is
  // thrown replaces it and every poll fails, even if native code on the way swallows it.
  bool Stop(std::string_view message);
  // An error of no running function, as a chunk that is no Lua: no message handler sees it. Whoever
  // takes it for an error of its own passes it to Throw.
  bool Refuse(std::string_view message);
  Value error() const { return Value::FromWord(roots_[kError]); }
  ErrorKind error_kind() const { return error_kind_; }
  // What the error was that a protected call caught last.
  ErrorKind caught_kind() const { return caught_kind_; }
  void ClearError();
  // The error that a protected call returned is on its way again; no handler sees it anew.
  void Recall(Value caught);
  // "chunk:line: " of the frame at `level` (0: the running function), or "".
  std::string Where(int level);

  // --- Strings and numbers -----------------------------------------------------------------------
  // A string or number as tostring writes it; only those.
  static std::string TextOf(Value v);
  // Lua's conversions (manual 3.4.3). (no safepoint)
  static bool ToInteger(Value v, int64_t* i);        // numbers and strings with an integral value
  static bool ToIntegerStrict(Value v, int64_t* i);  // numbers only
  static bool ToNumber(Value v, double* d);          // numbers and strings
  // The number that a value is or a string spells; nil for none. A safepoint for huge integers.
  Value ToNumberValue(Value v);
  // A unique number for printing (%p, tostring); 0 for values without one. (no safepoint)
  uint64_t IdentityOf(Value v);

  // --- Safepoints --------------------------------------------------------------------------------
  // Counted down by calls and rounds of loops; at 0 the loop calls Poll.
  int64_t fuel = 0;
  // Polls, finalizers, budgets, interrupts. False: error. Budgets are charged here: a script gets
  // past one by what it does between two polls.
  [[nodiscard]] bool Poll();
  // Native loops over data of user-given size: call with the steps done.
  [[nodiscard]] bool Spend(uint64_t steps) {
    fuel -= static_cast<int64_t>(steps);
    return fuel > 0 || Poll();
  }
  // What may be used from now on; kNoBudget: without end. At 0 every poll stops the script.
  void SetInstructionBudget(uint64_t units);
  void SetAllocationBudget(uint64_t bytes);
  uint64_t instruction_budget() const;  // what is left
  const StateOptions& options() const { return options_; }
  uint64_t allocation_budget() const { return options_.allocation_budget; }
  // From any thread: the script stops at the next poll.
  void Interrupt() { interrupted_.store(true, std::memory_order_relaxed); }
  void ForgetInterrupt() { interrupted_.store(false, std::memory_order_relaxed); }
  // Runs pending finalizers now (collectgarbage, close).
  void RunFinalizers();
  // Before the state is destroyed, or the process ends: closes the main coroutine's variables and
  // runs all finalizers (state_close.cc). Whatever runs is abandoned: a native function that calls
  // this may not return. In a finalizer, the other finalizers are run.
  void Close();
  // Marks an object for finalization; nothing while the state closes (manual 2.5.3). (no safepoint)
  void RegisterFinalizer(gc::Object* object);
  gc::FinalizerQueue& finalizers() { return *finalizers_; }
  // Destructors of the embedder's objects: run at the same places, without any Lua.
  gc::FinalizerQueue* host_finalizers = nullptr;
  // A __gc metamethod runs, or one of its callees.
  bool in_finalizer() const { return in_finalizer_; }
  // Close has begun: what is made now is not finalized.
  bool is_closing() const { return is_closing_; }
  // What a library keeps outside the heap; null: not yet. `key` is an address of its own.
  Attachment* FindAttachment(const void* key) const;
  void Attach(const void* key, std::unique_ptr<Attachment> attachment);
  // From any thread: attachments are asked at the next poll.
  void RequestAttention() { wants_attention_.store(true, std::memory_order_relaxed); }
  // Calls a function for an attachment, above everything in use; an error becomes the warning
  // "error in `what` (...)".
  void CallDeferred(Value function, Value argument, const char* what);
  CollectorSettings collector_settings;

  // --- Loading -----------------------------------------------------------------------------------
  // Pushes a function for the text or binary chunk; false: error() says why (a syntax error has no
  // position prefix of the running function). `mode`: "t", "b" or "bt".
  [[nodiscard]] bool Load(std::string_view chunk, const std::string& chunk_name,
                          std::string_view mode);

  // --- For the parts of the interpreter ----------------------------------------------------------
  bool ThrowText(const std::string& text);
  void CallFinalizer(Value object);
  void CallUnhooked(Value function, Value argument, const char* what, uint16_t flags);
  void CloseSuspended(Coroutine* co, Value* outcome, bool* ok);
  static void AppendAddress(uint64_t identity, std::string* text);

  // --- Native frames -----------------------------------------------------------------------------
  Value at(uint32_t index) const { return Value::FromWord(running_->stack[index]); }
  void Push(Value v) {
    Frame& frame = running_->frame();
    NEAP_DCHECK(frame.top < running_->clean_from, "V5: a native frame pushes what it has room for");
    running_->stack[frame.top++] = v.word();
  }
  void Pop(uint32_t count) { running_->frame().top -= count; }
  // From the top: 1 is the last pushed.
  Value FromTop(uint32_t i) const { return at(running_->frame().top - i); }
  void SetFromTop(uint32_t i, Value v) { running_->stack[running_->frame().top - i] = v.word(); }
  // Room for `count` more pushes. False: error "stack overflow".
  [[nodiscard]] bool EnsureSlots(uint32_t count);

  // --- gc::RootProvider --------------------------------------------------------------------------
  void VisitRoots(gc::Tracer& tracer) override;
  void VisitYoungRoots(gc::Tracer& tracer) override;

  // warn(): how messages are shown.
  void (*warn)(State& state, std::string_view message, bool to_continue) = nullptr;
  void* warn_context = nullptr;
  void* host = nullptr;  // of the embedder
  // Told of errors that no message handler sees (kStop, kMemory) while the frames still stand. It
  // may not use the heap.
  void (*note_error)(State& state, ErrorKind kind) = nullptr;
  // os.exit: ends the process, after closing the state when `close` is set. Null: std::exit.
  void (*exit)(State& state, int status, bool close) = nullptr;

 private:
  friend class Interpreter;

  static constexpr int kGlobals = 0;
  static constexpr int kRegistry = 1;
  static constexpr int kError = 2;
  static constexpr int kMemoryMessage = 3;
  static constexpr int kDead = 4;  // the object that is finalized next
  static constexpr int kFirstEventName = 5;
  static constexpr int kFirstTypeMetatable = kFirstEventName + kEvents;
  static constexpr int kRoots = kFirstTypeMetatable + kLuaTypes;

  bool CallPushed(Value function, Value a, Value b, const Value* c, int wanted);
  bool CallClose(Value v, Value error_value, bool no_error);
  void VisitChain(gc::Tracer& tracer, void (*visit)(Coroutine*, uint32_t, gc::Tracer&));
  void CallMessageHandler();
  // False: nothing is pending. Takes the object first, so that a finalizer may close the state.
  bool FinalizeNext();
  static void TakeDead(gc::Mutator&, gc::Handle<Object> object, void* context);
  void DropCoroutines();
  void CloseMainVariables();
  void CollectIncrementally();
  bool AttachmentsWait() const;
  void AskAttachments();
  // The limit of levels was reached: an error, unless it is raised on the way of handling one.
  bool LevelError();
  bool HandlingError();  // there is no more for handling
  // What was used since the last poll; false: a budget is used up.
  bool ChargeInstructions();
  bool ChargeAllocation();
  // Around a call by the host, which is not inside another: other VMs may share the mutator.
  void BeginOuterCall();

  gc::Mutator& m_;
  Objects objects_;
  std::unique_ptr<gc::FinalizerQueue> finalizers_;
  Word roots_[kRoots] = {};
  gc::GlobalHandle main_handle_;
  Coroutine* main_ = nullptr;
  Coroutine* running_ = nullptr;
  // The call that the native frame on top asked for (Interpreter::CallForNative).
  uint32_t pending_arguments_ = 0;
  int32_t pending_wanted_ = 0;
  int handler_depth_ = 0;        // message handlers that run
  bool in_overflow_ = false;     // a stack or level limit was met: its handler gets some more
  bool entry_returned_ = false;  // the frame that a run of the loop was entered for has returned
  ErrorKind error_kind_ = ErrorKind::kNone;
  ErrorKind caught_kind_ = ErrorKind::kNone;
  StateOptions options_;
  int64_t fuel_given_ = 0;
  uint64_t allocated_before_ = 0;  // the mutator's count when it was last charged
  std::atomic<bool> interrupted_ = false;
  // Destroyed with the state, in reverse order.
  std::vector<std::pair<const void*, std::unique_ptr<Attachment>>> attachments_;
  std::atomic<bool> wants_attention_ = false;
  uint64_t attended_majors_ = 0;  // cycles that attachments were told of
  bool in_finalizer_ = false;
  bool is_closing_ = false;  // every finalizer has been called, or will be by Close
};

inline void WriteUpvalue(State& state, Upvalue* upvalue, Word value) {
  if (upvalue->is_open()) return WriteOpenUpvalue(state, upvalue, value);
  state.mutator().Store(upvalue, &upvalue->value, value);
}

}  // namespace neap::vm

#endif  // NEAP_VM_INTERPRETER_STATE_H_
