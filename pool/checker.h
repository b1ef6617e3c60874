// SPDX-License-Identifier: MIT
//
// Checked mode (neap/pool/checked.h): one entry per item that the pool has seen and not let go of.
//
//            NoteMade / Put of an unknown item
//                  |
//                  v        Put           plain bytes saved and poisoned
//     (none)     out  ------------------------->  in
//       ^         ^                                |  |
//       |         +--------------------------------+  |
//       |                Get: bytes checked, put back |
//       +---------------------------------------------+
//                        evicted: bytes put back, entry forgotten
//
// An entry goes by the item's identity, which for managed objects is a number that is never used
// again, and for values the address: an address that comes back from New means that the item was
// freed by its user, and starts a new entry.
#ifndef NEAP_POOL_CHECKER_H_
#define NEAP_POOL_CHECKER_H_

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "neap/gc/handle.h"
#include "neap/gc/mutator.h"
#include "neap/pool/word_pool.h"

namespace neap::pool::internal {

class Checker {
 public:
  // `options` outlives the checker.
  explicit Checker(const WordOptions& options) : options_(options) {}

  // Each returns what is wrong, if anything; the caller reports it, under no lock.
  // An item was made by New and handed out.
  void NoteMade(gc::Mutator& m, uint64_t id, Word item, CallPlace here);
  // Before anything else looks at an item that is being put: is it in the pool already, or none of
  // the pool's?
  std::optional<Violation> FindBadPut(uint64_t id, CallPlace here) const;
  // The item is about to be parked: saves and poisons it.
  void NotePut(gc::Mutator& m, uint64_t id, Word item, CallPlace here);
  // The item was taken out: verifies the poison and restores the bytes.
  std::optional<Violation> NoteGet(gc::Mutator& m, uint64_t id, Word item, CallPlace here);
  // The item leaves the pool for good (or was refused by it); restores the bytes.
  void Forget(Word item);

  // Where the item was last taken and put, for violations found elsewhere.
  Violation Describe(Violation::Kind kind, uint64_t id, CallPlace here) const;
  std::vector<Unreturned> FindUnreturned() const;

 private:
  struct Entry {
    bool in = false;
    uint64_t order = 0;  // of the Get
    CallPlace get;
    CallPlace put;
    std::vector<uint8_t> saved;  // plain bytes while in
    uint64_t fingerprint = 0;    // in their place (WordOptions::fingerprint)
    gc::WeakHandle weak;         // managed: the item
  };

  Entry& EntryFor(gc::Mutator& m, uint64_t id, Word item);
  Entry* FindByItem(Word item);
  bool Unpoison(Entry& entry, Word item);
  Violation DescribeLocked(Violation::Kind kind, uint64_t id, CallPlace here) const;

  const WordOptions& options_;
  mutable std::mutex mutex_;
  uint64_t gets_ = 0;
  std::unordered_map<uint64_t, Entry> entries_;
  // Managed items by their present address, rebuilt when it proves stale (objects move): eviction
  // knows an item only by its word.
  std::unordered_map<Word, uint64_t> ids_;
};

// A failed check that names the violation.
[[noreturn]] void FailOn(const Violation& violation);

}  // namespace neap::pool::internal

#endif  // NEAP_POOL_CHECKER_H_
