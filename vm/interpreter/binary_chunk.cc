// SPDX-License-Identifier: MIT
//
// Binary chunks. The header is that of the reference implementation, byte for byte, so that tools
// and scripts that look at it see what they expect. What follows is our own:
//
//    0   4  "\x1bLua"
//    4   1  0x54: the version of the language
//    5   1  0: the format
//    6   6  "\x19\x93\r\n\x1a\n": damaged by programs that convert line ends
//   12   3  4, 8, 8: sizes of an instruction (theirs), an integer, a float
//   15   8  0x5678 as an integer, little endian
//   23   8  370.5 as a float
//   31   1  upvalues of the main function
//   32   4  "neap"
//   36   1  version of the payload
//   37   n  bytes of the payload, a varint
//        8  checksum of the payload and of the number of upvalues
//           payload: the main function, a varint or a byte for every field, children inside
//
//   B1  A chunk that is cut off anywhere is refused with "truncated": the payload's size is known
//       before it is looked at.
//   B2  A changed byte is refused: each byte of the header is compared, the rest has a checksum.
//   B3  What is forged (a right checksum over a bad payload) may at most be refused: counts are
//       compared with the bytes that are left before memory is taken, and CheckCode sees the unit.
#include "interpreter/binary_chunk.h"

#include <bit>
#include <cstring>
#include <utility>

#include "compiler/code_checker.h"
#include "interpreter/function_code.h"
#include "text/concat.h"

namespace neap::vm {
namespace {

constexpr std::string_view kSignature = "\x1bLua";
constexpr std::string_view kLineEnds = "\x19\x93\r\n\x1a\n";
constexpr std::string_view kMaker = "neap";
constexpr char kLanguageVersion = 0x54;
constexpr char kFormat = 0;
constexpr char kPayloadVersion = 1;
constexpr uint64_t kSampleInteger = 0x5678;
constexpr double kSampleFloat = 370.5;
constexpr int kChecksumBytes = 8;
// Functions inside functions, which are read by recursion. The parser's own limit is lower.
constexpr int kMaxDepth = 250;

enum class ConstantKind : uint8_t { kNil, kFalse, kTrue, kInteger, kFloat, kString };

// FNV-1a: every step is a bijection of the sum, so that no single changed byte goes unseen.
uint64_t Checksum(uint8_t upvalues, std::string_view payload) {
  constexpr uint64_t kBasis = 0xcbf29ce484222325, kPrime = 0x100000001b3;
  uint64_t sum = (kBasis ^ upvalues) * kPrime;
  for (const char c : payload) sum = (sum ^ static_cast<uint8_t>(c)) * kPrime;
  return sum;
}

// Small numbers of either sign become small unsigned ones: 0, -1, 1, -2, ...
uint64_t FoldSign(int64_t i) {
  return (static_cast<uint64_t>(i) << 1) ^ static_cast<uint64_t>(i >> 63);
}
int64_t UnfoldSign(uint64_t n) { return static_cast<int64_t>((n >> 1) ^ (0 - (n & 1))); }

// --- Writing -------------------------------------------------------------------------------------

class Writer {
 public:
  explicit Writer(std::string* out) : out_(*out) {}

  void Byte(uint64_t byte) { out_.push_back(static_cast<char>(byte)); }
  void Number(uint64_t n) {
    for (; n >= 0x80; n >>= 7) Byte((n & 0x7f) | 0x80);
    Byte(n);
  }
  void Word(uint64_t n) {
    for (int i = 0; i < 8; ++i) Byte((n >> (8 * i)) & 0xff);
  }
  void Bytes(std::string_view bytes) { out_.append(bytes); }
  void Text(std::string_view text) {
    Number(text.size());
    Bytes(text);
  }

