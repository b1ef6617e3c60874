// SPDX-License-Identifier: MIT
//
// Distributions by name, for sizes and lifetimes. The same text and the same generator give the
// same numbers on every machine: the transforms are written out here, because the standard
// library's distributions may differ from one implementation to the next.
//
//   64                      always 64
//   uniform:16-256          every value equally likely
//   exp:64KiB               exponential with that mean (what a memoryless lifetime is)
//   lognormal:48:0.7        median and sigma of the logarithm (what sizes of objects look like)
//   pareto:16:1.5           smallest value and alpha (heavy tails)
//   choice:16/16/64/4096    one of these
//
// Values take the suffixes B, KiB, MiB, GiB.
#ifndef NEAP_BENCH_WORKLOAD_DISTRIBUTION_H_
#define NEAP_BENCH_WORKLOAD_DISTRIBUTION_H_

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace neap::workload {

using Random = std::mt19937_64;

// Uniform in [0, 1), from the upper 53 bits.
inline double UnitInterval(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

class Distribution {
 public:
  // InvalidArgument names the text and what is allowed.
  static absl::StatusOr<Distribution> Parse(const std::string& text);

  double Draw(Random& random) const;
  bool is_fixed() const { return kind_ == Kind::kFixed; }
  // What many draws average to; infinity for a Pareto tail with alpha <= 1.
  double mean() const;

 private:
  enum class Kind : uint8_t { kFixed, kUniform, kExponential, kLogNormal, kPareto, kChoice };
  Kind kind_ = Kind::kFixed;
  double a_ = 0, b_ = 0;  // the parameters, in the order of the text
  std::vector<double> choices_;
};

}  // namespace neap::workload

#endif  // NEAP_BENCH_WORKLOAD_DISTRIBUTION_H_
