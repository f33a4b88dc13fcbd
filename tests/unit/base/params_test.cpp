// SPDX-License-Identifier: Apache-2.0
#include "model/base/params.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <string>

#include "model/base/error.h"
#include "model/base/measurements.h"
#include "model/base/stall_text.h"
#include "model/base/stats.h"

using namespace tahoma::base;

namespace {

struct Memory {
  std::uint64_t stacks;
  Bytes capacity;
  Bandwidth bandwidth;
  Duration latency;
  void declare(ParamTree& t) {
    t.add("stacks", stacks, std::uint64_t{4}, {1, 16}, "stacks of one chip", documented("a page"));
    t.add("capacity", capacity, 24_GiB, {1_MiB, 64_GiB}, "bytes of one stack", documented("a page"));
    t.add("bandwidth", bandwidth, 725_GBps, {1_GBps, 1000_GBps}, "of one stack", derived("a quotient"));
    t.add("latency", latency, 104_ns, {1_ns, 10_us}, "request to data", measured("a trace"));
  }
};

enum class Shape : std::uint8_t { kRing, kTorus, kMesh };
constexpr Named<Shape> kShapes[] = {{Shape::kRing, "ring"}, {Shape::kTorus, "torus"}, {Shape::kMesh, "mesh"}};

struct Chip {
  Shape topology;
  std::string label;
  bool throttle;
  double share;
  Cycles overhead;
  Frequency clock;
  Memory memory;
  void declare(ParamTree& t) {
    t.add("topology", topology, Shape::kTorus, kShapes, "how chips meet", chosen());
    t.add("label", label, "", {}, "what reports say", chosen());
    t.add("throttle", throttle, true, "half rate after idling", assumed("a guess"));
    t.add("share", share, 0.5, {-1.0, 1.0}, "a fraction", assumed("a guess"));
    t.add("overhead", overhead, 6_cyc, {0_cyc, 100_cyc}, "cycles of one instruction", measured("a trace"));
    t.add("clock", clock, 2400_MHz, {1_MHz, 10000_MHz}, "of the array", documented("a page"));
    t.group("memory", memory);
  }
};

struct Fixture {
  Chip chip;
  ParamTree tree{"chip"};
  Fixture() { chip.declare(tree); }

  std::string code_of(const std::string& path, const std::string& text) {
    try {
      tree.set(path, text, "case.yaml:3:7");
    } catch (const UserError& e) {
      CHECK(e.place == "case.yaml:3:7");
      CHECK(e.what() == "case.yaml:3:7: error[" + e.code + "]: " + e.message);
      message = e.message;
      return e.code;
    }
    return "";
  }
  std::string message;
};

}  // namespace

TEST_CASE("params: declaring binds members, paths and defaults in order", "[base][params]") {
  const Fixture f;
  CHECK(f.tree.paths() == std::vector<std::string>{"chip.topology", "chip.label", "chip.throttle",
                                                   "chip.share", "chip.overhead", "chip.clock",
                                                   "chip.memory.stacks", "chip.memory.capacity",
                                                   "chip.memory.bandwidth", "chip.memory.latency"});
  CHECK(f.chip.memory.stacks == 4);
  CHECK(f.chip.memory.bandwidth == 725_GBps);
  CHECK(f.chip.topology == Shape::kTorus);
  for (const Param& param : f.tree.params()) {
    CHECK(text_of(param.value) == param.default_text);
    CHECK(param.check().empty());
    CHECK(param.set_at.empty());
  }
}

TEST_CASE("params: set writes the bound member and remembers the place", "[base][params]") {
  Fixture f;
  f.tree.set("chip.memory.stacks", "6", "a:1:1");
  f.tree.set("chip.memory.bandwidth", "1 TB/s", "a:2:1");
  f.tree.set("chip.memory.capacity", "36 GiB", "a:3:1");
  f.tree.set("chip.memory.latency", "0.2 us", "a:4:1");
  f.tree.set("chip.throttle", "false", "a:5:1");
  f.tree.set("chip.share", "-0.25", "a:6:1");
  f.tree.set("chip.overhead", "8 cyc", "a:7:1");
  f.tree.set("chip.clock", "1.2 GHz", "a:8:1");
  f.tree.set("chip.topology", "mesh", "a:9:1");
  f.tree.set("chip.label", "010 any text", "a:10:1");
  CHECK(f.chip.memory.stacks == 6);
  CHECK(f.chip.memory.bandwidth == 1000_GBps);
  CHECK(f.chip.memory.capacity == 36_GiB);
  CHECK(f.chip.memory.latency == 200_ns);
  CHECK_FALSE(f.chip.throttle);
  CHECK(f.chip.share == -0.25);
  CHECK(f.chip.overhead == 8_cyc);
  CHECK(f.chip.clock == 1200_MHz);
  CHECK(f.chip.topology == Shape::kMesh);
  CHECK(f.chip.label == "010 any text");
  CHECK(f.tree.find("chip.clock")->set_at == "a:8:1");
}

