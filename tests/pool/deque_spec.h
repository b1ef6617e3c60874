// SPDX-License-Identifier: MIT
//
// What a queue with one owner and many thieves may answer, as a plain deque, and a search for an
// order of the operations that explains the answers (linearizability: Herlihy and Wing, 1990).
#ifndef NEAP_TESTS_POOL_DEQUE_SPEC_H_
#define NEAP_TESTS_POOL_DEQUE_SPEC_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace neap::testing {

struct DequeOp {
  enum class Kind : uint8_t { kPushHead, kPopHead, kPopTail } kind;
  uint64_t value = 0;  // pushed or popped; 0: nothing was popped
  bool ok = true;      // kPushHead: whether it succeeded
  uint64_t begin = 0;  // step in which it was called and in which it returned
  uint64_t end = 0;
};

// What the structure is allowed beyond the deque.
struct DequeAllowance {
  size_t capacity = SIZE_MAX;   // a push into a full one must fail
  bool spurious_full = false;   // a push may fail without being full
  bool spurious_empty = false;  // PopTail may find nothing although something is there
};

class DequeSpec {
 public:
  DequeSpec(std::vector<DequeOp> ops, std::deque<uint64_t> initial, DequeAllowance allowance)
      : ops_(std::move(ops)), deque_(std::move(initial)), allowance_(allowance) {}

  // True when some order, consistent with real time, explains every answer and ends with `left`
  // (oldest first).
  bool Explains(const std::deque<uint64_t>& left) {
    left_ = left;
    used_.assign(ops_.size(), false);
    return Search(0);
  }

 private:
  bool Search(size_t done) {
    if (done == ops_.size()) return deque_ == left_;
    for (size_t i = 0; i < ops_.size(); ++i) {
      if (used_[i] || !MayBeNext(i)) continue;
      const std::deque<uint64_t> before = deque_;
      used_[i] = true;
      if (Apply(ops_[i]) && Search(done + 1)) return true;
      used_[i] = false;
      deque_ = before;
    }
    return false;
  }
  // No pending operation ended before this one began.
  bool MayBeNext(size_t i) const {
    for (size_t j = 0; j < ops_.size(); ++j) {
      if (!used_[j] && j != i && ops_[j].end < ops_[i].begin) return false;
    }
    return true;
  }
  bool Apply(const DequeOp& op) {
    switch (op.kind) {
      case DequeOp::Kind::kPushHead: {
        const bool full = deque_.size() >= allowance_.capacity;
        if (!op.ok) return full || allowance_.spurious_full;
        if (full) return false;
        deque_.push_back(op.value);
        return true;
      }
      case DequeOp::Kind::kPopHead:
        if (op.value == 0) return deque_.empty();
        if (deque_.empty() || deque_.back() != op.value) return false;
        deque_.pop_back();
        return true;
      case DequeOp::Kind::kPopTail:
        if (op.value == 0) return deque_.empty() || allowance_.spurious_empty;
        if (deque_.empty() || deque_.front() != op.value) return false;
        deque_.pop_front();
        return true;
    }
    return false;
  }

  const std::vector<DequeOp> ops_;
  std::deque<uint64_t> deque_;
  const DequeAllowance allowance_;
  std::deque<uint64_t> left_;
  std::vector<bool> used_;
};

}  // namespace neap::testing

#endif  // NEAP_TESTS_POOL_DEQUE_SPEC_H_
