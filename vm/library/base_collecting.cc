// SPDX-License-Identifier: MIT
//
// collectgarbage. The options are those of Lua 5.4, and what scripts can tell of them holds:
// "stop" stops major collections (the nursery still turns over: weak values that die young go,
// finalizers wait), "count" is live bytes, "step" ends a cycle when its argument is large. Pauses
// and multipliers are kept and answered; the heap paces itself. Inside a finalizer nothing is done
// and the answer is nil.
#include "library/base_parts.h"
#include "neap/gc/options.h"

namespace neap::vm {
namespace {

enum Option : int {
  kStop,
  kRestart,
  kCollect,
  kCount,
  kStep,
  kSetPause,
  kSetStepMultiplier,
  kIsRunning,
  kGenerational,
  kIncremental,
};
constexpr const char* kOptionNames[] = {"stop",         "restart",     "collect",    "count",
                                        "step",         "setpause",    "setstepmul", "isrunning",
                                        "generational", "incremental", nullptr};
// A "step" of n KiB earns n of credit, at least kMinStepKib; a cycle costs 1/kCycleShare of the
// live KiB. Larger share: loops of steps collect too often; smaller: they take long to see the end.
constexpr uint64_t kMinStepKib = 8;
constexpr uint64_t kCycleShare = 4;

// In the "incremental" mode finalizers tell of whole cycles; while the collector is stopped, what a
// minor finds dead waits for a cycle that the script asks for.
void SettleFinalizers(State& state) {
  const CollectorSettings& settings = state.collector_settings;
  state.finalizers().SetOnlyAtMajors(settings.is_stopped || !settings.is_generational);
}

void StopCollector(State& state) {
  CollectorSettings& settings = state.collector_settings;
  if (settings.is_stopped) return;
  settings.is_stopped = true;
  settings.gogc_before_stop = state.heap().SetGogc(gc::Options::kGogcOff);
  SettleFinalizers(state);
}

void RestartCollector(State& state) {
  CollectorSettings& settings = state.collector_settings;
  if (!settings.is_stopped) return;
  settings.is_stopped = false;
  state.heap().SetGogc(settings.gogc_before_stop);
  SettleFinalizers(state);
}

NativeResult Collect(NativeCall& call) {
  call.state().heap().Collect(call.mutator());
  call.state().RunFinalizers();
  return call.ReturnIf(call.PushInteger(0));
}

bool EarnsCycle(State& state, int64_t kib) {
  uint64_t& credit_kib = state.collector_settings.step_credit_kib;
  const uint64_t earned = kib < 0 ? 0 : static_cast<uint64_t>(kib);
  credit_kib += earned > kMinStepKib ? earned : kMinStepKib;
  if (credit_kib < state.heap().LiveEstimateBytes() / 1024 / kCycleShare) return false;
  credit_kib = 0;
  return true;
}

// True when the step ended a cycle. A step of size 0 is a young collection in generational mode,
// which ends none; without a nursery everything is old, and a whole cycle does what is asked for.
NativeResult Step(NativeCall& call) {
  int64_t kib = 0;
  if (!call.OptInteger(2, &kib)) return call.Failed();
  State& state = call.state();
  const bool is_young = kib == 0 && state.collector_settings.is_generational;
  const bool has_nursery = state.heap().options().nursery != gc::Options::Nursery::kOff;
  const bool is_cycle = is_young ? !has_nursery : EarnsCycle(state, kib);
  if (is_cycle) state.heap().Collect(call.mutator());
  if (is_young) state.finalizers().SetOnlyAtMajors(false);  // the script asked for this one
  if (!is_cycle) state.heap().CollectMinor(call.mutator());
  SettleFinalizers(state);
  state.RunFinalizers();
  return call.ReturnValue(Value::Boolean(is_cycle));
}

NativeResult Exchange(NativeCall& call, int* setting) {
  int64_t value = 0;
  if (!call.OptInteger(2, &value)) return call.Failed();
  const int previous = *setting;
  *setting = static_cast<int>(value);
  return call.ReturnIf(call.PushInteger(previous));
}

NativeResult ChangeMode(NativeCall& call, bool is_generational) {
  CollectorSettings& settings = call.state().collector_settings;
  for (int i = 2; i <= (is_generational ? 3 : 4); ++i) {
    int64_t ignored = 0;
    if (!call.OptInteger(i, &ignored)) return call.Failed();
    if (is_generational || ignored == 0) continue;
    if (i == 2) settings.pause_percent = static_cast<int>(ignored);
    if (i == 3) settings.step_multiplier = static_cast<int>(ignored);
  }
  const bool was_generational = settings.is_generational;
  settings.is_generational = is_generational;
  SettleFinalizers(call.state());
  return call.ReturnIf(call.PushString(was_generational ? "generational" : "incremental"));
}

NativeResult Settle(NativeCall& call, int option) {
  State& state = call.state();
  switch (option) {
    case kStop:
      StopCollector(state);
      return call.ReturnIf(call.PushInteger(0));
    case kRestart:
      RestartCollector(state);
      return call.ReturnIf(call.PushInteger(0));
    case kCollect:
      return Collect(call);
    case kStep:
      return Step(call);
    case kCount:
      call.PushNumber(static_cast<double>(state.heap().LiveEstimateBytes()) / 1024);
      return call.Return(1);
    case kIsRunning:
      return call.ReturnValue(Value::Boolean(!state.collector_settings.is_stopped));
    case kSetPause:
      return Exchange(call, &state.collector_settings.pause_percent);
    case kSetStepMultiplier:
      return Exchange(call, &state.collector_settings.step_multiplier);
    default:
      return ChangeMode(call, option == kGenerational);
  }
}

}  // namespace

NativeResult BaseCollectGarbage(NativeCall& call) {
  int option = 0;
  if (!call.CheckOption(1, "collect", kOptionNames, &option)) return call.Failed();
  if (call.state().in_finalizer()) return call.ReturnValue(Value::Nil());
  return Settle(call, option);
}

NativeResult BaseCollectGarbageInSandbox(NativeCall& call) {
  int option = 0;
  if (!call.CheckOption(1, "collect", kOptionNames, &option)) return call.Failed();
  return option == kCount ? Settle(call, kCount) : call.ReturnIf(call.PushInteger(0));
}

}  // namespace neap::vm