TEST_CASE("params: an unknown path names the nearest one", "[base][params]") {
  Fixture f;
  CHECK(f.code_of("chip.memory.bandwith", "725 GB/s") == "E-CFG-002");
  CHECK_THAT(f.message, Catch::Contains("'chip.memory.bandwith'") &&
                            Catch::Contains("did you mean 'chip.memory.bandwidth'?"));
  CHECK(f.code_of("something.else.entirely", "1") == "E-CFG-002");
  CHECK_THAT(f.message, !Catch::Contains("did you mean"));
  CHECK(f.code_of("", "1") == "E-CFG-002");
}

TEST_CASE("params: a group is not a value and a value is not a group", "[base][params]") {
  Fixture f;
  CHECK(f.code_of("chip.memory", "4") == "E-CFG-019");
  CHECK_THAT(f.message, Catch::Contains("stacks, capacity, bandwidth, latency"));
  CHECK(f.code_of("chip", "4") == "E-CFG-019");
  CHECK(f.code_of("chip.clock.max", "1 GHz") == "E-CFG-019");
  CHECK(f.code_of("chip.clock[0]", "1 GHz") == "E-CFG-019");
}

TEST_CASE("params: units, numbers and ranges are checked", "[base][params]") {
  Fixture f;
  CHECK(f.code_of("chip.memory.bandwidth", "725") == "E-CFG-003");
  CHECK_THAT(f.message, Catch::Contains("'chip.memory.bandwidth' expected a bandwidth such as '725 GB/s'"));
  CHECK(f.code_of("chip.memory.latency", "104 GB/s") == "E-CFG-003");
  CHECK(f.code_of("chip.memory.stacks", "four") == "E-CFG-004");
  CHECK(f.code_of("chip.share", ".nan") == "E-CFG-004");
  CHECK(f.code_of("chip.memory.stacks", "17") == "E-CFG-005");
  CHECK_THAT(f.message, Catch::Contains("must lie in 1 .. 16, got 17"));
  CHECK(f.code_of("chip.memory.stacks", "0") == "E-CFG-005");
  CHECK(f.code_of("chip.memory.bandwidth", "1001 GB/s") == "E-CFG-005");
  CHECK_THAT(f.message, Catch::Contains("1 GB/s .. 1 TB/s"));
  CHECK(f.code_of("chip.clock", "11 GHz") == "E-CFG-005");
  CHECK(f.code_of("chip.overhead", "101 cyc") == "E-CFG-005");
  CHECK(f.code_of("chip.share", "1.5") == "E-CFG-005");
  CHECK(f.code_of("chip.memory.capacity", "1 KiB") == "E-CFG-005");
  CHECK(f.code_of("chip.topology", "toruss") == "E-CFG-006");
  CHECK_THAT(f.message, Catch::Contains("ring, torus, mesh") && Catch::Contains("did you mean 'torus'?"));
  CHECK(f.code_of("chip.throttle", "maybe") == "E-CFG-006");
  CHECK(f.code_of("chip.memory.stacks", "010") == "E-CFG-013");
}

TEST_CASE("params: a choice has one table, from which names, texts and errors follow", "[base][params]") {
  Fixture f;
  const Param& topology = *f.tree.find("chip.topology");
  CHECK(topology.choices == std::vector<std::string>{"ring", "torus", "mesh"});
  CHECK(topology.range_text == "one of: ring, torus, mesh");
  CHECK(topology.default_text == "torus");
  const ChoiceRef& ref = std::get<ChoiceRef>(topology.value);
  CHECK(ref.index() == 1);
  ref.set_index(0);
  CHECK(f.chip.topology == Shape::kRing);
  CHECK(text_of(topology.value) == "ring");
  CHECK(f.code_of("chip.topology", "ideal") == "E-CFG-006");
  CHECK(name_in(kShapes, Shape::kMesh) == std::string("mesh"));
}

TEST_CASE("params: a choice may have an absent value, which comes first", "[base][params]") {
  std::optional<Shape> shape;
  ParamTree tree("");
  tree.add("shape", shape, std::nullopt, absent_or("auto", Choice<Shape>(kShapes)), "", chosen());
  CHECK(tree.find("shape")->range_text == "one of: auto, ring, torus, mesh");
  CHECK(tree.find("shape")->default_text == "auto");
  tree.set("shape", "mesh", "here");
  CHECK(shape == Shape::kMesh);
  tree.set("shape", "auto", "here");
  CHECK_FALSE(shape.has_value());
}

