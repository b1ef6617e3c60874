// SPDX-License-Identifier: MIT
#include "script_workload.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "frame_loop.h"
#include "heap_traces.h"
#include "neap/gc/heap.h"
#include "neap/vm/vm.h"

namespace neap::workload {
namespace {

constexpr const char* kFunctions[] = {"setup", "step", "teardown"};

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file.peek() != EOF) text << file.rdbuf();  // nothing is no text to `<<`
  if (!file.is_open() || file.bad() || !text) {
    return absl::NotFoundError(absl::StrCat("cannot read the workload '", path, "'"));
  }
  return std::move(text).str();
}

// `where`: the function and the frame, or nothing for the file's own chunk.
absl::Status ScriptError(const std::string& path, const std::string& where,
                         const lua::Error& error) {
  const std::string place = where.empty() ? path : absl::StrCat(path, ": ", where);
  return absl::AbortedError(absl::StrCat(place, ": ", error.ToString()));
}

// A loaded workload: its functions and its parameters.
class Script {
 public:
  Script(gc::Mutator& m, std::string path, uint64_t seed)
      : vm_(m, {.hash_seed = seed}), path_(std::move(path)) {}

  absl::Status Load() {
    absl::StatusOr<std::string> text = ReadFile(path_);
    if (!text.ok()) return text.status();
    lua::Result<lua::Any> result = vm_.Run(*text, absl::StrCat("@", path_));
    if (!result.ok()) return ScriptError(path_, "", result.error());
    table_ = result->kind() == lua::Kind::kTable ? *std::move(result) : vm_.globals();
    for (size_t i = 0; i < std::size(kFunctions); ++i) {
      lua::Result<lua::Any> function = table_.Get(kFunctions[i]);
      if (!function.ok()) return ScriptError(path_, kFunctions[i], function.error());
      functions_[i] = *std::move(function);
      const lua::Kind kind = functions_[i].kind();
      if (kind == lua::Kind::kFunction || (kind == lua::Kind::kNil && i != kStep)) continue;
      return Refuse(absl::StrCat("'", kFunctions[i], "' is ", functions_[i].type_name(),
                                 "; a workload needs a function 'step', and setup and teardown are "
                                 "functions when they are there"));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ScriptFacts> Facts() {
    ScriptFacts facts;
    absl::Status status = ReadStorages(&facts.storages);
    if (status.ok()) status = ReadParameters(&facts.parameters);
    if (!status.ok()) return status;
    return facts;
  }

  absl::Status Setup(const Knobs& knobs, uint64_t seed) {
    lua::Result<lua::Any> params = table_.Get("params");
    if (!params.ok()) return ScriptError(path_, "params", params.error());
    const absl::StatusOr<ScriptFacts> facts = Facts();
    if (!facts.ok()) return facts.status();
    params_ = params->is_nil() ? *vm_.NewTable() : *std::move(params);
    absl::Status status = Put("seed", static_cast<int64_t>(seed >> 1));
    if (status.ok()) status = Put("storage", facts->storages[0]);
    for (const Knob& knob : knobs) {
      if (status.ok()) status = SetParameter(knob, *facts);
    }
    if (!status.ok()) return status;
    if (functions_[kSetup].is_nil()) return absl::OkStatus();
    lua::Result<lua::Any> state = functions_[kSetup].Call(params_);
    if (!state.ok()) return ScriptError(path_, "setup", state.error());
    state_ = *std::move(state);
    return absl::OkStatus();
  }

  absl::StatusOr<double> Step(int64_t index) {
    const lua::Result<lua::Any> sum = functions_[kStep].Call(state_, index + 1);
    if (!sum.ok()) {
      return ScriptError(path_, absl::StrCat("step, frame ", index + 1), sum.error());
    }
    if (sum->is_nil()) return 0.0;
    const std::optional<double> number = sum->ToNumber();
    if (number) return *number;
    return Refuse(absl::StrCat("step returned a ", sum->type_name(), " in frame ", index + 1,
                               "; a number or nothing is wanted"));
  }

  absl::Status Teardown() {
    if (functions_[kTeardown].is_nil()) return absl::OkStatus();
    const lua::Result<lua::Any> result = functions_[kTeardown].Call(state_);
    return result.ok() ? absl::OkStatus() : ScriptError(path_, "teardown", result.error());
  }

 private:
  enum : size_t { kSetup, kStep, kTeardown };

  absl::Status Refuse(const std::string& problem) const {
    return absl::InvalidArgumentError(absl::StrCat(path_, ": ", problem));
  }

  absl::Status ReadStorages(std::vector<std::string>* storages) {
    const lua::Result<lua::Any> list = table_.Get("storages");
    if (!list.ok()) return ScriptError(path_, "storages", list.error());
    if (list->is_nil()) {
      *storages = {""};
      return absl::OkStatus();
    }
    if (list->kind() != lua::Kind::kTable) {
      return Refuse(absl::StrCat("'storages' is a ", list->type_name(), ", not a list of names"));
    }
    const lua::Result<int64_t> length = list->Length();
    for (int64_t i = 1; length.ok() && i <= *length; ++i) {
      const lua::Result<lua::Any> name = list->Get(i);
      const std::optional<std::string> text = name.ok() ? name->ToText() : std::nullopt;
      if (!text) return Refuse(absl::StrCat("'storages' holds no name at ", i));
      const auto same = std::find(storages->begin(), storages->end(), *text);
      if (same != storages->end()) {
        return Refuse(absl::StrCat("'storages' holds \"", *text, "\" twice, at ",
                                   same - storages->begin() + 1, " and ", i));
      }
      storages->push_back(*text);
    }
    return storages->empty() ? Refuse("'storages' is empty") : absl::OkStatus();
  }

  absl::Status ReadParameters(Knobs* knobs) {
    const lua::Result<lua::Any> params = table_.Get("params");
    if (!params.ok()) return ScriptError(path_, "params", params.error());
    if (params->is_nil()) return absl::OkStatus();
    if (params->kind() != lua::Kind::kTable) {
      return Refuse(absl::StrCat("'params' is a ", params->type_name(), ", not a table"));
    }
    for (lua::Any key, value; params->Next(&key, &value);) {
      const std::optional<std::string> name = key.ToText();
      if (!name) return Refuse("'params' has a key that is no name");
      if (*name == "seed" || *name == "storage") continue;  // set by us
      if (IsCommonKnob(*name)) {
        return Refuse(absl::StrCat("'params.", *name,
                                   "' has the name of a knob of the run or of "
                                   "the heap; call it something else"));
      }
      const lua::Result<std::string> text = value.ToDisplay();
      knobs->push_back({*name, text.ok() ? *text : "?"});
    }
    return absl::OkStatus();
  }

  absl::Status Put(const std::string& name, const lua::Input& value) {
    const lua::Result<void> result = params_.Set(name, value);
    return result.ok() ? absl::OkStatus()
                       : ScriptError(path_, absl::StrCat("params.", name), result.error());
  }

  // The knob's text, as the type that the parameter has already.
  absl::Status SetParameter(const Knob& knob, const ScriptFacts& facts) {
    if (knob.name == "storage") {
      for (const std::string& storage : facts.storages) {
        if (storage != knob.value) continue;
        return Put("storage", storage);
      }
      return BadKnob(knob, absl::StrCat("one of 'storages' in ", path_));
    }
    const lua::Result<lua::Any> initial = params_.Get(knob.name);
    if (!initial.ok()) return ScriptError(path_, "params", initial.error());
    int64_t whole = 0;
    double real = 0;
    switch (initial->kind()) {
      case lua::Kind::kInteger:
      case lua::Kind::kFloat:
        if (absl::SimpleAtoi(knob.value, &whole)) return Put(knob.name, whole);
        if (absl::SimpleAtod(knob.value, &real)) return Put(knob.name, real);
        return BadKnob(knob, "a number, as its initial value is one");
      case lua::Kind::kBoolean:
        if (knob.value != "true" && knob.value != "false") return BadKnob(knob, "true or false");
        return Put(knob.name, knob.value == "true");
      case lua::Kind::kString:
        return Put(knob.name, knob.value);
      default:
        break;
    }
    std::string known = "storage";
    for (const Knob& parameter : facts.parameters) absl::StrAppend(&known, ", ", parameter.name);
    return UnknownKnob(knob, path_, known);
  }

  lua::Vm vm_;
  const std::string path_;
  lua::Any table_, params_, state_;
  lua::Any functions_[std::size(kFunctions)];
};

}  // namespace

absl::StatusOr<ScriptFacts> ReadScriptFacts(const std::string& path) {
  gc::Options options;
  options.procs = 1;
  gc::Heap heap(options);
  gc::Mutator m(heap);
  Script script(m, path, 0);
  const absl::Status status = script.Load();
  if (!status.ok()) return status;
  return script.Facts();
}

absl::StatusOr<Run> RunScript(const std::string& path, const SortedKnobs& knobs) {
  gc::Options options = knobs.heap;
  options.procs = 1;
  const absl::StatusOr<std::unique_ptr<gc::Heap>> heap = gc::Heap::Create(options);
  if (!heap.ok()) return heap.status();
  lab::AttachTraces(**heap);
  gc::Mutator m(**heap);
  Script script(m, path, knobs.run.seed);
  absl::Status status = script.Load();
  if (status.ok()) status = script.Setup(knobs.rest, knobs.run.seed);
  if (!status.ok()) return status;
  absl::StatusOr<Run> run =
      RunFrames(**heap, knobs.run, [&](int64_t index) { return script.Step(index); });
  if (!run.ok()) return run;
  status = script.Teardown();
  if (!status.ok()) return status;
  return run;
}

}  // namespace neap::workload
