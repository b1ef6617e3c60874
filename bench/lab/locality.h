// SPDX-License-Identifier: MIT
//
// Where objects lie relative to the order in which a program visits them, and how that compares
// with the machine's caches.
//
// The metric: for a list of addresses in order of iteration, the sizes of the steps from one to the
// next. A compacting collector that copies in list order keeps the median step near the object
// size; a LIFO free list makes the list a random walk over everything the pool ever owned.
#ifndef NEAP_BENCH_LAB_LOCALITY_H_
#define NEAP_BENCH_LAB_LOCALITY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace neap::lab {

struct Locality {
  double median_step_bytes = 0;  // median of |address[i+1] - address[i]|
  double share_within_4kib = 0;  // of the steps, 0..1
};
Locality LocalityOf(const std::vector<uint64_t>& addresses);

// Data caches of the first core, from the kernel's description or else the C library's; 0 where
// neither says anything. Virtual machines often tell of a last level that no guest has to itself
// (l3_cores == 0: nobody says how many share it).
struct CacheSizes {
  uint64_t l1_bytes = 0, l2_bytes = 0, l3_bytes = 0;
  uint64_t l3_cores = 0;
};
CacheSizes ReadCacheSizes();
std::string CacheSizesText(const CacheSizes& sizes);

// Mean time of one of many dependent reads at random places of a working set, ns. TLB misses
// included, as in any program with 4 KiB pages.
double RandomReadNs(size_t bytes);
// How much of the last level this program can count on, measured: the largest power of two whose
// random reads take less than half as long as those over 64 MiB. At least the L2.
uint64_t MeasuredCacheShareBytes();

// Hardware cache misses of the calling thread, through the kernel's perf events. Virtual machines
// and containers often refuse; then available() is false and misses() is 0.
class CacheMissCounter {
 public:
  CacheMissCounter();
  ~CacheMissCounter();
  CacheMissCounter(const CacheMissCounter&) = delete;
  CacheMissCounter& operator=(const CacheMissCounter&) = delete;

  bool available() const { return fd_ >= 0; }
  // Since construction.
  uint64_t misses() const;

 private:
  int fd_ = -1;
};

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_LOCALITY_H_
