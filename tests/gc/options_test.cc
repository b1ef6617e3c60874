// SPDX-License-Identifier: MIT
//
// Options from text, the environment and presets; and the names of the statistics.
#include "neap/gc/options.h"

#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "doctest/doctest.h"
#include "neap/gc/event.h"
#include "neap/gc/stats.h"

namespace neap::testing {
namespace {

using gc::Options;
using gc::ParseBytes;
using gc::SetOption;
using gc::SetOptionsFromEnvironment;
using gc::ValidateOptions;

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

// Sets environment variables for one test; all of NEAP's are unset before, and restored after.
class Environment {
 public:
  Environment() {
    for (const char* name : {"NEAP_GOGC", "NEAP_MEMLIMIT", "NEAP_NURSERY", "NEAP_TENURE",
                             "NEAP_MAXPROCS", "NEAP_WORKERS", "NEAP_DEBUG"}) {
      const char* value = std::getenv(name);
      saved_.emplace_back(name, value == nullptr ? std::string() : value);
      unsetenv(name);
    }
  }
  ~Environment() {
    for (const auto& [name, value] : saved_) {
      if (value.empty()) {
        unsetenv(name.c_str());
      } else {
        setenv(name.c_str(), value.c_str(), 1);
      }
    }
  }
  void Set(const char* name, const char* value) { setenv(name, value, 1); }

