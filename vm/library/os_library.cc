// SPDX-License-Identifier: MIT
//
// The operating system library (manual 6.9). Commands are waited for in a blocking region: other
// threads of the process may collect meanwhile.
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "library/library.h"
#include "library/native_setup.h"
#include "library/os_date.h"
#include "library/system_result.h"
#include "library/text_argument.h"

namespace neap::vm {
namespace {

NativeResult CpuClock(NativeCall& call) {
  call.PushNumber(static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
  return call.Return(1);
}

NativeResult DiffTime(NativeCall& call) {
  int64_t later = 0;
  int64_t earlier = 0;
  if (!call.CheckInteger(1, &later) || !call.CheckInteger(2, &earlier)) return call.Failed();
  call.PushNumber(
      std::difftime(static_cast<std::time_t>(later), static_cast<std::time_t>(earlier)));
  return call.Return(1);
}

int RunCommand(gc::Mutator& m, const char* command, int* error) {
  gc::BlockingRegion region(m);
  errno = 0;
  const int status = std::system(command);
  *error = errno;
  return status;
}

NativeResult Execute(NativeCall& call) {
  int error = 0;
  if (call.is_none_or_nil(1)) {
    return call.ReturnValue(Value::Boolean(RunCommand(call.mutator(), nullptr, &error) != 0));
  }
  std::string command;
  if (!CheckText(call, 1, &command)) return call.Failed();
  const int status = RunCommand(call.mutator(), command.c_str(), &error);
  return ReturnExitStatus(call, status, error);
}

NativeResult Exit(NativeCall& call) {
  int64_t status = EXIT_SUCCESS;
  if (call.arg(1).is_boolean()) {
    status = call.arg(1).is_true() ? EXIT_SUCCESS : EXIT_FAILURE;
  } else if (!call.OptInteger(1, &status)) {
    return call.Failed();
  }
  State& state = call.state();
  if (state.exit != nullptr) state.exit(state, static_cast<int>(status), call.arg(2).is_truthy());
  std::fflush(nullptr);
  std::exit(static_cast<int>(status));
}

NativeResult ReturnTextOrNil(NativeCall& call, const char* text) {
  if (text == nullptr) return call.ReturnValue(Value::Nil());
  return call.ReturnIf(call.PushString(text));
}

NativeResult GetEnv(NativeCall& call) {
  std::string name;
  if (!CheckText(call, 1, &name)) return call.Failed();
  return ReturnTextOrNil(call, std::getenv(name.c_str()));
}

NativeResult Remove(NativeCall& call) {
  std::string name;
  if (!CheckText(call, 1, &name)) return call.Failed();
  errno = 0;
  const bool ok = std::remove(name.c_str()) == 0;
  return ReturnFileResult(call, ok, name.c_str(), errno);
}

NativeResult Rename(NativeCall& call) {
  std::string from;
  std::string to;
  if (!CheckText(call, 1, &from) || !CheckText(call, 2, &to)) return call.Failed();
  errno = 0;
  const bool ok = std::rename(from.c_str(), to.c_str()) == 0;
  return ReturnFileResult(call, ok, nullptr, errno);
}

NativeResult SetLocale(NativeCall& call) {
  static constexpr const char* kNames[] = {"all",     "collate", "ctype", "monetary",
                                           "numeric", "time",    nullptr};
  static constexpr int kCategories[] = {LC_ALL,      LC_COLLATE, LC_CTYPE,
                                        LC_MONETARY, LC_NUMERIC, LC_TIME};
  std::string locale;
  const bool is_question = call.is_none_or_nil(1);
  int category = 0;
  if (!OptText(call, 1, &locale) || !call.CheckOption(2, "all", kNames, &category)) {
    return call.Failed();
  }
  return ReturnTextOrNil(
      call, std::setlocale(kCategories[category], is_question ? nullptr : locale.c_str()));
}

NativeResult TmpName(NativeCall& call) {
  char name[] = "/tmp/lua_XXXXXX";
  const int file = mkstemp(name);
  if (file == -1) return call.ReturnIf(call.Error("unable to generate a unique filename"));
  close(file);
  return call.ReturnIf(call.PushString(name));
}

constexpr NativeEntry kFunctions[] = {
    {"clock", CpuClock}, {"date", OsDate},     {"difftime", DiffTime},   {"execute", Execute},
    {"exit", Exit},      {"getenv", GetEnv},   {"remove", Remove},       {"rename", Rename},
    {"time", OsTime},    {"tmpname", TmpName}, {"setlocale", SetLocale}, {nullptr, nullptr},
};

}  // namespace

bool OpenOs(State& state) { return PushNewTable(state) && SetFunctions(state, kFunctions); }

}  // namespace neap::vm
