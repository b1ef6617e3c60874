// SPDX-License-Identifier: MIT
//
// How a text engine fails, and how long it may work.
//
// The engines throw nothing and do not know where in a script they were called. A failure is a
// value with the words that a Lua 5.4 script sees; the library that called adds what only it knows:
// the position, and for kArgument the number of the argument and the name of the function.
//
//   kError      "invalid capture index %2"          -> "x.lua:1: invalid capture index %2"
//   kArgument   "string contains zeros", argument 2 -> "x.lua:1: bad argument #2 to 'format'
//                                                       (string contains zeros)"
//   kOutOfWork  the budget is used up: not an error of the script's, its host decides
#ifndef NEAP_VM_TEXT_TEXT_STATUS_H_
#define NEAP_VM_TEXT_TEXT_STATUS_H_

#include <cstdint>
#include <string>
#include <utility>

namespace neap::vm {

class [[nodiscard]] TextStatus {
 public:
  enum class Kind : uint8_t { kOk, kError, kArgument, kOutOfWork };

  // The argument in an error about the value just given: the caller knows which one it was.
  static constexpr int kValueAtHand = 0;

  TextStatus() = default;
  static TextStatus Error(std::string message) {
    return TextStatus(Kind::kError, kValueAtHand, std::move(message));
  }
  static TextStatus Argument(int argument, std::string message) {
    return TextStatus(Kind::kArgument, argument, std::move(message));
  }
  static TextStatus OutOfWork() {
    return TextStatus(Kind::kOutOfWork, kValueAtHand, "out of work budget");
  }

  bool ok() const { return kind_ == Kind::kOk; }
  Kind kind() const { return kind_; }
  int argument() const { return argument_; }
  const std::string& message() const { return message_; }

 private:
  TextStatus(Kind kind, int argument, std::string message)
      : kind_(kind), argument_(argument), message_(std::move(message)) {}

  Kind kind_ = Kind::kOk;
  int argument_ = kValueAtHand;
  std::string message_;
};

// A countdown of work. A unit is about one item of a pattern tried at one place, some nanoseconds;
// long scans cost one unit per kBytesPerUnit bytes. Shared by as many calls as the owner likes.
class WorkBudget {
 public:
  // Bytes of a plain scan that are charged as one unit. Larger: long runs become too cheap to
  // bound; smaller: a scan uses up the budget that was meant for backtracking.
  static constexpr uint64_t kBytesPerUnit = 8;

  explicit WorkBudget(uint64_t units) : left_(units) {}

  // False, and nothing is left, when the budget holds less than `units`.
  bool Spend(uint64_t units) {
    const bool enough = units <= left_;
    left_ = enough ? left_ - units : 0;
    return enough;
  }
  uint64_t left() const { return left_; }

 private:
  uint64_t left_;
};

}  // namespace neap::vm

#endif  // NEAP_VM_TEXT_TEXT_STATUS_H_