 private:
  std::vector<std::pair<std::string, std::string>> saved_;
};

TEST_SUITE("gc/options") {
  TEST_CASE("sizes take a whole number and a binary unit") {
    CHECK(*ParseBytes("0") == 0);
    CHECK(*ParseBytes("4096") == 4096);
    CHECK(*ParseBytes("4096B") == 4096);
    CHECK(*ParseBytes("64KiB") == 64 << 10);
    CHECK(*ParseBytes("44MiB") == 44 << 20);
    CHECK(*ParseBytes("3GiB") == uint64_t{3} << 30);
    CHECK(*ParseBytes("18446744073709551615") == UINT64_MAX);
  }

  TEST_CASE("what is not a size is refused with its text") {
    for (const char* text : {"", "KiB", "-1", "+1", "1.5MiB", "64kB", "64K", "64 KiB", " 64",
                             "64MB", "0x10", "64KiBB", "1e3", "18446744073709551616"}) {
      CAPTURE(text);
      const auto bytes = ParseBytes(text);
      REQUIRE_FALSE(bytes.ok());
      CHECK(absl::IsInvalidArgument(bytes.status()));
      CHECK(MessageOf(bytes.status()).find("\"" + std::string(text) + "\"") != std::string::npos);
    }
    CHECK(MessageOf(ParseBytes("17179869184GiB").status()).find("2^64") != std::string::npos);
    CHECK(ParseBytes("17179869183GiB").ok());
  }

  TEST_CASE("every option sets its field") {
    Options options;
    REQUIRE(SetOption(options, "gogc", "200").ok());
    CHECK(options.gogc == 200);
    REQUIRE(SetOption(options, "gogc", "off").ok());
    CHECK(options.gogc == Options::kGogcOff);
    REQUIRE(SetOption(options, "memlimit", "44MiB").ok());
    CHECK(options.memory_limit_bytes == 44 << 20);
    REQUIRE(SetOption(options, "memlimit", "none").ok());
    CHECK(options.memory_limit_bytes == Options::kNoLimit);
    REQUIRE(SetOption(options, "nursery", "16MiB").ok());
    CHECK(options.nursery == Options::Nursery::kFixed);
    CHECK(options.nursery_bytes == 16 << 20);
    REQUIRE(SetOption(options, "nursery", "off").ok());
    CHECK(options.nursery == Options::Nursery::kOff);
    REQUIRE(SetOption(options, "nursery", "adaptive").ok());
    CHECK(options.nursery == Options::Nursery::kAdaptive);
    REQUIRE(SetOption(options, "tenure", "15").ok());
    CHECK(options.tenure == 15);
    REQUIRE(SetOption(options, "procs", "12").ok());
    CHECK(options.procs == 12);
    REQUIRE(SetOption(options, "workers", "3").ok());
    CHECK(options.workers == 3);
    REQUIRE(SetOption(options, "in-place", "off").ok());
    CHECK_FALSE(options.in_place);
  }

  TEST_CASE("a refused value leaves the options as they were, and is named with what is allowed") {
    struct Case {
      const char* name;
      const char* value;
      const char* allowed;
    };
    const Case cases[] = {
        {"gogc", "-1", "off, or a percentage"},
        {"gogc", "", "off, or a percentage"},
        {"gogc", "100%", "off, or a percentage"},
        {"gogc", "100001", "off, or a percentage"},
        {"memlimit", "1MB", "1MiB"},
        {"memlimit", "1048575", "1MiB"},
        {"memlimit", "0", "1MiB"},
        {"memlimit", "18446744073709551615", "1MiB"},
        {"nursery", "-1", "4KiB to 1GiB"},
        {"nursery", "4095", "4KiB to 1GiB"},
        {"nursery", "2GiB", "4KiB to 1GiB"},
        {"nursery", "on", "4KiB to 1GiB"},
        {"tenure", "0", "1 to 15"},
        {"tenure", "16", "1 to 15"},
        {"procs", "257", "1 to 256"},
        {"procs", "-2", "1 to 256"},
        {"procs", "two", "1 to 256"},
        {"workers", "0", "1 to 64"},
        {"workers", "65", "1 to 64"},
        {"in-place", "yes", "on or off"},
        {"preset", "fast", "go, source or tiny"},
    };
    for (const Case& c : cases) {
      CAPTURE(c.name);
      CAPTURE(c.value);
      Options options;
      const absl::Status status = SetOption(options, c.name, c.value);
      REQUIRE(absl::IsInvalidArgument(status));
      const std::string message = MessageOf(status);
      CHECK(message.find(c.name) == 0);
      CHECK(message.find("\"" + std::string(c.value) + "\"") != std::string::npos);
      CHECK(message.find(c.allowed) != std::string::npos);
      CHECK(message.find('\n') == std::string::npos);
      CHECK(options.gogc == 100);
      CHECK(options.memory_limit_bytes == Options::kNoLimit);
      CHECK(options.nursery == Options::Nursery::kAdaptive);
      CHECK(options.nursery_bytes == 256 << 10);
      CHECK(options.tenure == 2);
      CHECK(options.procs == 0);
      CHECK(options.workers == 1);
      CHECK(options.in_place);
    }
  }

  TEST_CASE("an unknown option is named, with those there are") {
    Options options;
    const absl::Status status = SetOption(options, "heap", "1");
    CHECK(absl::IsInvalidArgument(status));
    CHECK(MessageOf(status).find("\"heap\"") != std::string::npos);
    CHECK(MessageOf(status).find("memlimit") != std::string::npos);
  }

  TEST_CASE("presets are what the lab says they are") {
    CHECK(Options::Preset("go")->nursery == Options::Nursery::kOff);
    const Options source = *Options::Preset("source");
    CHECK(source.nursery == Options::Nursery::kFixed);
    CHECK(source.nursery_bytes == 16 << 20);
    CHECK(source.tenure == 2);
    CHECK_FALSE(source.in_place);
    CHECK(source.procs == 1);
    const Options tiny = *Options::Preset("tiny");
    CHECK(tiny.nursery == Options::Nursery::kFixed);
    CHECK(tiny.nursery_bytes == 4 << 10);
    for (const char* name : {"go", "source", "tiny"}) {
      CHECK(ValidateOptions(*Options::Preset(name)).ok());
    }
    CHECK(MessageOf(Options::Preset("Go").status()).find("\"Go\"") != std::string::npos);
  }

  TEST_CASE("a preset touches only its own fields, and a later option wins") {
    Options options;
    REQUIRE(SetOption(options, "gogc", "50").ok());
    REQUIRE(SetOption(options, "preset", "source").ok());
    CHECK(options.gogc == 50);
    REQUIRE(SetOption(options, "nursery", "1MiB").ok());
    CHECK(options.nursery_bytes == 1 << 20);
    CHECK_FALSE(options.in_place);
  }

  TEST_CASE("the environment sets the same fields") {
    Environment environment;
    environment.Set("NEAP_GOGC", "off");
    environment.Set("NEAP_MEMLIMIT", "100MiB");
    environment.Set("NEAP_NURSERY", "64KiB");
    environment.Set("NEAP_TENURE", "3");
    environment.Set("NEAP_MAXPROCS", "2");
    environment.Set("NEAP_WORKERS", "2");
    environment.Set("NEAP_DEBUG", "gctrace=1,verify=1");
    Options options;
    REQUIRE(SetOptionsFromEnvironment(options).ok());
    CHECK(options.gogc == Options::kGogcOff);
    CHECK(options.memory_limit_bytes == 100 << 20);
    CHECK(options.nursery == Options::Nursery::kFixed);
    CHECK(options.nursery_bytes == 64 << 10);
    CHECK(options.tenure == 3);
    CHECK(options.procs == 2);
    CHECK(options.workers == 2);
    CHECK(options.debug.gctrace == 1);
    CHECK(options.debug.verify == 1);
  }

  TEST_CASE("an empty environment changes nothing, and neither does an empty variable") {
    Environment environment;
    environment.Set("NEAP_GOGC", "");
    Options options;
    options.gogc = 77;
    options.debug.seed = 5;
    REQUIRE(SetOptionsFromEnvironment(options).ok());
    CHECK(options.gogc == 77);
    CHECK(options.debug.seed == 5);
  }

  TEST_CASE("a bad variable is named by its own name") {
    Environment environment;
    environment.Set("NEAP_NURSERY", "-1");
    Options options;
    const absl::Status status = SetOptionsFromEnvironment(options);
    CHECK(absl::IsInvalidArgument(status));
    CHECK(MessageOf(status) ==
          "NEAP_NURSERY: \"-1\" is not allowed; give off, adaptive, or a size from 4KiB to 1GiB");
    environment.Set("NEAP_NURSERY", "");
    environment.Set("NEAP_DEBUG", "gctraces=1");
    CHECK(MessageOf(SetOptionsFromEnvironment(options)).find("gctraces") != std::string::npos);
  }

  TEST_CASE("defaults are valid; each field out of range is named") {
    CHECK(ValidateOptions({}).ok());
    const auto broken = [](const auto& change) {
      Options options;
      change(options);
      return MessageOf(ValidateOptions(options));
    };
    CHECK(broken([](Options& o) { o.nursery_bytes = 4095; }).find("nursery_bytes: 4095") !=
          std::string::npos);
    CHECK(broken([](Options& o) { o.nursery_max_bytes = 1000; }).find("nursery_max_bytes: 1000") !=
          std::string::npos);
    CHECK(broken([](Options& o) { o.nursery_max_bytes = size_t{2} << 30; }).find("at most") !=
          std::string::npos);
    CHECK(broken([](Options& o) { o.tenure = 0; }).find("tenure: 0") != std::string::npos);
    CHECK(broken([](Options& o) { o.workers = 65; }).find("workers: 65") != std::string::npos);
    CHECK(broken([](Options& o) { o.procs = -1; }).find("procs: -1") != std::string::npos);
    CHECK(broken([](Options& o) { o.procs = 300; }).find("procs: 300") != std::string::npos);
    CHECK(broken([](Options& o) { o.memory_limit_bytes = 1000; }).find("memory_limit_bytes") !=
          std::string::npos);
    CHECK(broken([](Options& o) { o.hard_limit_bytes = 1000; }).find("hard_limit_bytes") !=
          std::string::npos);
    CHECK(broken([](Options& o) { o.gogc = 1'000'000; }).find("gogc") != std::string::npos);
    CHECK(broken([](Options& o) { o.reserve_bytes = 4096; }).find("reserve_bytes") !=
          std::string::npos);
    // A nursery that is off or fixed does not care for bounds it does not use.
    CHECK(broken([](Options& o) {
            o.nursery = Options::Nursery::kOff;
            o.nursery_bytes = 0;
          }) == "");
    CHECK(broken([](Options& o) {
            o.nursery = Options::Nursery::kFixed;
            o.nursery_bytes = size_t{16} << 20;
          }) == "");
  }
}

TEST_SUITE("gc/stats") {
  TEST_CASE("every statistic has a field, a path with a unit and a sentence, all different") {
    std::set<std::string> fields;
    std::set<std::string> paths;
    for (const gc::StatName& name : gc::StatNames()) {
      CHECK(fields.insert(name.field).second);
      CHECK(paths.insert(name.path).second);
      const std::string path = name.path;
      CHECK(path.front() == '/');
      CHECK(path.find(':') != std::string::npos);
      CHECK(std::string(name.sentence) != "");
    }
    CHECK(gc::StatNames().size() * sizeof(uint64_t) == sizeof(gc::Stats));
  }

  TEST_CASE("a name reads the field that it names") {
    gc::Stats stats;
    stats.majors = 7;
    for (const gc::StatName& name : gc::StatNames()) {
      CHECK(stats.*name.value == (std::string(name.field) == "majors" ? 7 : 0));
    }
  }

  TEST_CASE("causes have names, and a number that is none has one too") {
    CHECK(std::string(gc::CauseName(gc::Cause::kNurseryFull)) == "nursery-full");
    CHECK(std::string(gc::CauseName(gc::Cause::kMajor)) == "major");
    CHECK(std::string(gc::CauseName(static_cast<gc::Cause>(999))) == "unknown");
  }
}

}  // namespace
}  // namespace neap::testing
