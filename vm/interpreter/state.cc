// SPDX-License-Identifier: MIT
#include "interpreter/state.h"

#include <algorithm>
#include <utility>

#include "interpreter/debug_info.h"
#include "interpreter/function_code.h"
#include "interpreter/interpreter.h"
#include "interpreter/operations.h"
#include "interpreter/runtime_errors.h"
#include "objects/equality.h"
#include "text/concat.h"
#include "text/number.h"

namespace neap::vm {
namespace {

// Calls and rounds of loops between two polls: some 10 us of work, and cheap to count.
constexpr int64_t kFuelPerPoll = 1000;

// An error in a message handler calls the handler again, so often: no handler that fails so many
// times succeeds later, and one that recurses deeply takes its time.
constexpr int kMaxHandlerDepth = 10;

}  // namespace

State::State(gc::Mutator& mutator, const StateOptions& options)
    : m_(mutator), objects_(mutator, options.hash_seed), options_(options) {
  RegisterCoroutineType();
  RegisterPrototypeType();
  finalizers_ = std::make_unique<gc::FinalizerQueue>(m_.heap(), TakeDead, this);
  finalizers_->SetOnce(true);
  main_ = NewCoroutine(*this);
  NEAP_CHECK(main_ != nullptr, "V1: there is memory for the main coroutine");
  main_handle_ = gc::GlobalHandle(m_, main_);
  main_->status = CoroutineStatus::kRunning;
  main_->is_main = true;
  running_ = main_;
  // The host's frame: a native one that never returns.
  main_->frame_count = 1;
  main_->frames[0] = {.function = 0,
                      .base = 1,
                      .top = 1,
                      .limit = 1 + kNativeSlots,
                      .wanted = 0,
                      .flags = kFrameNative | kFrameEntry};
  NEAP_CHECK(EnsureStack(main_, main_->frames[0].limit), "V1: there is memory for the main stack");
  m_.heap().AddRootProvider(this);
  for (int i = 0; i < kEvents; ++i) {
    String* name = objects_.NewAtom(EventText(static_cast<Event>(i)));
    NEAP_CHECK(name != nullptr, "V1: there is memory for the names of events");
    roots_[kFirstEventName + i] = gc::ToWord(name);
  }
  String* message = objects_.NewString("not enough memory");
  NEAP_CHECK(message != nullptr, "V1: there is memory for its own message");
  roots_[kMemoryMessage] = gc::ToWord(message);
  for (const int root : {kGlobals, kRegistry}) {
    Table* table = objects_.NewTable();
    NEAP_CHECK(table != nullptr, "V1: there is memory for the globals");
    roots_[root] = gc::ToWord(table);
  }
  SetInstructionBudget(options_.instruction_budget);
}

State::~State() {
  while (!attachments_.empty()) attachments_.pop_back();
  m_.heap().RemoveRootProvider(this);
}

void State::VisitRoots(gc::Tracer& tracer) { VisitChain(tracer, VisitStack); }

void State::VisitYoungRoots(gc::Tracer& tracer) { VisitChain(tracer, VisitYoungStack); }

void State::VisitChain(gc::Tracer& tracer, void (*visit)(Coroutine*, uint32_t, gc::Tracer&)) {
  tracer.VisitSlots(roots_, kRoots);
  for (Coroutine* co = running_; co != nullptr; co = co->resumer) {
    Word self = gc::ToWord(co);  // nothing else may refer to it: coroutine.resume has used it up
    tracer.VisitSlot(&self);
    visit(co, co->frame_count == 0 ? co->top : co->frame().top, tracer);
  }
}

// --- Values --------------------------------------------------------------------------------------

Table* State::MetatableOf(Value v) {
  if (IsTable(v)) return AsTable(v)->metatable();
  if (IsUserdata(v)) return AsUserdata(v)->metatable.get();
  return type_metatable(TypeOf(v));
}

Value State::MetamethodOf(Table* metatable, Event event) {
  return metatable == nullptr ? Value::Nil() : RawGetAtom(metatable, event_name(event));
}

Value State::MetamethodOf(Value v, Event event) { return MetamethodOf(MetatableOf(v), event); }

std::string State::TypeNameOf(Value v) {
  if (IsTable(v) || IsUserdata(v)) {
    const Value name = MetamethodOf(v, Event::kName);
    if (IsString(name)) return std::string(AsString(name)->view());
  }
  return TypeName(TypeOf(v));
}

std::string State::TextOf(Value v) {
  std::string text;
  if (IsString(v)) {
    text = AsString(v)->view();
  } else if (IsInteger(v)) {
    AppendInteger(IntegerOf(v), &text);
  } else {
    AppendFloat(v.as_double(), &text);
  }
  return text;
}

bool State::ToIntegerStrict(Value v, int64_t* i) {
  if (IsInteger(v)) {
    *i = IntegerOf(v);
    return true;
  }
  if (!v.is_double()) return false;
  const auto exact = FloatToInteger(v.as_double(), Rounding::kExact);
  if (exact) *i = *exact;
  return exact.has_value();
}

bool State::ToInteger(Value v, int64_t* i) {
  if (!IsString(v)) return ToIntegerStrict(v, i);
  const auto number = ParseNumber(AsString(v)->view());
  if (!number) return false;
  const auto* integer = std::get_if<int64_t>(&*number);
  const auto exact = integer != nullptr
                         ? std::optional<int64_t>(*integer)
                         : FloatToInteger(std::get<double>(*number), Rounding::kExact);
  if (exact) *i = *exact;
  return exact.has_value();
}

bool State::ToNumber(Value v, double* d) {
  if (IsNumber(v)) {
    *d = NumberOf(v);
    return true;
  }
  const auto number = IsString(v) ? ParseNumber(AsString(v)->view()) : std::nullopt;
  if (!number) return false;
  const auto* integer = std::get_if<int64_t>(&*number);
  *d = integer != nullptr ? static_cast<double>(*integer) : std::get<double>(*number);
  return true;
}

Value State::ToNumberValue(Value v) {
  if (IsNumber(v)) return v;
  const auto number = IsString(v) ? ParseNumber(AsString(v)->view()) : std::nullopt;
  if (!number) return Value::Nil();
  if (const auto* integer = std::get_if<int64_t>(&*number)) return objects_.NewInteger(*integer);
  return Value::Double(std::get<double>(*number));
}

uint64_t State::IdentityOf(Value v) {
  if (!v.is_object() || IsBoxedInteger(v)) return 0;
  if (IsLightUserdata(v)) {
    return reinterpret_cast<uint64_t>(static_cast<LightUserdata*>(v.object())->pointer);
  }
  constexpr uint64_t kInternedBytes = 40;  // the reference implementation interns up to this length
  if (IsString(v) && AsString(v)->length <= kInternedBytes) {
    return m_.Identity(objects_.atoms().Intern(AsString(v)));
  }
  return m_.Identity(v.object());
}

// --- Errors --------------------------------------------------------------------------------------

bool State::Throw(Value value) {
  if (error_kind_ == ErrorKind::kStop) return false;
  roots_[kError] = value.word();
  error_kind_ = ErrorKind::kScript;
  CallMessageHandler();
  return false;
}

// The message handler of the innermost protected frame of the running coroutine sees the stack as
// it is now, and its result becomes the error.
void State::CallMessageHandler() {
  Coroutine* co = running_;
  for (uint32_t i = co->frame_count; i-- > 0;) {
    const Frame& frame = co->frames[i];
    if ((frame.flags & kFrameProtected) == 0) continue;
    if ((frame.flags & kFrameHandler) == 0) return;
    if (handler_depth_ == kMaxHandlerDepth) {
      HandlingError();
      return;
    }
    Frame& top = co->frame();
    const uint32_t saved_top = top.top;
    const uint32_t at =
        std::max(saved_top, top.code != nullptr ? top.base + top.code->registers : saved_top);
    const uint32_t index = co->frame_count - 1;
    if (!EnsureStack(co, at + 2 + kNativeSlots)) return;
    co->frame().limit = std::max(co->frame().limit, at + 2);
    co->stack[at] = co->stack[frame.base];
    co->stack[at + 1] = roots_[kError];
    co->frame().top = at + 2;
    ++handler_depth_;
    if (Call(1, 1)) {
      roots_[kError] = co->stack[at];
      error_kind_ = ErrorKind::kScript;
    } else if (error_kind_ == ErrorKind::kScript) {
      error_kind_ = ErrorKind::kHandler;
    }
    --handler_depth_;
    co->frames[index].top = saved_top;
    return;
  }
}

bool State::ThrowText(const std::string& text) {
  String* message = objects_.NewString(text);
  return message == nullptr ? MemoryError() : Throw(Value::FromObject(message));
}

bool State::RuntimeError(std::string_view message) {
  const Frame& frame = running_->frame();
  std::string text;
  if (frame.code != nullptr) {
    const uint32_t line = frame.code->LineAt(frame.pc - 1);
    text = frame.code->unit->lines.empty() ? Concat(ShortSource(*frame.code), ":-1: ")
                                           : Concat(ShortSource(*frame.code), ":", line, ": ");
  }
  return ThrowText(text.append(message));
}

bool State::ErrorAt(int level, std::string_view message) {
  return ThrowText(Where(level).append(message));
}

bool State::MemoryError() {
  if (error_kind_ == ErrorKind::kStop) return false;
  roots_[kError] = roots_[kMemoryMessage];
  error_kind_ = ErrorKind::kMemory;
  if (note_error != nullptr) note_error(*this, error_kind_);
  return false;
}

bool State::StackError() {
  if (in_overflow_) return HandlingError();
  in_overflow_ = true;
  return RuntimeError("stack overflow");
}

bool State::LevelError() {
  constexpr uint32_t kHandlerLevels = Interpreter::kMaxLevels / 10 * 11;
  if (running_->levels >= kHandlerLevels) return HandlingError();
  if (in_overflow_) return true;
  in_overflow_ = true;
  return RuntimeError("C stack overflow");
}

// Even what handles an overflow met the limit: no handler is called any more.
bool State::HandlingError() {
  if (error_kind_ == ErrorKind::kStop) return false;
  String* message = objects_.NewString("error in error handling");
  if (message == nullptr) return MemoryError();
  roots_[kError] = gc::ToWord(message);
  error_kind_ = ErrorKind::kHandler;
  return false;
}

bool State::Stop(std::string_view message) {
  String* text = objects_.NewString(message);
  roots_[kError] = text == nullptr ? roots_[kMemoryMessage] : gc::ToWord(text);
  error_kind_ = ErrorKind::kStop;
  ChargeInstructions();
  fuel = fuel_given_ = 0;  // the next unit polls again
  if (note_error != nullptr) note_error(*this, error_kind_);
  return false;
}

bool State::Refuse(std::string_view message) {
  String* text = objects_.NewString(message);
  if (text == nullptr) return MemoryError();
  roots_[kError] = gc::ToWord(text);
  error_kind_ = ErrorKind::kScript;
  return false;
}

void State::ClearError() {
  in_overflow_ = false;
  roots_[kError] = Value::kNil;
  error_kind_ = ErrorKind::kNone;
}

void State::Recall(Value caught) {
  roots_[kError] = caught.word();
  error_kind_ = caught_kind_;
}

std::string State::Where(int level) { return PositionAt(running_, level); }

// --- Safepoints ----------------------------------------------------------------------------------

void State::SetInstructionBudget(uint64_t units) {
  options_.instruction_budget = units;
  fuel = fuel_given_ = static_cast<int64_t>(std::min<uint64_t>(kFuelPerPoll, units));
}

void State::SetAllocationBudget(uint64_t bytes) {
  options_.allocation_budget = bytes;
  allocated_before_ = m_.allocated_bytes();
}

uint64_t State::instruction_budget() const {
  const uint64_t budget = options_.instruction_budget;
  if (budget == kNoBudget) return budget;
  const auto burnt = static_cast<uint64_t>(std::max<int64_t>(fuel_given_ - fuel, 0));
  return budget - std::min(burnt, budget);
}

bool State::ChargeInstructions() {
  options_.instruction_budget = instruction_budget();
  fuel_given_ = fuel;
  return options_.instruction_budget != 0;
}

bool State::ChargeAllocation() {
  if (options_.allocation_budget == kNoBudget) return true;
  const uint64_t allocated = m_.allocated_bytes();
  const uint64_t more = allocated - std::exchange(allocated_before_, allocated);
  options_.allocation_budget -= std::min(more, options_.allocation_budget);
  return options_.allocation_budget != 0;
}

void State::BeginOuterCall() {
  ClearError();
  allocated_before_ = m_.allocated_bytes();
}

bool State::Poll() {
  if (error_kind_ == ErrorKind::kStop) return false;
  if (!ChargeInstructions()) return Stop("instruction budget used up");
  if (!ChargeAllocation()) return Stop("allocation budget used up");
  if (interrupted_.exchange(false, std::memory_order_relaxed)) return Stop("interrupted!");
  SetInstructionBudget(options_.instruction_budget);
  m_.Poll();
  if (!collector_settings.is_generational) CollectIncrementally();
  const bool has_dead = host_finalizers != nullptr && host_finalizers->pending() > 0;
  if (has_dead || finalizers_->pending() > 0 || AttachmentsWait()) RunFinalizers();
  return error_kind_ != ErrorKind::kStop;
}

// In the "incremental" mode a cycle starts when as much was allocated as was live after the last
// one (setpause 200), and finalizers tell of whole cycles, as in the reference implementation.
void State::CollectIncrementally() {
  constexpr uint64_t kLeastBytes = 256 << 10;  // small heaps would collect all the time
  if (collector_settings.is_stopped) return;
  const uint64_t live = heap().LiveEstimateBytes();
  uint64_t& base = collector_settings.live_after_cycle_bytes;
  const auto percent = static_cast<uint64_t>(std::max(collector_settings.pause_percent, 100));
  if (live < base) base = live;
  if (live < std::max(base + kLeastBytes, base * percent / 100)) return;
  heap().Collect(m_);
  base = heap().LiveEstimateBytes();
}

// A finalizer that is stopped stops what runs it, too: it is no place to hide from a budget.
void State::RunFinalizers() {
  if (in_finalizer_ || error_kind_ == ErrorKind::kStop) return;
  const ErrorKind kind = error_kind_;
  gc::HandleScope scope(m_);
  const auto error_word = scope.New(gc::ToObject(roots_[kError]));
  in_finalizer_ = true;
  if (host_finalizers != nullptr) host_finalizers->Run(m_);
  while (error_kind_ != ErrorKind::kStop && FinalizeNext()) {
  }
  if (AttachmentsWait()) AskAttachments();
  in_finalizer_ = false;
  if (error_kind_ == ErrorKind::kStop) return;
  roots_[kError] = error_word.word();
  error_kind_ = kind;
}

void State::TakeDead(gc::Mutator&, gc::Handle<Object> object, void* context) {
  static_cast<State*>(context)->roots_[kDead] = object.word();
}

bool State::FinalizeNext() {
  if (finalizers_->Run(m_, 1) == 0) return false;
  CallFinalizer(Value::FromWord(std::exchange(roots_[kDead], Value::kNil)));
  return true;
}

// Runs the __gc metamethod, if it still is a function.
void State::CallFinalizer(Value object) {
  const Value method = MetamethodOf(object, Event::kGc);
  if (IsFunction(method)) CallUnhooked(method, object, "__gc", kFrameFinalizer);
}

void State::CallDeferred(Value function, Value argument, const char* what) {
  CallUnhooked(function, argument, what, 0);
}

// Above everything in use.
void State::CallUnhooked(Value function, Value argument, const char* what, uint16_t flags) {
  Coroutine* co = running_;
  const uint32_t index = co->frame_count - 1;
  const uint32_t top = co->frame().top;
  if (!EnsureStack(co, top + 2 + kNativeSlots)) return;
  co->frame().limit = std::max(co->frame().limit, top + 2);
  co->stack[top] = function.word();
  co->stack[top + 1] = argument.word();
  co->frame().top = top + 2;
  const uint8_t mask = co->hook_mask;
  SetHookMask(co, 0);
  const bool ok = ProtectedCall(1, 0, 0, flags);
  SetHookMask(co, mask);
  if (!ok && warn != nullptr && error_kind_ != ErrorKind::kStop) {
    const Value error_value = FromTop(1);
    const std::string text =
        IsString(error_value) ? TextOf(error_value) : "error object is not a string";
    warn(*this, Concat("error in ", what, " (", text, ")"), false);
  }
  co->frames[index].top = top;
}

// --- Attachments ---------------------------------------------------------------------------------

Attachment* State::FindAttachment(const void* key) const {
  for (const auto& [known, attachment] : attachments_) {
    if (known == key) return attachment.get();
  }
  return nullptr;
}

void State::Attach(const void* key, std::unique_ptr<Attachment> attachment) {
  if (attachments_.empty()) attended_majors_ = m_.heap().majors();
  attachments_.emplace_back(key, std::move(attachment));
}

bool State::AttachmentsWait() const {
  if (attachments_.empty()) return false;
  return wants_attention_.load(std::memory_order_relaxed) || m_.heap().majors() != attended_majors_;
}

// By index: an attachment may attach another one.
void State::AskAttachments() {
  wants_attention_.store(false, std::memory_order_relaxed);
  attended_majors_ = m_.heap().majors();
  for (size_t i = 0; i < attachments_.size() && error_kind_ != ErrorKind::kStop; ++i) {
    attachments_[i].second->AfterCycle(*this);
  }
}

bool State::EnsureSlots(uint32_t count) {
  Coroutine* co = running_;
  Frame& frame = co->frame();
  const uint32_t limit = frame.top + count;
  if (limit <= frame.limit && limit <= co->clean_from) return true;
  if (limit > kMaxStack || !RaiseLimit(co, frame, limit)) return StackError();
  return true;
}

}  // namespace neap::vm
