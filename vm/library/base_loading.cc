// SPDX-License-Identifier: MIT
//
// load, loadfile, dofile. A chunk is copied out of the heap before it is compiled: the compiler
// keeps views of it across safepoints. Pieces from a reader function are put together first; an
// error of the reader is a result of load, like one of the compiler.
#include <string>

#include "library/base_parts.h"
#include "library/file_text.h"
#include "library/string_functions.h"
#include "library/text_argument.h"

namespace neap::vm {
namespace {

constexpr uint32_t kAfterCall = 1;

// nil and the error, unless scripts may not see it.
NativeResult ReturnNilAndError(NativeCall& call) {
  State& state = call.state();
  if (state.error_kind() == ErrorKind::kStop) return call.Failed();
  call.PushNil();
  call.Push(state.error());
  state.ClearError();
  return call.Return(2);
}

// The function on top, with `environment` (0: leaves it) as its first upvalue.
NativeResult ReturnFunction(NativeCall& call, int environment) {
  auto* closure = static_cast<LuaClosure*>(call.top().object());
  if (environment != 0 && closure->upvalue_count() > 0) {
    WriteUpvalue(call.state(), closure->upvalue(0), call.arg(environment).word());
  }
  return call.Return(1);
}

enum class Piece : uint8_t { kText, kEnd, kError };

// The next piece of the reader, which is argument 1.
Piece ReadPiece(NativeCall& call, std::string* chunk) {
  State& state = call.state();
  call.Push(call.arg(1));
  if (!state.ProtectedCall(0, 1)) {
    const Value error = call.top();
    call.Pop();
    if (state.error_kind() != ErrorKind::kStop) state.Throw(error);
    return Piece::kError;
  }
  const Value piece = call.top();
  call.Pop();
  if (piece.is_nil()) return Piece::kEnd;
  if (!IsString(piece) && !IsNumber(piece)) {
    call.Error("reader function must return a string");
    return Piece::kError;
  }
  const size_t before = chunk->size();
  chunk->append(State::TextOf(piece));
  return chunk->size() == before ? Piece::kEnd : Piece::kText;
}

// The chunk is put together outside the heap, whose limits hold for it all the same.
bool ReadPieces(NativeCall& call, std::string* chunk) {
  RoomCheck room(call.state());
  for (;;) {
    const Piece piece = ReadPiece(call, chunk);
    if (piece != Piece::kText) return piece == Piece::kEnd;
    if (!room.Allows(chunk->size()) || !call.state().Spend(1)) return false;
  }
}

}  // namespace

NativeResult BaseLoad(NativeCall& call) {
  std::string mode = "bt";
  if (!OptText(call, 3, &mode)) return call.Failed();
  const bool is_text = IsString(call.arg(1)) || IsNumber(call.arg(1));
  std::string chunk = is_text ? State::TextOf(call.arg(1)) : "";
  std::string name = is_text ? chunk : "=(load)";
  if (!OptText(call, 2, &name)) return call.Failed();
  if (!is_text) {
    if (!call.CheckFunction(1)) return call.Failed();
    if (!ReadPieces(call, &chunk)) return ReturnNilAndError(call);
  }
  if (!call.state().Load(chunk, name, mode)) return ReturnNilAndError(call);
  return ReturnFunction(call, call.has(4) ? 4 : 0);
}

NativeResult BaseLoadFile(NativeCall& call) {
  std::string path;
  std::string mode = "bt";
  const bool is_stdin = call.is_none_or_nil(1);
  if (!OptText(call, 1, &path) || !OptText(call, 2, &mode)) return call.Failed();
  if (!LoadFile(call.state(), is_stdin ? nullptr : path.c_str(), mode)) {
    return ReturnNilAndError(call);
  }
  return ReturnFunction(call, call.has(3) ? 3 : 0);
}

NativeResult BaseDoFile(NativeCall& call) {
  if (call.entry_state() == kAfterCall) {
    return call.Return(call.pushed());
  }
  std::string path;
  const bool is_stdin = call.is_none_or_nil(1);
  if (!OptText(call, 1, &path)) return call.Failed();
  State& state = call.state();
  if (!LoadFile(state, is_stdin ? nullptr : path.c_str(), "bt")) {
    if (state.error_kind() == ErrorKind::kScript) state.Throw(state.error());
    return call.Failed();
  }
  return call.CallThen(0, -1, kAfterCall);
}

}  // namespace neap::vm
