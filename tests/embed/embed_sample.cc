// SPDX-License-Identifier: MIT
//
// A program that embeds neap, built against the installed headers and library only:
//
//   c++ -std=c++20 embed_sample.cc $(pkg-config --cflags --libs neap)
//
// It keeps the last kKept messages of a stream on a managed heap. The text of each is composed in a
// buffer from a pool, which the collector empties when nobody needs it.
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "neap/gc/handle.h"
#include "neap/gc/heap.h"
#include "neap/gc/mutator.h"
#include "neap/pool/pool.h"

namespace gc = neap::gc;
namespace {

constexpr uint64_t kMessages = 1'000'000, kKept = 1000;

struct Message : gc::Object {
  gc::Ref<gc::ByteArray> text;
  uint64_t number = 0;
};
const gc::TypeId kMessage = gc::RegisterType({.name = "message",
                                              .layout = gc::Layout::kBitmap,
                                              .base_bytes = sizeof(Message),
                                              .slot_bitmap = 0b01});

// Whatever takes a Mutator may collect. So the text stands in a handle while the message is made,
// and the raw pointer returned is good until the caller's next safepoint.
Message* MakeMessage(gc::Mutator& m, const std::string& words, uint64_t number) {
  gc::HandleScope scope(m);
  gc::Handle<gc::ByteArray> text = scope.New(m.NewBytes(words.size()));
  std::memcpy(text->data(), words.data(), words.size());
  Message* message = m.New<Message>(kMessage);
  message->number = number;  // the text may have moved meanwhile; its handle knows
  m.Store(message, message->text.slot(), text.get());
  return message;
}

std::string TextOf(uint64_t number) { return "message " + std::to_string(number); }

bool IsIntact(const Message* message, uint64_t number) {
  gc::ByteArray* text = message->text;
  return message->number == number &&
         std::string(text->data(), text->data() + text->length) == TextOf(number);
}

}  // namespace

int main() {
  gc::Heap heap({.procs = 1});
  gc::Mutator m(heap);  // this thread may use the heap from here on
  neap::pool::Pool<std::string> lines(
      heap, {.name = "lines",
             .make = [](auto&) { return std::make_unique<std::string>(); },
             .reset = [](std::string& line) { line.clear(); }});
  gc::HandleScope scope(m);
  gc::Handle<gc::SlotArray> ring = scope.New(m.NewSlots(kKept));
  for (uint64_t i = 0; i < kMessages; ++i) {
    std::unique_ptr<std::string> line = lines.Get(m);
    *line += TextOf(i);
    Message* message = MakeMessage(m, *line, i);
    m.Store(ring.get(), &ring->slots()[i % kKept], message);
    lines.Put(m, std::move(line));
  }
  heap.Collect(m);
  for (uint64_t i = kMessages - kKept; i < kMessages; ++i) {
    const gc::Object* object = gc::ToObject(gc::LoadSlot(&ring->slots()[i % kKept]));
    if (!IsIntact(static_cast<const Message*>(object), i)) return 1;
  }
  const gc::Stats stats = heap.Snapshot();
  std::printf("%lu minors, %lu bytes live\n", stats.minors, stats.marked_bytes);
  return stats.minors > 0 && lines.Snapshot().misses < kMessages ? 0 : 1;
}