TEST_CASE("params: both ends of a range are legal", "[base][params]") {
  Fixture f;
  for (const char* text : {"1", "16"}) CHECK(f.code_of("chip.memory.stacks", text).empty());
  for (const char* text : {"1 ns", "10 us"}) CHECK(f.code_of("chip.memory.latency", text).empty());
}

TEST_CASE("params: ideal is legal for costs that may vanish, and for nothing else", "[base][params]") {
  Fixture f;
  CHECK(f.code_of("chip.memory.bandwidth", "ideal").empty());
  CHECK(f.chip.memory.bandwidth.ideal);
  CHECK(f.code_of("chip.overhead", "ideal").empty());
  CHECK(f.chip.overhead == 0_cyc);
  for (const char* path : {"chip.memory.stacks", "chip.memory.capacity", "chip.clock", "chip.throttle",
                           "chip.share", "chip.memory.latency"})  // the latency's range begins at 1 ns
    CHECK(f.code_of(path, "ideal") == "E-CFG-007");
  CHECK(f.code_of("chip.label", "ideal").empty());
}

TEST_CASE("params: a refused value leaves the old one", "[base][params]") {
  Fixture f;
  f.tree.set("chip.memory.stacks", "6", "first");
  CHECK(f.code_of("chip.memory.stacks", "99") == "E-CFG-005");
  CHECK(f.code_of("chip.memory.stacks", "x") == "E-CFG-004");
  CHECK(f.code_of("chip.topology", "star") == "E-CFG-006");
  CHECK(f.chip.memory.stacks == 6);
  CHECK(f.chip.topology == Shape::kTorus);
  CHECK(f.tree.find("chip.memory.stacks")->set_at == "first");
}

TEST_CASE("params: a broken declaration is an invariant", "[base][params]") {
  Fixture f;
  std::uint64_t value = 0;
  CHECK_THROWS_AS(f.tree.add("label", value, std::uint64_t{1}, {1, 2}, "twice", chosen()), InvariantError);
  for (const auto& [low, high] : {std::pair{1.1, 2.0}, {0.5, 0.9}, {0.0, 2.0}})
    CHECK_THROWS_AS(f.tree.add("uncertain", value, std::uint64_t{1}, {1, 2}, "range without the value",
                               assumed("test").within(low, high)),
                    InvariantError);
  CHECK_THROWS_AS(f.tree.add("outside", value, std::uint64_t{3}, {1, 2}, "default", chosen()),
                  InvariantError);
  Shape shape{};
  Choice<Shape> some;
  some.push(Shape::kRing, "ring");
  CHECK_THROWS_AS(f.tree.add("shape", shape, Shape::kMesh, some, "default", chosen()), InvariantError);
  std::string word;
  CHECK_THROWS_AS(f.tree.add("word", word, "c", {"a", "b"}, "default", chosen()), InvariantError);
}

TEST_CASE("params: a group on demand is declared when one of its parameters is set, once", "[base][params]") {
  Fixture f;
  std::map<std::string, Memory> single;
  f.tree.on_demand(
      "single",
      {.group_of =
           [](const std::string& rest) {
             const std::string name = rest.substr(0, rest.find('.'));
             return name.starts_with("memory") ? name : "";
           },
       .declare = [&](ParamTree& t, const std::string& name) { t.group(name.c_str(), single[name]); },
       .legal = [] { return std::vector<std::string>{"memory0.stacks"}; }});
  const std::size_t declared = f.tree.params().size();
  CHECK(f.tree.find("chip.single.memory7.stacks") == nullptr);
  f.tree.set("chip.single.memory7.stacks", "3", "here");
  f.tree.set("chip.single.memory7.capacity", "1 GiB", "here");
  CHECK(f.tree.params().size() == declared + 4);
  CHECK(single.at("memory7").stacks == 3);
  CHECK(single.at("memory7").capacity == 1_GiB);
  CHECK(single.at("memory7").latency == 104_ns);
  CHECK(f.code_of("chip.single.memory7.stack", "3") == "E-CFG-002");
  CHECK_THAT(f.message, Catch::Contains("'chip.single.memory7.stacks'"));
  CHECK(f.code_of("chip.single.memory8", "3") == "E-CFG-019");
  CHECK(f.code_of("chip.single", "3") == "E-CFG-019");
  CHECK_THAT(f.message, Catch::EndsWith("expected memory7, memory8, memory0"));
  CHECK(f.code_of("chip.single.mmory0.stacks", "3") == "E-CFG-002");
  CHECK_THAT(f.message, Catch::Contains("did you mean 'chip.single.memory0.stacks'"));
  CHECK(f.tree.find("chip.memory.stacks") != nullptr);  // other paths are unchanged
}

