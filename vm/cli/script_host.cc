// SPDX-License-Identifier: MIT
//
// script_host.h. Errors keep the layout of the reference implementation: message, "stack
// traceback:", a line per level; the frame of the host shows as the last "[C]: in ?".
#include "script_host.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "heap_traces.h"
#include "interpreter/debug_info.h"
#include "interpreter/native_call.h"
#include "library/library.h"
#include "library/native_setup.h"
#include "objects/types.h"

namespace neap::cli {
namespace {

using vm::NativeCall;
using vm::NativeResult;
using vm::State;
using vm::Value;

// While a script runs, Ctrl-C stops it at its next poll; a second one finds the default action.
class InterruptScope {
 public:
  explicit InterruptScope(State& state) {
    running_state.store(&state);
    struct sigaction action = {};
    action.sa_handler = OnInterrupt;  // no SA_RESTART: a read that waits ends
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before_);
  }
  ~InterruptScope() {
    sigaction(SIGINT, &before_, nullptr);
    running_state.store(nullptr);
  }
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  static void OnInterrupt(int signal) {
    std::signal(signal, SIG_DFL);
    State* state = running_state.load();
    if (state != nullptr) state->Interrupt();
  }

  static std::atomic<State*> running_state;
  struct sigaction before_ = {};
};
std::atomic<State*> InterruptScope::running_state = nullptr;

// The error value as text. False: __tostring failed. `*is_final`: it wants no traceback.
bool ErrorText(NativeCall& call, std::string* text, bool* is_final) {
  State& state = call.state();
  const Value value = call.arg(1);
  if (vm::IsString(value) || vm::IsNumber(value)) {
    *text = State::TextOf(value);
    return true;
  }
  const Value method = state.MetamethodOf(value, vm::Event::kTostring);
  if (!method.is_nil()) {
    call.Push(method);
    call.Push(value);
    if (!call.Call(1, 1)) return false;
    *is_final = vm::IsString(call.top());
    if (*is_final) {
      *text = vm::AsString(call.top())->view();
      return true;
    }
  }
  *text = absl::StrCat("(error object is a ", vm::TypeName(vm::TypeOf(call.arg(1))), " value)");
  return true;
}

NativeResult AddTraceback(NativeCall& call) {
  std::string text;
  bool is_final = false;
  if (!ErrorText(call, &text, &is_final)) return call.Failed();
  if (!is_final) text = vm::Traceback(call.state(), call.state().running(), &text, 1);
  return call.ReturnIf(call.PushString(text));
}

}  // namespace

// Static objects stay, too: other threads may still use them.
void LeaveProcess(int status) {
  std::fflush(nullptr);
  std::_Exit(status);
}

absl::StatusOr<std::unique_ptr<ScriptHost>> ScriptHost::Create(const ScriptOptions& options) {
  lab::Settings traces;
  traces.heap = options.heap;
  traces.trace_file = options.trace_file;
  traces.flight = options.flight;
  traces.command = absl::StrJoin(options.words, " ");
  traces.arguments = options.words;
  traces.seed = options.seed;
  traces.allocation_profile = !options.profiles.watches_allocations() ? "off"
                              : options.profiles.sample_bytes == 0    ? "all"
                                                                      : "sampled";
  absl::Status status = lab::StartTraces(traces);
  if (!status.ok()) {
    return absl::PermissionDeniedError(absl::StrCat("--trace: ", status.message()));
  }
  absl::StatusOr<std::unique_ptr<gc::Heap>> heap = gc::Heap::Create(options.heap);
  if (!heap.ok()) return heap.status();
  const uint64_t traced_heap = lab::AttachTraces(**heap);
  std::unique_ptr<ScriptHost> host(new ScriptHost(*std::move(heap), options));
  if (!host->Open(options)) return absl::ResourceExhaustedError("cannot create state");
  if (status = host->profiles_.Start(host->state_, traced_heap); !status.ok()) return status;
  return host;
}

ScriptHost::ScriptHost(std::unique_ptr<gc::Heap> heap, const ScriptOptions& options)
    : heap_(std::move(heap)),
      mutator_(*heap_),
      state_(mutator_, {.hash_seed = options.seed, .random_seed = options.seed}),
      profiles_(options.profiles) {}

ScriptHost::~ScriptHost() { state_.Close(); }

bool ScriptHost::Open(const ScriptOptions& options) {
  state_.host = this;
  state_.exit = [](State& state, int status, bool closes) {
    LeaveProcess(static_cast<ScriptHost*>(state.host)->Finish(status, closes));
  };
  warnings_.Attach(state_);
  if (!vm::PushClosure(state_, AddTraceback, 0)) return false;
  handler_ = state_.running()->frame().top - 1;
  if (options.ignores_environment) {
    state_.Push(state_.registry_value());
    if (!vm::SetBooleanField(state_, "LUA_NOENV", true)) return false;
    state_.Pop(1);
  }
  return vm::OpenLibraries(state_, vm::LibrarySet::kAll);
}

int ScriptHost::Finish(int status, bool closes) {
  const absl::Status profiled = profiles_.Finish();
  if (closes) state_.Close();
  heap_->DrainEvents();
  for (const absl::Status& written : {profiled, lab::FinishTraces()}) {
    if (written.ok()) continue;
    std::fprintf(stderr, "neap: %s\n", std::string(written.message()).c_str());
    if (status == 0) status = kExitScriptError;
  }
  return status;
}

bool ScriptHost::Call(int arguments, int wanted) {
  const InterruptScope scope(state_);
  return state_.ProtectedCall(arguments, wanted, handler_);
}

void ScriptHost::PushError() { state_.Push(state_.error()); }

void ScriptHost::Report(const std::string* program) {
  const Value value = state_.FromTop(1);
  const bool is_text = vm::IsString(value) || vm::IsNumber(value);
  std::string text = is_text ? State::TextOf(value) : "(error message is not a string)";
  state_.Pop(1);
  state_.ClearError();
  if (program != nullptr) text = absl::StrCat(*program, ": ", text);
  text += '\n';
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

uint32_t ScriptHost::height() { return state_.running()->frame().top; }

void ScriptHost::SetHeight(uint32_t height) { state_.running()->frame().top = height; }

}  // namespace neap::cli
