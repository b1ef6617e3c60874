// SPDX-License-Identifier: MIT
//
// Traces of every heap that an experiment makes: lines on stderr (NEAP_DEBUG=gctrace=1) and one
// JSON Lines file (--trace FILE). The program opens the traces once; whoever makes a heap attaches
// it:
//
//   gc::Heap heap(options);
//   lab::AttachTraces(heap);      // free when no trace was asked for
//
// A third listener is the flight recorder (neap/gc/flight_recorder.h), when the settings ask for
// it: it keeps the last seconds of one heap at a time (the next that is attached after that one has
// gone comes next) and writes them after a long pause, or at the first event after SIGUSR1.
//
// Isolated cells are processes of their own and write no JSON trace (two writers would tear one
// file); their text lines reach the same stderr.
//
// Thread safety: StartTraces and FinishTraces belong to the main thread, before the first and after
// the last heap; AttachTraces may be called from any thread.
#ifndef NEAP_BENCH_LAB_HEAP_TRACES_H_
#define NEAP_BENCH_LAB_HEAP_TRACES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lab.h"
#include "neap/gc/heap.h"

namespace neap::lab {

// Opens what `settings` asks for. PermissionDenied names the file.
absl::Status StartTraces(const Settings& settings);

// Adds the listeners to `heap`. Before the heap's first collection, else its early events are
// missed. The number of the heap in the JSON trace; 0: none is written.
uint64_t AttachTraces(gc::Heap& heap);

// More records of that heap, JSON objects without a line feed: what is known only when its program
// has ended. Nothing for heap 0.
void WriteRecords(uint64_t heap, const std::vector<std::string>& records);

// Writes out and closes. Heaps attached before must be gone. DataLoss when the file could not be
// written to the end (disk full).
absl::Status FinishTraces();

}  // namespace neap::lab

#endif  // NEAP_BENCH_LAB_HEAP_TRACES_H_
