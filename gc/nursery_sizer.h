// SPDX-License-Identifier: MIT
//
// Two predictions about the next minor collection, from counts of the past ones:
//
//   NurserySizer     how large eden may be, so that the predicted survivor work fits a pause
//   CohortPredictor  whether eden is expected to survive nearly whole, and should become old where
//                    it stands instead of being copied
//
// Arithmetic on bytes and objects: no clock is read, so runs repeat. Model, invariants and the
// reasons for the constants stand in nursery_sizer.cc. Not thread safe: called while stopped.
//
//   NurserySizer sizer({.min_bytes = 256 << 10, .max_bytes = 4 << 20});
//   NurserySizer::Decision d = sizer.EndMinor(sample);  // d.bytes is the next eden, d.reason why
#ifndef NEAP_GC_NURSERY_SIZER_H_
#define NEAP_GC_NURSERY_SIZER_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace neap::gc {

// X(name, "text"): why eden has the size it has. NurseryEvent::reason.
#define NEAP_SIZER_REASONS(X)                                                                \
  X(kStart, "start")              /* start-up rounds: nothing is learned yet */              \
  X(kPartial, "partial")          /* the minor came before eden was full: nothing learned */ \
  X(kSettling, "settling")        /* too few minors at this size to judge it */              \
  X(kGrow, "grow")                /* twice the size fits the budget and saves fixed cost */  \
  X(kShrink, "shrink")            /* predicted survivor work is over the budget */           \
  X(kProbe, "probe")              /* one size up for a few minors, to see whether it pays */ \
  X(kProbeKept, "probe-kept")     /* it did: survivors per allocated byte fell */            \
  X(kProbeReverted, "probe-back") /* it did not, or got too dear: one step back */           \
  X(kNoGain, "no-gain")           /* a larger eden would only make pauses longer */          \
  X(kTooDear, "too-dear")         /* a larger eden would exceed the budget */                \
  X(kAtMax, "at-max")             /* the upper bound */                                      \
  X(kOverAtMin, "over-at-min")    /* over the budget, but at the lower bound */              \
  X(kBounds, "bounds")            /* the bounds changed: memory limit, number of Ps, knob */

enum class SizerReason : uint64_t {
#define NEAP_DECLARE_REASON(name, text) name,
  NEAP_SIZER_REASONS(NEAP_DECLARE_REASON)
#undef NEAP_DECLARE_REASON
};
const char* SizerReasonName(SizerReason reason);

// What one minor collection did, all Ps together.
struct MinorSample {
  uint64_t budget_bytes = 0;      // of eden's size, used up since the last minor: allocated in it,
                                  // stationary or off-heap
  uint64_t copied_bytes = 0;      // copied within the young generation or promoted by copying
  uint64_t copied_objects = 0;    //
  uint64_t in_place_bytes = 0;    // became old or stayed young without a copy
  uint64_t in_place_objects = 0;  //
  uint64_t scanned_objects = 0;   // remembered and retained
  uint64_t root_bytes = 0;        // scanned roots
};

class NurserySizer {
 public:
  // Sizes are of all Ps together, in bytes.
  struct Config {
    uint64_t min_bytes = 256 << 10;
    uint64_t max_bytes = 4 << 20;
    uint64_t initial_bytes = 0;      // 0: min_bytes
    uint64_t budget_ns = 1'000'000;  // survivor work of one minor, in nominal ns
  };
  struct Decision {
    uint64_t bytes;                     // size of the next eden
    SizerReason reason;                 //
    uint64_t predicted_survivor_bytes;  // mean + 2 deviations, at `bytes`
    bool changed;                       // bytes differs from the size before
  };

  explicit NurserySizer(const Config& config);

  Decision EndMinor(const MinorSample& sample);
  // New bounds (more Ps, a memory limit near by). Forgets what was learned when they differ.
  Decision SetBounds(uint64_t min_bytes, uint64_t max_bytes);

