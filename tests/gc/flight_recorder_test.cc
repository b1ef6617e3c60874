// SPDX-License-Identifier: MIT
//
// The flight recorder: what it keeps, when it writes, how its files are named.
#include "neap/gc/flight_recorder.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "neap/gc/event.h"
#include "neap/runtime/clock.h"
#include "neap/runtime/log.h"
#include "support/heap_fixture.h"

namespace neap::testing {
namespace {

using gc::EventKind;
using gc::FlightRecorder;
using gc::FlightRecorderOptions;
using gc::MinorEvent;

class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "flight.XXXXXX";
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string File(const std::string& name) const { return path_ + "/" + name; }
  size_t Files() const {
    const std::filesystem::directory_iterator begin(path_);
    return static_cast<size_t>(std::distance(begin, std::filesystem::directory_iterator()));
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(File(name));
    REQUIRE(file.good());
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
};

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

void Tell(FlightRecorder& recorder, uint64_t pause_ns, uint64_t lost = 0) {
  const MinorEvent minor = {
      .start_ns = MonotonicNanos(), .pause_ns = pause_ns, .lost_events = lost};
  recorder.OnEvent({.kind = static_cast<uint16_t>(EventKind::kMinor),
                    .proc = 0,
                    .time = MonotonicNanos(),
                    .payload = {reinterpret_cast<const uint64_t*>(&minor), sizeof(minor) / 8}});
}

TEST_SUITE("gc/flight_recorder") {
  TEST_CASE("on request it writes a whole trace, and keeps its events for the next one") {
    Folder folder;
    FlightRecorder recorder({}, {.path = folder.File("f.jsonl")}, {.command = "game"});
    for (int i = 0; i < 5; ++i) Tell(recorder, 100, 3);
    const auto path = recorder.Write("because");
    REQUIRE(path.ok());
    CHECK(*path == folder.File("f.jsonl"));
    const std::string text = folder.Read("f.jsonl");
    CHECK(Count(text, "\n") == 8);  // schema, five events, lost, end
    CHECK(Count(text, "\"note\":\"because\"") == 1);
    CHECK(Count(text, "\"command\":\"game\"") == 1);
    CHECK(Count(text, "\"event\":\"minor\"") == 5);
    CHECK(Count(text, "\"event\":\"end\",\"records\":5,\"lost\":3") == 1);
    CHECK(recorder.events() == 5);
    CHECK(*recorder.Write("again") == folder.File("f.2.jsonl"));
    CHECK(recorder.files_written() == 2);
  }

  TEST_CASE("a pause above the bound writes once per kept time, one below does not") {
    Folder folder;
    FlightRecorder recorder({}, {.path = folder.File("f"), .pause_ns = 1'000'000});
    Tell(recorder, 1'000'000);
    CHECK(folder.Files() == 0);
    Tell(recorder, 1'500'000);
    CHECK(folder.Files() == 1);
    CHECK(Count(folder.Read("f"), "\"note\":\"a pause of 1.500 ms\"") == 1);
    CHECK(Count(folder.Read("f"), "\"event\":\"minor\"") == 2);
    Tell(recorder, 9'000'000);
    CHECK(folder.Files() == 1);
  }

  TEST_CASE("after the kept time the next pause writes, up to the number of files") {
    Folder folder;
    FlightRecorder recorder(
        {}, {.path = folder.File("f.x"), .keep_ns = 1, .pause_ns = 1, .most_files = 3});
    for (int i = 0; i < 10; ++i) Tell(recorder, 1000);
    CHECK(folder.Files() == 3);
    CHECK(std::filesystem::exists(folder.File("f.3.x")));
    CHECK(recorder.Write("asked").ok());
    CHECK(folder.Files() == 4);
  }

  TEST_CASE("old events are forgotten, by time and by memory") {
    FlightRecorder young({}, {.path = "unused", .keep_ns = 1'000'000});
    for (int i = 0; i < 10; ++i) Tell(young, 1);
    usleep(5'000);
    Tell(young, 1);
    CHECK(young.events() == 1);
    FlightRecorder small({}, {.path = "unused", .most_bytes = 10'000});
    for (int i = 0; i < 1000; ++i) Tell(small, 1);
    CHECK(small.events() > 10);
    CHECK(small.events() < 40);
  }

  TEST_CASE("a file that cannot be written is an error that names it, and loses nothing") {
    FlightRecorder recorder({}, {.path = "/no/such/folder/f.jsonl", .pause_ns = 1});
    int logged = 0;
    SetLogSink([](LogLevel, std::string_view, void* count) { ++*static_cast<int*>(count); },
               &logged);
    Tell(recorder, 1000);
    SetLogSink(nullptr, nullptr);
    CHECK(logged == 1);
    const auto path = recorder.Write("because");
    CHECK_FALSE(path.ok());
    CHECK(std::string(path.status().message()).find("/no/such/folder/f.jsonl") !=
          std::string::npos);
    CHECK(recorder.events() == 1);
    CHECK(recorder.files_written() == 0);
  }

  TEST_CASE("it hears a real heap") {
    Folder folder;
    QuietHeap heap;
    FlightRecorder recorder(heap.heap().options(), {.path = folder.File("f"), .pause_ns = 1});
    const int id =
        heap.heap().AddEventListener([&](const Event& event) { recorder.OnEvent(event); });
    heap.MakeList(100);
    heap.MinorGC();
    heap.heap().DrainEvents();
    heap.heap().RemoveEventListener(id);
    CHECK(recorder.events() >= 1);
    CHECK(folder.Files() == 1);
  }
}

}  // namespace
}  // namespace neap::testing
