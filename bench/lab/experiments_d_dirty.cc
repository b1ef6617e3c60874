// SPDX-License-Identifier: MIT
//
// D1-D3, D8, D11, D14: what a reused buffer carries from one user to the next.
#include <memory>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "bullets_managed.h"
#include "byte_buffer.h"
#include "experiments_d.h"
#include "lab_heap.h"
#include "managed_list.h"
#include "neap/gc/handle.h"
#include "neap/pool/pool.h"

namespace neap::lab {
namespace {

using BufferPool = pool::Pool<BufferObject>;
using BufferOptions = pool::Options<BufferObject>;

BufferOptions MakingBuffers(const char* name) {
  return {.name = name, .make = [](gc::Mutator& m) { return BufferObject::New(m); }};
}

// A buffer of the pool for one request, in a scope of its own, given back at the end.
class Borrowed {
 public:
  Borrowed(gc::Mutator& m, BufferPool& buffers)
      : m_(m), buffers_(buffers), scope_(m), buffer_(scope_.New(buffers.Get(m))) {}
  ~Borrowed() { buffers_.Put(m_, buffer_.get()); }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  BufferHandle get() const { return buffer_; }

 private:
  gc::Mutator& m_;
  BufferPool& buffers_;
  gc::HandleScope scope_;
  BufferHandle buffer_;
};

std::string Greet(gc::Mutator& m, BufferPool& buffers, const std::string& name) {
  const Borrowed borrowed(m, buffers);
  borrowed.get()->Reset();
  Append(m, borrowed.get(), "hello, ");
  Append(m, borrowed.get(), name);
  return borrowed.get()->Text();
}

// The source's bug: nobody resets.
std::string Respond(gc::Mutator& m, BufferPool& buffers, const std::string& user,
                    const std::string& secret) {
  const Borrowed borrowed(m, buffers);
  Append(m, borrowed.get(), "user=" + user);
  if (!secret.empty()) Append(m, borrowed.get(), " secret=" + secret);
  return borrowed.get()->Text();
}

constexpr const char* kLeaked = "user=ada secret=hunter2user=linus";
constexpr const char* kClean = "user=linus";

// The second response of two requests over one pool.
std::string SecondResponse(gc::Mutator& m, BufferPool& buffers) {
  Respond(m, buffers, "ada", "hunter2");
  return Respond(m, buffers, "linus", "");
}

bool Says(Lab& lab, const std::string& quantity, const std::string& ours, const std::string& wanted,
          const char* source = "") {
  return lab.Holds(absl::StrCat(quantity, ": \"", ours, "\""), ours == wanted,
                   absl::StrCat("== \"", wanted, "\""),
                   {.source = source, .criterion_class = Class::kExact});
}

struct Allocations {
  double objects, bytes;
};
// Per operation, from the allocator's counters.
template <typename Operation>
Allocations CountAllocations(LabHeap& lab_heap, uint64_t operations, Operation operation) {
  const gc::Stats before = lab_heap.heap().Snapshot();
  for (uint64_t i = 0; i < operations; ++i) operation();
  const gc::Stats after = lab_heap.heap().Snapshot();
  const auto count = static_cast<double>(operations);
  return {static_cast<double>(after.alloc_objects - before.alloc_objects) / count,
          static_cast<double>(after.alloc_bytes - before.alloc_bytes) / count};
}

// A program for D14: greets, and hashes what it said.
uint64_t GreetingsHash(gc::Mutator& m, BufferPool& buffers, int count) {
  uint64_t hash = 14695981039346656037ull;  // FNV-1a
  for (int i = 0; i < count; ++i) {
    for (const char c : Greet(m, buffers, absl::StrCat("user ", i))) {
      hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211ull;
    }
  }
  return hash;
}

}  // namespace

void RunD1(Lab& lab) {
  LabHeap lab_heap(BesidePreset(lab, 1));
  BufferPool buffers(lab_heap.heap(), MakingBuffers("greetings"));
  Says(lab, "first", Greet(lab_heap.mutator(), buffers, "ada"), "hello, ada", "hello, ada");
  Says(lab, "second", Greet(lab_heap.mutator(), buffers, "linus"), "hello, linus", "hello, linus");
}

void RunD2(Lab& lab) {
  LabHeap lab_heap(BesidePreset(lab, 1));
  gc::Mutator& m = lab_heap.mutator();
  BufferPool raw(lab_heap.heap(), MakingBuffers("raw"));
  Says(lab, "raw pool, first response", Respond(m, raw, "ada", "hunter2"),
       "user=ada secret=hunter2", "user=ada secret=hunter2");
  Says(lab, "raw pool, second response", Respond(m, raw, "linus", ""), kLeaked, kLeaked);

  BufferOptions resetting = MakingBuffers("resetting");
  resetting.reset = [](BufferObject& buffer) { buffer.Reset(); };
  BufferPool reset(lab_heap.heap(), resetting);
  Says(lab, "reset hook, second response", SecondResponse(m, reset), kClean);

  int reports = 0;
  BufferOptions checking = MakingBuffers("checked");
  checking.checked = true;
  checking.is_clean = [](const BufferObject& buffer) { return buffer.length == 0; };
  checking.on_violation = [&](const pool::Violation& violation) {
    reports += violation.kind == pool::Violation::Kind::kDirtyPut;
  };
  BufferPool checked(lab_heap.heap(), checking);
  Says(lab, "checked mode, second response", SecondResponse(m, checked), kClean);
  lab.Exact("checked mode: dirty Puts reported", "reports", reports, 2,
            {.reason = "both requests put their buffer back full"});
}

void RunD3(Lab& lab) {
  LabHeap lab_heap(BesidePreset(lab, 1));
  gc::Mutator& m = lab_heap.mutator();
  const uint64_t operations = lab.Repetitions(10'000, 500);
  gc::HandleScope scope(m);
  // In the source the buffer's own struct stays on the stack; here one object plays it, and loses
  // its storage before each operation.
  BufferHandle buffer = scope.New(BufferObject::New(m));
  const Allocations fresh = CountAllocations(lab_heap, operations, [&] {
    DropStorage(m, buffer);
    FillFourKib(m, buffer);
  });
  BufferPool buffers(lab_heap.heap(), MakingBuffers("payloads"));
  const auto pooled_operation = [&] {
    const Borrowed borrowed(m, buffers);
    borrowed.get()->Reset();
    FillFourKib(m, borrowed.get());
  };
  const Allocations cold = CountAllocations(lab_heap, 1, pooled_operation);
  const Allocations pooled = CountAllocations(lab_heap, operations, pooled_operation);
  const double headers = fresh.objects * static_cast<double>(kByteArrayOverhead);
  lab.Exact("fresh: allocations per operation", "allocs/op", fresh.objects, 7, {.source = "7"});
  lab.Exact("fresh: payload per operation", "B/op", fresh.bytes - headers, 8128,
            {.source = "8,128"});
  lab.Exact("pooled: allocations per operation", "allocs/op", pooled.objects, 0, {.source = "0"});
  lab.Exact("pooled: bytes per operation", "B/op", pooled.bytes, 0, {.source = "0"});
  lab.Observe("headers and lengths on top, fresh", "B/op", headers,
              {.reason = "16 bytes an array"});
  lab.Observe("pooled: allocations of the first operation", "allocs", cold.objects,
              {.reason = "seven arrays and the buffer object"});
  lab.Add(BenchLine{.name = "Allocate",
                    .iterations = operations,
                    .ns_per_op = 0,
                    .metrics = {{"B/op", fresh.bytes}, {"allocs/op", fresh.objects}}});
}

void RunD8(Lab& lab) {
  LabHeap lab_heap(BesidePreset(lab, 1));
  gc::Mutator& m = lab_heap.mutator();
  BufferPool buffers(lab_heap.heap(), MakingBuffers("views"));
  gc::HandleScope scope(m);
  BufferHandle buffer = scope.New(buffers.Get(m));
  Append(m, buffer, "first user's data");
  const AliasingView view(scope, buffer);
  const CheckedView checked(scope, buffer);
  const std::string copy = buffer->Text();
  lab.Holds("checked view, before the next Get", checked.Text().ok() && *checked.Text() == copy,
            "reads", {.criterion_class = Class::kExact});
  buffers.Put(m, buffer.get());

  BufferHandle next = scope.New(buffers.Get(m));
  lab.Holds("the next Get returns the same buffer", next.get() == buffer.get(), "same object",
            {.criterion_class = Class::kExact});
  next->Reset();
  Append(m, next, "SECOND USER'S DATA");
  Says(lab, "copy, after the next user wrote", copy, "first user's data", "unchanged");
  Says(lab, "aliasing view, after the next user wrote", view.Text(), "SECOND USER'S DAT",
       "overwritten");
  lab.Holds("checked view, after the next Get", !checked.Text().ok(), "refuses",
            {.criterion_class = Class::kExact});
}

void RunD11(Lab& lab) {
  constexpr size_t kBound = 16;
  LabHeap lab_heap(BesidePreset(lab, 1));
  gc::Mutator& m = lab_heap.mutator();
  gc::HandleScope scope(m);
  ManagedList free(m, scope, kBound);
  size_t dropped = 0;
  for (size_t i = 0; i < kBound + 1; ++i) {
    BufferObject* const buffer = BufferObject::New(m);
    if (free.count() < kBound) {
      free.Append(m, buffer);
    } else {
      ++dropped;
    }
  }
  lab_heap.Collect(10);
  uint64_t alive = 0;
  lab_heap.heap().WalkReachable(
      m, [&](gc::Object* object) { alive += object->type() == BufferObject::Type(); });
  lab.Exact("bounded free list: kept through 10 collections", "objects", static_cast<double>(alive),
            kBound, {.source = "n"});
  lab.Exact("bounded free list: the n+1st", "dropped", static_cast<double>(dropped), 1);

  const auto fill = [](gc::ByteArray* scratch) { scratch->data()[0] = 1; };
  const uint64_t operations = 1000;
  const Allocations request =
      CountAllocations(lab_heap, operations, [&] { fill(m.NewBytes(4096)); });
  std::mutex mutex;
  gc::Handle<gc::ByteArray> shared = scope.New(m.NewBytes(4096));
  const Allocations guarded = CountAllocations(lab_heap, operations, [&] {
    const std::lock_guard<std::mutex> lock(mutex);
    fill(shared.get());
  });
  gc::Handle<gc::ByteArray> callers = scope.New(m.NewBytes(4096));
  const auto into_callers = [&](gc::Handle<gc::ByteArray> slice) { fill(slice.get()); };
  const Allocations caller = CountAllocations(lab_heap, operations, [&] { into_callers(callers); });
  lab.Exact("scratch per request", "allocs/op", request.objects, 1, {.source = "1"});
  lab.Exact("shared buffer under a mutex", "allocs/op", guarded.objects, 0, {.source = "0"});
  lab.Exact("slice of the caller", "allocs/op", caller.objects, 0, {.source = "0"});
}

void RunD14(Lab& lab) {
  LabHeap lab_heap(BesidePreset(lab, 1));
  gc::Mutator& m = lab_heap.mutator();
  const int greetings = static_cast<int>(lab.Repetitions(20'000, 1'000));
  BufferPool calm(lab_heap.heap(), MakingBuffers("calm"));
  const uint64_t expected = GreetingsHash(m, calm, greetings);
  for (const uint64_t seed : {1, 2, 3}) {
    BufferOptions options = MakingBuffers("chaotic");
    options.chaos = {.seed = seed, .miss_one_in = 3, .drop_one_in = 4, .shuffle = true};
    BufferPool chaotic(lab_heap.heap(), options);
    const uint64_t hash = GreetingsHash(m, chaotic, greetings);
    lab.Holds(absl::StrCat("greetings under chaos, seed ", seed), hash == expected,
              "the same output", {.criterion_class = Class::kExact});
    lab.Holds(absl::StrCat("chaos struck, seed ", seed),
              chaotic.Snapshot().misses > 1 && chaotic.Snapshot().drops > 0, "misses and drops",
              {.criterion_class = Class::kExact});
  }
  constexpr int kSpawn = 300;
  const auto bullets = MakeChaoticStorage(m, lab.settings().seed);
  lab.Exact("checksum of bullets over a chaotic pool", "sum", ChecksumOf(*bullets, kSpawn),
            *PublishedChecksum(kSpawn), {.source = "unchanged"});
}

}  // namespace neap::lab