  uint64_t bytes() const { return SizeOf(level_); }
  // What the next minor is expected to have to evacuate, padded: room to reserve before the pause,
  // and the measure of "serial or parallel". Before anything is learned: the size of eden.
  uint64_t PredictedSurvivorBytes() const;
  // The same in nominal nanoseconds of work, fixed cost included; 0 before anything is learned.
  uint64_t PredictedWorkNs() const;
  // Nominal cost of the survivors of a minor, and of what it costs whatever survives.
  static double SurvivorWorkNs(const MinorSample& sample);
  static double FixedWorkNs(const MinorSample& sample);

 private:
  // A padded average: mean and mean absolute deviation, exponentially weighted. A seed is a guess
  // that the first sample replaces.
  struct Average {
    double mean = 0;
    double deviation = 0;
    uint32_t samples = 0;
    bool known = false;  // seeded or sampled
    void Add(double value);
    void Seed(double guess_mean, double guess_deviation);
    double Padded() const { return mean + 2 * deviation; }
  };
  // What is known of one eden size.
  struct Level {
    Average work_ns;         // survivor work
    Average survivor_bytes;  //
  };
  static constexpr int kMaxLevels = 32;

  void ResetLevels(uint64_t initial_bytes);
  uint64_t SizeOf(int level) const;
  double CostPerByte(int level) const;
  double RatioUp() const;
  double SlopeBoundNs() const;
  double PredictUpNs() const;
  bool FitsUp() const;
  bool GainsUp() const;
  void Learn(const MinorSample& sample);
  Decision Step(int delta, SizerReason reason);
  Decision Hold(SizerReason reason) const;
  Decision EndProbeRound();
  Decision JudgeSize();

  Config config_;
  std::array<Level, kMaxLevels> levels_;
  int level_ = 0;                 // present size: min_bytes << level_, at most max_bytes
  int levels_in_use_ = 1;         //
  uint32_t rounds_ = 0;           // full minors seen, start-up included
  uint32_t rounds_at_level_ = 0;  // full minors at this size since the last step
  Average fixed_ns_;              // fixed cost does not depend on the size
  // A probe climbs from origin_level while it fits, and comes back unless it paid.
  enum class Probe : uint8_t { kNone, kClimbing, kReturning };
  Probe probe_ = Probe::kNone;
  int origin_level_ = 0;
  double origin_cost_ = 0;  // cost per allocated byte where the probe began
};

// Decides whether blocks of the next eden are processed in place.
class CohortPredictor {
 public:
  // One minor. `eden_*`: what was in eden and what of it was found alive (copied or in place).
  // `aged_*`: what had survived once before (sensor blocks, and everything while copying) and what
  // of it survived again; both 0 when nothing was aged.
  struct Sample {
    uint64_t eden_bytes = 0;
    uint64_t eden_survived_bytes = 0;
    uint64_t aged_bytes = 0;
    uint64_t aged_survived_bytes = 0;
  };

  // Ends a minor; returns in_place() for the next one.
  bool EndMinor(const Sample& sample);

  // True: blocks of the next eden are expected to survive nearly whole.
  bool in_place() const { return in_place_; }
  // True: this eden block is copied and aged all the same, so that the road not taken is measured.
  // `block`: ordinal of the block in its eden, any order. Rotates from minor to minor.
  bool IsSensor(uint64_t block) const;
  // Expected share of eden that survives, 0..1.
  double survival() const { return survival_; }
  // How often the mode changed.
  uint64_t switches() const { return switches_; }

 private:
  bool Enters() const;
  bool Leaves(double ratio) const;

  double survival_ = 0;       // EWMA of eden survival
  double deviation_ = 0;      // EWMA of |ratio - mean|
  double aged_survival_ = 1;  // EWMA of the second survival; 1 until measured
  uint32_t rounds_ = 0;       // minors seen, start-up included
  uint32_t rounds_in_mode_ = 0;
  bool aged_known_ = false;
  uint64_t switches_ = 0;
  bool in_place_ = false;
};

}  // namespace neap::gc

#endif  // NEAP_GC_NURSERY_SIZER_H_
