// SPDX-License-Identifier: MIT
//
// D6, D7, D9, D10: what a pool keeps, and what it forgets.
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "byte_buffer.h"
#include "experiments_d.h"
#include "lab_heap.h"
#include "neap/gc/finalizer.h"
#include "neap/gc/handle.h"
#include "neap/pool/pool.h"
#include "neap/runtime/os_memory.h"
#include "number_text.h"

namespace neap::lab {
namespace {

using BufferPool = pool::Pool<BufferObject>;
using BufferOptions = pool::Options<BufferObject>;

constexpr uint64_t kGuardBytes = 64 << 10;  // fmt's own limit, and the source's
constexpr uint64_t kHugeBytes = 50'000'000;
constexpr int kFiles = 100;

double Mib(uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

BufferOptions SizedBuffers(const char* name, uint64_t max_item_bytes) {
  BufferOptions options{.name = name, .make = [](gc::Mutator& m) { return BufferObject::New(m); }};
  options.size_of = [](const BufferObject& buffer) { return buffer.capacity(); };
  options.account_bytes = true;
  options.max_item_bytes = max_item_bytes;
  return options;
}

// Takes a buffer, makes it hold `bytes`, gives it back.
void Request(gc::Mutator& m, BufferPool& buffers, const std::string& payload) {
  gc::HandleScope scope(m);
  BufferHandle buffer = scope.New(buffers.Get(m));
  buffer->Reset();
  Append(m, buffer, payload);
  buffers.Put(m, buffer.get());
}

struct HugeRun {
  uint64_t least_held = UINT64_MAX;  // over all cycles after the huge request
  uint64_t held_after_two = 0;
  uint64_t live_at_end = 0;  // marked by the last collection
  Series resident;
};
// One huge request among small ones, then small traffic and a collection for each cycle.
HugeRun RunHuge(const Lab& lab, const char* name, uint64_t max_item_bytes, int cycles) {
  gc::Options options = BesidePreset(lab, 1);
  options.decay_ms = 1;
  LabHeap lab_heap(options);
  gc::Mutator& m = lab_heap.mutator();
  BufferPool buffers(lab_heap.heap(), SizedBuffers(name, max_item_bytes));
  HugeRun run;
  run.resident.name = name;
  const std::string small(4096, 'x');
  Request(m, buffers, small);
  Request(m, buffers, std::string(kHugeBytes, 'x'));
  for (int cycle = 1; cycle <= cycles; ++cycle) {
    for (int i = 0; i < 20; ++i) Request(m, buffers, small);
    lab_heap.Collect();
    const uint64_t held = buffers.Snapshot().bytes_held;
    run.least_held = std::min(run.least_held, held);
    if (cycle == 2) run.held_after_two = held;
    run.resident.points.emplace_back(cycle, Mib(OsResidentBytes()));
  }
  run.live_at_end = lab_heap.heap().Snapshot().marked_bytes;
  return run;
}

// --- D9 ------------------------------------------------------------------------------------------

// Collections until the child of a parked object dies (at most 5).
int CollectionsUntilChildDies(const Lab& lab, bool cleared) {
  LabHeap lab_heap(BesidePreset(lab, 1));
  gc::Mutator& m = lab_heap.mutator();
  BufferPool parents(lab_heap.heap(), {.name = "parents"});
  gc::WeakHandle child;
  {
    gc::HandleScope scope(m);
    BufferHandle parent = scope.New(BufferObject::New(m));
    Append(m, parent, std::string(1 << 20, 'x'));
    child = gc::WeakHandle(m, parent->storage.get());
    if (cleared) DropStorage(m, parent);
    parents.Put(m, parent.get());
  }
  for (int collection = 1; collection <= 5; ++collection) {
    lab_heap.Collect();
    if (child.get() == nullptr) return collection;
  }
  return 6;
}

// --- D10 -----------------------------------------------------------------------------------------

int OpenDescriptors() {
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == nullptr) return -1;
  int count = 0;
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

struct FileValue {
  int fd = -1;
};
struct FileObject : gc::Object {
  int64_t fd = -1;
  static gc::TypeId Type() {
    static const gc::TypeId type = gc::RegisterType(
        {.name = "file", .layout = gc::Layout::kNone, .base_bytes = sizeof(FileObject)});
    return type;
  }
};

int OpenFile() { return open("/dev/null", O_RDONLY | O_CLOEXEC); }

// Parks `kFiles` open files as values, runs two collections; descriptors that stay open.
int LeakedByValues(const Lab& lab, bool closes_evicted) {
  LabHeap lab_heap(BesidePreset(lab, 1));
  gc::Mutator& m = lab_heap.mutator();
  std::vector<int> opened;
  int leaked = 0;
  {
    pool::Options<FileValue> options{.name = "files"};
    if (closes_evicted) options.on_evict = [](FileValue& file) { close(file.fd); };
    pool::Pool<FileValue> files(lab_heap.heap(), options);
    const int before = OpenDescriptors();
    for (int i = 0; i < kFiles; ++i) {
      opened.push_back(OpenFile());
      files.Put(m, std::make_unique<FileValue>(FileValue{opened.back()}));
    }
    lab_heap.Collect(2);
    pool::DrainEvicted(m);
    leaked = OpenDescriptors() - before;
  }
  if (!closes_evicted) {
    for (const int fd : opened) close(fd);
  }
  return leaked;
}

// The same with managed objects and a finalizer for each.
int LeakedByFinalizedObjects(const Lab& lab) {
  LabHeap lab_heap(BesidePreset(lab, 1));
  gc::Mutator& m = lab_heap.mutator();
  gc::FinalizerQueue closing(
      lab_heap.heap(),
      [](gc::Mutator&, gc::Handle<gc::Object> object, void*) {
        close(static_cast<int>(static_cast<FileObject*>(object.get())->fd));
      },
      nullptr);
  pool::Pool<FileObject> files(lab_heap.heap(), {.name = "file-objects"});
  const int before = OpenDescriptors();
  for (int i = 0; i < kFiles; ++i) {
    FileObject* const file = m.New<FileObject>(FileObject::Type());
    file->fd = OpenFile();
    closing.Register(m, file);
    files.Put(m, file);
  }
  lab_heap.Collect(2);
  closing.Run(m);
  return OpenDescriptors() - before;
}

}  // namespace

void RunD6(Lab& lab) {
  LabHeap lab_heap(BesidePreset(lab, 1));
  gc::Mutator& m = lab_heap.mutator();
  BufferPool buffers(lab_heap.heap(), {.name = "buffers"});
  for (int i = 0; i < 1000; ++i) buffers.Put(m, BufferObject::New(m));
  const auto held = [&] { return static_cast<double>(buffers.Snapshot().items_held); };
  lab.Exact("held after the last Put", "items", held(), 1000);
  lab_heap.Collect();
  lab.Exact("held one collection later", "items", held(), 1000, {.source = "a couple of cycles"});
  lab_heap.Collect();
  lab.Exact("held two collections later", "items", held(), 0, {.source = "0"});
}

void RunD7(Lab& lab) {
  const int cycles = static_cast<int>(lab.Repetitions(120, 100));
  const HugeRun plain = RunHuge(lab, "no guard", pool::kUnlimited, cycles);
  const HugeRun guarded = RunHuge(lab, "guard of 64 KiB", kGuardBytes, cycles);
  lab.AtLeast("no guard: least held over 100 and more collections", "bytes",
              static_cast<double>(plain.least_held), static_cast<double>(kHugeBytes),
              {.source = "keeps 50 MB", .criterion_class = Class::kExact});
  lab.AtMost("guard of 64 KiB: held two collections later", "bytes",
             static_cast<double>(guarded.held_after_two), static_cast<double>(kGuardBytes),
             {.source = "at most the limit", .criterion_class = Class::kExact});
  lab.Holds(absl::StrCat("live at the end: no guard ", FixedNumber(Mib(plain.live_at_end), 1),
                         " MiB, guarded ", FixedNumber(Mib(guarded.live_at_end), 1), " MiB"),
            plain.live_at_end >= kHugeBytes && guarded.live_at_end < kHugeBytes,
            "50 MB held in one, not in the other", {.criterion_class = Class::kShape});
  lab.Add(Plot{.title = "Resident set after one request of 50 MB",
               .x_label = "collections since the request",
               .y_label = "resident set, MiB",
               .series = {plain.resident, guarded.resident}});
}

void RunD9(Lab& lab) {
  lab.Exact("collections until the child dies, parent parked as it is", "collections",
            CollectionsUntilChildDies(lab, false), 2, {.source = "kept alive"});
  lab.Exact("collections until the child dies, parent cleared before Put", "collections",
            CollectionsUntilChildDies(lab, true), 1, {.source = "clear pointers as well"});
}

void RunD10(Lab& lab) {
  lab.Exact("values, no callback: descriptors leaked by two collections", "descriptors",
            LeakedByValues(lab, false), kFiles, {.source = "leaks"});
  lab.Exact("values with an eviction callback", "descriptors", LeakedByValues(lab, true), 0);
  lab.Exact("managed objects with a finalizer", "descriptors", LeakedByFinalizedObjects(lab), 0);
}

}  // namespace neap::lab