 private:
  std::string& out_;
};

void WriteConstant(Writer& out, const Constant& constant) {
  const auto kind = [&out](ConstantKind k) { out.Byte(static_cast<uint8_t>(k)); };
  if (const auto* flag = std::get_if<bool>(&constant)) {
    kind(*flag ? ConstantKind::kTrue : ConstantKind::kFalse);
  } else if (const auto* integer = std::get_if<int64_t>(&constant)) {
    kind(ConstantKind::kInteger);
    out.Number(FoldSign(*integer));
  } else if (const auto* real = std::get_if<double>(&constant)) {
    kind(ConstantKind::kFloat);
    out.Word(std::bit_cast<uint64_t>(*real));
  } else if (const auto* text = std::get_if<std::string>(&constant)) {
    kind(ConstantKind::kString);
    out.Text(*text);
  } else {
    kind(ConstantKind::kNil);
  }
}

void WriteCode(Writer& out, const CodeUnit& unit) {
  out.Number(unit.code.size());
  for (const Instruction& instruction : unit.code) {
    out.Byte(static_cast<uint8_t>(instruction.op));
    out.Byte(instruction.a);
    out.Number(instruction.b);
    out.Number(instruction.x);
  }
  out.Number(unit.constants.size());
  for (const Constant& constant : unit.constants) WriteConstant(out, constant);
  out.Number(unit.templates.size());
  for (const RecordTemplate& record : unit.templates) {
    out.Number(record.keys.size());
    for (const uint32_t key : record.keys) out.Number(key);
  }
  out.Number(unit.upvalues.size());
  for (const UpvalueInfo& upvalue : unit.upvalues) {
    out.Byte(upvalue.is_parent_local ? 1 : 0);
    out.Byte(upvalue.index);
  }
}

// Names and lines; each list is empty when stripped.
void WriteNames(Writer& out, const CodeUnit& unit, bool strip) {
  for (const UpvalueInfo& upvalue : unit.upvalues) {
    out.Text(strip ? std::string_view() : std::string_view(upvalue.name));
  }
  out.Number(strip ? 0 : unit.locals.size());
  for (size_t i = 0; !strip && i < unit.locals.size(); ++i) {
    const LocalInfo& local = unit.locals[i];
    out.Text(local.name);
    out.Number(local.begin);
    out.Number(local.end);
    out.Byte(local.slot);
  }
  out.Number(strip ? 0 : unit.lines.size());
  uint32_t before = unit.line;
  for (size_t i = 0; !strip && i < unit.lines.size(); ++i) {
    out.Number(FoldSign(int64_t{unit.lines[i]} - before));
    before = unit.lines[i];
  }
}

// The units of functions inside lie with their prototypes.
void WriteFunction(Writer& out, const FunctionCode& code, std::string_view source, bool strip) {
  const CodeUnit& unit = *code.unit;
  out.Text(source);
  out.Number(unit.line);
  out.Number(unit.last_line);
  out.Byte(unit.parameters);
  out.Byte(unit.registers);
  out.Byte(unit.is_vararg ? 1 : 0);
  out.Number(unit.caches);
  WriteCode(out, unit);
  WriteNames(out, unit, strip);
  out.Number(code.children.size());
  for (uint32_t i = 0; i < code.children.size(); ++i) {
    WriteFunction(out, *code.child(i)->code, "", strip);
  }
}

// --- Reading -------------------------------------------------------------------------------------

// Reads on after an error, too: zeros and empty texts. The first reason stays.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  const char* problem() const { return problem_; }
  bool ok() const { return problem_ == nullptr; }
  std::string_view rest() const { return rest_; }
  void Fail(const char* problem) {
    if (ok()) problem_ = problem;
    rest_ = {};
  }