TEST_CASE("params: a group on demand may be below another one's path", "[base][params]") {
  Fixture f;
  std::map<std::string, Memory> single;
  f.tree.on_demand(
      "single",
      {.group_of = [](const std::string& rest) { return rest.substr(0, rest.rfind('.')); },
       .declare = [&](ParamTree& t, const std::string& name) { t.group(name.c_str(), single[name]); },
       .legal = [] { return std::vector<std::string>(); }});
  f.tree.set("chip.single.board.memory.stacks", "3", "here");
  f.tree.set("chip.single.board.stacks", "2", "here");
  f.tree.set("chip.single.board.memory.stacks", "4", "here");
  CHECK(single.at("board").stacks == 2);
  CHECK(single.at("board.memory").stacks == 4);
}

TEST_CASE("params: an empty root puts the parameters at the top level", "[base][params]") {
  Memory memory;
  ParamTree tree("");
  memory.declare(tree);
  CHECK(tree.paths().front() == "stacks");
}

TEST_CASE("nearest name: at most a third of the letters may differ, at least one", "[base][error]") {
  const std::vector<std::string> names{"bandwidth", "capacity", "stacks", "m"};
  CHECK(nearest_name("bandwith", names) == "bandwidth");    // one missing
  CHECK(nearest_name("bandwidths", names) == "bandwidth");  // one more
  CHECK(nearest_name("kapazity", names) == "capacity");     // two of eight
  CHECK(nearest_name("stcaks", names) == "stacks");         // two of six
  CHECK(nearest_name("stapelz", names).empty());            // four of seven
  CHECK(nearest_name("n", names) == "m");
  CHECK(nearest_name("", names) == "m");
  CHECK(nearest_name("anything", {}).empty());
  CHECK(did_you_mean("stack", names) == " (did you mean 'stacks'?)");
  CHECK(did_you_mean("frequency", names).empty());
}

TEST_CASE("invariant: has the condition, the place and the detail", "[base][error]") {
  const int value = 3;
  CHECK_NOTHROW([&] { TAHOMA_INVARIANT(value == 3, "fine"); }());
  CHECK_THROWS_WITH([&] { TAHOMA_INVARIANT(value == 4, "server0.chip01: value 3"); }(),
                    Catch::Contains("tests/unit/base/params_test.cpp:") && Catch::Contains("value == 4") &&
                        Catch::Contains("server0.chip01: value 3") && !Catch::StartsWith("/"));
}

TEST_CASE("names: every engine, cycle and unit has its own", "[base][measurements]") {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kEngineKinds; ++i) names.emplace_back(name_of(static_cast<EngineKind>(i)));
  CHECK(names == std::vector<std::string>{"tensor", "vector", "scalar", "gpsimd", "sync", "collective"});
  names.clear();
  for (std::size_t i = 0; i < kStallReasons; ++i) {
    names.emplace_back(name_of(static_cast<StallReason>(i)));
    CHECK_FALSE(std::string(doc_of(static_cast<StallReason>(i))).empty());
    CHECK_FALSE(std::string(advice_of(static_cast<StallReason>(i))).empty());
  }
  // Every wait for a semaphore is one metric of Neuron Explorer; idle time and handovers have no name there.
  for (auto i = static_cast<std::size_t>(StallReason::kWaitTensor);
       i <= static_cast<std::size_t>(StallReason::kWaitCollective); ++i)
    CHECK(vendor_name_of(static_cast<StallReason>(i)) == std::string("evt_wait_time_ns"));
  CHECK(vendor_name_of(StallReason::kThrottle) == std::string("throttled_flops"));
  CHECK(vendor_name_of(StallReason::kIdle) == std::string());
  CHECK(name_of(StallReason::kBusy) == std::string("busy"));
  CHECK(name_of(StallReason::kWaitLink) == std::string("wait_link"));
  CHECK(name_of(StallReason::kQueueFull) == std::string("queue_full"));
  CHECK(name_of(StallReason::kIdle) == std::string("idle"));
  CHECK(name_of(Unit::kBytesPerSecond) == std::string("B/s"));
  std::sort(names.begin(), names.end());
  CHECK(std::unique(names.begin(), names.end()) == names.end());
}
