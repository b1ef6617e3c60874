// SPDX-License-Identifier: MIT
//
// The CPU limiter in a trace: a heap whose limit is too tight for what lives in it collects until
// the limiter holds it back, and the file says when it did and when it stopped. A cleanup hook that
// sleeps makes each cycle as expensive as the test wants it.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "cpu_limiter.h"
#include "doctest/doctest.h"
#include "neap/gc/trace.h"
#include "support/heap_fixture.h"

namespace neap::testing {
namespace {

using gc::ByteArray;
using gc::Options;
using gc::SlotArray;

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++count;
  return count;
}

void SleepMs(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

TEST_SUITE("gc/limiter_trace") {
  TEST_CASE("the limiter's switching on and off is in the trace, in this order, once each") {
    QuietHeap heap([](Options& options) {
      options.memory_limit_bytes = 4 << 20;
      options.nursery_bytes = 64 << 10;
      options.tenure = 1;
    });
    const std::string path =
        (std::filesystem::temp_directory_path() / ("neap-limiter-" + std::to_string(getpid())))
            .string();
    auto trace = gc::JsonTrace::Open(path, heap.heap().options());
    REQUIRE(trace.ok());
    bool is_on = false, is_off = false;
    const int listener = heap.heap().AddEventListener([&](const Event& event) {
      (*trace)->OnEvent(event);
      if (event.kind != static_cast<uint16_t>(gc::EventKind::kLimit)) return;
      is_on |= std::string(gc::LimitWhatName(event.payload[0])) == "limiter-on";
      is_off |= std::string(gc::LimitWhatName(event.payload[0])) == "limiter-off";
    });
    static int pause_ms;
    pause_ms = 300;
    const int hook = heap.heap().AddCleanupHook(
        "expensive", [](void*, uint64_t) { SleepMs(pause_ms); }, nullptr);
    heap.heap().SetOutOfMemoryFunction([](void*, uint64_t, uint64_t) { return true; }, nullptr);

    // 8 MiB live under a limit of 4: the limit wants a cycle again and again.
    Handle<SlotArray> ring = heap.Keep(heap.m.NewSlots(2048));
    for (uint64_t next = 0; !is_on && next < 1'000'000; ++next) {
      ByteArray* block = heap.m.NewBytes(4000);
      heap.m.Store(ring.get(), ring->slots() + next % ring->length, block);
      heap.heap().DrainEvents();
    }
    CHECK(is_on);
    CHECK_FALSE(is_off);

    // Left alone it lets go: the program's own time empties the bucket.
    pause_ms = 0;
    for (int i = 0; !is_off && i < 100; ++i) {
      SleepMs(200);
      heap.FullGC();
      heap.heap().DrainEvents();
    }
    CHECK(is_off);
    CHECK(heap.stats().limiter_ns > 0);

    heap.heap().RemoveCleanupHook(hook);
    heap.heap().RemoveEventListener(listener);
    REQUIRE((*trace)->Close().ok());
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    std::remove(path.c_str());
    const std::string lines = text.str();
    CHECK(Count(lines, "\"event\":\"limit\"") ==
          Count(lines, "\"what\":\"limiter-o") + Count(lines, "\"what\":\"under-live\""));
    CHECK(Count(lines, "\"what\":\"limiter-on\",") == 1);
    CHECK(Count(lines, "\"what\":\"limiter-off\",") == 1);
    CHECK(lines.find("\"what\":\"limiter-on\"") < lines.find("\"what\":\"limiter-off\""));
    CHECK(Count(lines, "\"cause\":\"memory-limit\"") >= 1);
    CHECK(Count(lines, "\"limit_bytes\":4194304,") >= 2);
  }
}

}  // namespace
}  // namespace neap::testing