  uint8_t Byte() {
    const std::string_view byte = Bytes(1);
    return byte.empty() ? 0 : static_cast<uint8_t>(byte[0]);
  }
  uint64_t Number() {
    uint64_t n = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint64_t byte = Byte();
      n |= (byte & 0x7f) << shift;
      if (byte < 0x80) return n;
    }
    Fail("corrupted chunk");
    return 0;
  }
  uint64_t NumberUpTo(uint64_t limit) {
    const uint64_t n = Number();
    if (n <= limit) return n;
    Fail("corrupted chunk");
    return 0;
  }
  uint32_t Small() { return static_cast<uint32_t>(NumberUpTo(UINT32_MAX)); }
  // The length of a list whose elements take `element_bytes` at least. (B3)
  size_t Count(size_t element_bytes = 1) { return NumberUpTo(rest_.size() / element_bytes); }
  uint64_t Word() {
    uint64_t n = 0;
    for (int i = 0; i < 8; ++i) n |= uint64_t{Byte()} << (8 * i);
    return n;
  }
  bool Flag() { return NumberUpTo(1) != 0; }
  std::string_view Bytes(size_t count) {
    if (count > rest_.size()) {
      Fail("truncated chunk");
      return {};
    }
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }
  std::string Text() { return std::string(Bytes(Count())); }
  // The bytes that have to come now.
  void Expect(std::string_view wanted, const char* otherwise) {
    if (Bytes(wanted.size()) != wanted) Fail(otherwise);
  }

 private:
  std::string_view rest_;
  const char* problem_ = nullptr;
};

Constant ReadConstant(Reader& in) {
  switch (static_cast<ConstantKind>(in.Byte())) {
    case ConstantKind::kNil:
      return std::monostate();
    case ConstantKind::kFalse:
      return false;
    case ConstantKind::kTrue:
      return true;
    case ConstantKind::kInteger:
      return UnfoldSign(in.Number());
    case ConstantKind::kFloat:
      return std::bit_cast<double>(in.Word());
    case ConstantKind::kString:
      return in.Text();
  }
  in.Fail("corrupted chunk");
  return std::monostate();
}

void ReadCode(Reader& in, CodeUnit* unit) {
  constexpr size_t kLeastInstructionBytes = 4;
  unit->code.resize(in.Count(kLeastInstructionBytes));
  for (Instruction& instruction : unit->code) {
    instruction.op = static_cast<Op>(in.Byte());
    instruction.a = in.Byte();
    instruction.b = static_cast<uint16_t>(in.NumberUpTo(UINT16_MAX));
    instruction.x = in.Small();
  }
  unit->constants.resize(in.Count());
  for (Constant& constant : unit->constants) constant = ReadConstant(in);
  unit->templates.resize(in.Count());
  for (RecordTemplate& record : unit->templates) {
    record.keys.resize(in.Count());
    for (uint32_t& key : record.keys) key = in.Small();
  }
  unit->upvalues.resize(in.Count(2));
  for (UpvalueInfo& upvalue : unit->upvalues) {
    upvalue.is_parent_local = in.Flag();
    upvalue.index = in.Byte();
  }
}

void ReadNames(Reader& in, CodeUnit* unit) {
  for (UpvalueInfo& upvalue : unit->upvalues) upvalue.name = in.Text();
  unit->locals.resize(in.Count());
  for (LocalInfo& local : unit->locals) {
    local.name = in.Text();
    local.begin = in.Small();
    local.end = in.Small();
    local.slot = in.Byte();
  }
  unit->lines.resize(in.Count());
  int64_t line = unit->line;
  for (uint32_t& each : unit->lines) {
    line += UnfoldSign(in.Small());
    each = static_cast<uint32_t>(line);
  }
  if (!unit->lines.empty() && unit->lines.size() != unit->code.size()) in.Fail("corrupted chunk");
}

std::unique_ptr<CodeUnit> ReadFunction(Reader& in, int depth) {
  auto unit = std::make_unique<CodeUnit>();
  unit->source = in.Text();
  unit->line = in.Small();
  unit->last_line = in.Small();
  unit->parameters = in.Byte();
  unit->registers = in.Byte();
  unit->is_vararg = in.Flag();
  unit->caches = in.Small();
  ReadCode(in, unit.get());
  // B3: an instruction has one inline cache at most.
  if (unit->caches > kCacheWords * unit->code.size() || depth > kMaxDepth) {
    in.Fail("corrupted chunk");
  }
  ReadNames(in, unit.get());
  unit->children.resize(in.Count());
  for (std::unique_ptr<CodeUnit>& child : unit->children) {
    if (!in.ok()) break;
    child = ReadFunction(in, depth + 1);
  }
  return unit;
}

