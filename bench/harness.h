// SPDX-License-Identifier: MIT
//
// How neap_bench measures and what it lets itself say.
//
// Rules:
//   B1  A figure is believed only after its program proved its answer: each cell and each peer
//       prints a checksum, and a wrong one ends the benchmark as broken (exit status 1).
//   B2  Ours and the reference run in alternation (ours, theirs, theirs, ours, ...) in the same
//       run; the figure is the median of the ratios of neighbours, beside the spread of each side.
//   B3  A requirement that is not met is printed as NOT MET and nothing is repeated until it is.
//       What cannot be measured here is printed as skipped, with the reason. An aim is what a later
//       version is for: it stands beside the figure and is not judged.
//   B4  Nothing timed is a test: an unmet requirement does not change the exit status.
#ifndef NEAP_BENCH_HARNESS_H_
#define NEAP_BENCH_HARNESS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace neap::bench {

// Samples of one quantity.
struct Sample {
  double median = 0;
  double low = 0, high = 0;
  size_t runs = 0;
};
Sample Summarize(std::vector<double> values);

struct Pairing {
  Sample ours, reference;
  Sample ratio;  // ours / reference, pair by pair
};

// Calls `ours` and `reference` `pairs` times each, in alternation (rule B2).
Pairing MeasurePairs(int pairs, const std::function<double()>& ours,
                     const std::function<double()>& reference);
Pairing PairUp(std::vector<double> ours, std::vector<double> reference);

struct Requirement {
  enum class Kind { kNone, kAtMost, kAtLeast, kAim } kind = Kind::kNone;
  double bound = 0;
};
inline Requirement AtMost(double bound) { return {Requirement::Kind::kAtMost, bound}; }
inline Requirement AtLeast(double bound) { return {Requirement::Kind::kAtLeast, bound}; }
inline Requirement Aim(double bound) { return {Requirement::Kind::kAim, bound}; }

// The lines of a benchmark. Columns: quantity, ours, reference, ratio, requirement, met or not.
class Board {
 public:
  // Starts a benchmark: its name and what it does, in a sentence.
  void Begin(const std::string& name, const std::string& sentence);
  // The requirement is about the ratio.
  void Compare(const std::string& quantity, const std::string& unit, const Pairing& pairing,
               const std::string& reference, Requirement requirement = {});
  // The requirement is about the value itself.
  void Value(const std::string& quantity, const std::string& unit, const Sample& ours,
             Requirement requirement = {});
  void Value(const std::string& quantity, const std::string& unit, double ours,
             Requirement requirement = {});
  void Skip(const std::string& quantity, const std::string& reason);
  // An answer was wrong or a program failed (rule B1).
  void Broken(const std::string& quantity, const std::string& reason);
  void Note(const std::string& sentence);

  int met() const { return met_; }
  int not_met() const { return not_met_; }
  int skipped() const { return skipped_; }
  int broken() const { return broken_; }

 private:
  void Print(const std::string& quantity, const std::string& ours, const std::string& reference,
             const std::string& ratio, Requirement requirement, double judged);

  int met_ = 0, not_met_ = 0, skipped_ = 0, broken_ = 0;
};

// "1.234", "12.3", "1234": three or four significant digits.
std::string Figure(double value);

// Keeps the compiler from removing the computation of `value`, and from keeping memory in
// registers.
template <typename T>
inline void Keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

}  // namespace neap::bench

#endif  // NEAP_BENCH_HARNESS_H_