std::string ExpectedFloat() {
  std::string bytes;
  Writer(&bytes).Word(std::bit_cast<uint64_t>(kSampleFloat));
  return bytes;
}

// The part that the reference implementation writes, too. In its words.
void ReadHeader(Reader& in) {
  in.Expect(kSignature, "not a binary chunk");
  in.Expect({&kLanguageVersion, 1}, "version mismatch");
  in.Expect({&kFormat, 1}, "format mismatch");
  in.Expect(kLineEnds, "corrupted chunk");
  in.Expect("\x04", "Instruction size mismatch");
  in.Expect("\x08", "lua_Integer size mismatch");
  in.Expect("\x08", "lua_Number size mismatch");
  if (in.Word() != kSampleInteger) in.Fail("integer format mismatch");
  in.Expect(ExpectedFloat(), "float format mismatch");
}

// The payload, checked. B1: of what is cut off, no byte is looked at.
std::string_view ReadFrame(Reader& in, uint8_t* upvalues) {
  ReadHeader(in);
  *upvalues = in.Byte();
  // Of another maker's chunk, cut off, too: nothing but the beginning of our name is "truncated".
  if (!kMaker.starts_with(in.rest().substr(0, kMaker.size()))) in.Fail("not made by this program");
  in.Expect(kMaker, "not made by this program");
  in.Expect({&kPayloadVersion, 1}, "made by another version of this program");
  const uint64_t size = in.Number();
  const uint64_t sum = in.Word();
  const std::string_view payload = in.Bytes(size);
  if (in.ok() && Checksum(*upvalues, payload) != sum) in.Fail("corrupted chunk");
  return payload;
}

absl::Status Refusal(const std::string& chunk_name, std::string_view problem) {
  std::string_view name = chunk_name;
  if (name.starts_with('@') || name.starts_with('=')) {
    name.remove_prefix(1);
  } else if (name.starts_with(kSignature[0])) {
    name = "binary string";
  }
  return absl::InvalidArgumentError(Concat(name, ": bad binary format (", problem, ")"));
}

}  // namespace

bool DumpFunction(State&, LuaClosure* closure, bool strip, std::string* out) {
  const FunctionCode& code = *CodeOf(closure);
  const auto upvalues = static_cast<uint8_t>(closure->upvalue_count());
  std::string payload;
  Writer body(&payload);
  WriteFunction(body, code, strip ? "=?" : code.source_name()->view(), strip);
  Writer frame(out);
  frame.Bytes(kSignature);
  frame.Byte(kLanguageVersion);
  frame.Byte(kFormat);
  frame.Bytes(kLineEnds);
  frame.Bytes("\x04\x08\x08");
  frame.Word(kSampleInteger);
  frame.Word(std::bit_cast<uint64_t>(kSampleFloat));
  frame.Byte(upvalues);
  frame.Bytes(kMaker);
  frame.Byte(kPayloadVersion);
  frame.Number(payload.size());
  frame.Word(Checksum(upvalues, payload));
  frame.Bytes(payload);
  return true;
}

absl::StatusOr<std::unique_ptr<CodeUnit>> ReadBinaryChunk(std::string_view chunk,
                                                          const std::string& chunk_name) {
  Reader in(chunk);
  uint8_t upvalues = 0;
  const std::string_view payload = ReadFrame(in, &upvalues);
  if (!in.ok()) return Refusal(chunk_name, in.problem());
  Reader body(payload);
  std::unique_ptr<CodeUnit> unit = ReadFunction(body, 0);
  if (body.ok() && (!body.rest().empty() || unit->upvalues.size() != upvalues)) {
    body.Fail("corrupted chunk");
  }
  if (!body.ok()) return Refusal(chunk_name, body.problem());
  const absl::Status sound = CheckCode(*unit);
  if (!sound.ok()) return Refusal(chunk_name, std::string(sound.message()));
  return unit;
}

bool IsBinaryChunk(std::string_view chunk) { return chunk.starts_with(kSignature[0]); }

}  // namespace neap::vm
