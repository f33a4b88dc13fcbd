// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "studies/sweep/spec/axis.h"
#include "studies/sweep/spec/steps.h"
#include "tests/support/program/refusal_of.h"

namespace {

using namespace tahoma;
using namespace tahoma::base::literals;
using runtime::Axis, runtime::Track, runtime::TrackText, runtime::Written, tests::refusal_of;
using Texts = std::vector<std::string>;

// A parameter of each kind.
struct Kinds {
  bool on = false;
  std::uint64_t count = 0;
  double share = 0;
  std::string word;
  base::Duration time;
  base::Cycles cycles;
  base::Bytes size;
  base::Frequency clock;
  base::Bandwidth rate;
  base::ParamTree tree{"m"};

  Kinds() {
    const auto source = base::chosen();
    tree.add("on", on, false, "", source);
    tree.add("count", count, std::uint64_t{1}, {0, 1'000'000'000}, "", source);
    tree.add("share", share, 0.0, {-10, 1000}, "", source);
    tree.add("word", word, "flat", {"flat", "full"}, "", source);
    tree.add("time", time, 1_ns, {base::Duration{0}, 1000_us}, "", source);
    tree.add("cycles", cycles, 1_cyc, {0_cyc, 1000_cyc}, "", source);
    tree.add("size", size, 1_KiB, {1_B, 64_GiB}, "", source);
    tree.add("clock", clock, 1000_MHz, {1_MHz, 100'000_MHz}, "", source);
    tree.add("rate", rate, 1_GBps, {1_GBps, 10'000_GBps}, "", source);
  }
};

TrackText listed(const std::string& name, const Texts& texts) {
  TrackText text;
  text.path = "m." + name;
  text.place = "f:1:1";
  for (const std::string& value : texts) text.values.push_back({value, "f:2:1"});
  return text;
}

TrackText ranged(const std::string& name, const std::string& from, const std::string& to) {
  TrackText text = listed(name, {});
  text.from = Written{from, "f:3:1"};
  text.to = Written{to, "f:4:1"};
  return text;
}

TrackText stepped(const std::string& name, const std::string& from, const std::string& to,
                  const std::string& step) {
  TrackText text = ranged(name, from, to);
  text.step = Written{step, "f:5:1"};
  return text;
}

TrackText scaled(const std::string& name, const std::string& from, const std::string& to,
                 const std::string& factor) {
  TrackText text = ranged(name, from, to);
  text.factor = Written{factor, "f:5:1"};
  return text;
}

Track read(const TrackText& text) {
  Kinds kinds;
  return runtime::read_track(text, kinds.tree);
}
Texts values(const TrackText& text) { return read(text).values; }

void check_refused(const TrackText& text, const std::string& beginning, const std::string& hint) {
  const std::string refusal = refusal_of([&] { read(text); });
  CHECK_THAT(refusal, Catch::StartsWith(beginning));
  CHECK_THAT(refusal, Catch::Contains(hint));
}

}  // namespace

TEST_CASE("sweep axis: a list keeps its order, with each value in the parameter's notation", "[sweep]") {
  CHECK(values(listed("count", {"8", "4", "6"})) == Texts{"8", "4", "6"});
  CHECK(values(listed("clock", {"2400 MHz", "1.2GHz"})) == Texts{"2.4 GHz", "1.2 GHz"});
  CHECK(values(listed("rate", {"64GB/s", "ideal"})) == Texts{"64 GB/s", "ideal"});
  CHECK(values(listed("word", {"full", "flat"})) == Texts{"full", "flat"});
  CHECK(values(listed("on", {"true", "false"})) == Texts{"true", "false"});
}

TEST_CASE("sweep axis: steps include both ends and are exact in every unit", "[sweep]") {
  CHECK(values(stepped("clock", "1.2 GHz", "2.8 GHz", "400 MHz")) ==
        Texts{"1.2 GHz", "1.6 GHz", "2 GHz", "2.4 GHz", "2.8 GHz"});
  CHECK(values(stepped("share", "0.1", "0.5", "0.1")) == Texts{"0.1", "0.2", "0.3", "0.4", "0.5"});
  CHECK(values(stepped("share", "-0.2", "0.1", "1e-1")) == Texts{"-0.2", "-0.1", "0", "0.1"});
  CHECK(values(stepped("rate", "64GB/s", "0.256TB/s", "64GB/s")) ==
        Texts{"64 GB/s", "128 GB/s", "192 GB/s", "256 GB/s"});
  CHECK(values(stepped("time", "0 ns", "0.3 ns", "100 ps")) == Texts{"0 ns", "100 ps", "200 ps", "300 ps"});
  CHECK(values(stepped("size", "1 KiB", "3 KiB", "1024 B")) == Texts{"1 KiB", "2 KiB", "3 KiB"});
  CHECK(values(stepped("cycles", "64 cyc", "66 cyc", "1 cyc")) == Texts{"64 cyc", "65 cyc", "66 cyc"});
}

TEST_CASE("sweep axis: a negative step goes down", "[sweep]") {
  CHECK(values(stepped("count", "8", "2", "-3")) == Texts{"8", "5", "2"});
  CHECK(values(stepped("clock", "2 GHz", "1 GHz", "-500 MHz")) == Texts{"2 GHz", "1.5 GHz", "1 GHz"});
  CHECK(values(stepped("share", "0.3", "0.1", "-0.1")) == Texts{"0.3", "0.2", "0.1"});
}

TEST_CASE("sweep axis: a step may be shorter than the parameter's own least value", "[sweep]") {
  CHECK(values(stepped("clock", "1 MHz", "1.2 MHz", "100 kHz")) == Texts{"1 MHz", "1.1 MHz", "1.2 MHz"});
}

TEST_CASE("sweep axis: factors include both ends and are exact", "[sweep]") {
  CHECK(values(scaled("count", "512", "4096", "2")) == Texts{"512", "1024", "2048", "4096"});
  CHECK(values(scaled("count", "8", "1", "0.5")) == Texts{"8", "4", "2", "1"});
  CHECK(values(scaled("share", "0.1", "0.225", "1.5")) == Texts{"0.1", "0.15", "0.225"});
  CHECK(values(scaled("size", "1 KiB", "1 MiB", "32")) == Texts{"1 KiB", "32 KiB", "1 MiB"});
}

TEST_CASE("sweep axis: a range of one value is that value", "[sweep]") {
  CHECK(values(stepped("count", "4", "4", "2")) == Texts{"4"});
  CHECK(values(scaled("count", "4", "4", "2")) == Texts{"4"});
}

TEST_CASE("sweep axis: a range without steps has ends and no values", "[sweep]") {
  const Track track = read(ranged("clock", "1200 MHz", "2.8 GHz"));
  CHECK(track.values.empty());
  REQUIRE(track.range);
  CHECK(track.range->from == "1.2 GHz");
  CHECK(track.range->to == "2.8 GHz");
  CHECK_FALSE(track.range->log);
}

TEST_CASE("sweep axis: positions of a range cover it evenly, whole units and logarithms alike", "[sweep]") {
  Kinds kinds;
  const auto at = [&](const char* name, const Track::Range& range, double position) {
    return runtime::value_at(kinds.tree.find(std::string("m.") + name)->value, range, position);
  };
  const double last = std::nextafter(1.0, 0.0);
  CHECK(at("count", {"1", "4", false}, 0) == "1");
  CHECK(at("count", {"1", "4", false}, 0.25) == "2");
  CHECK(at("count", {"1", "4", false}, 0.75) == "4");
  CHECK(at("count", {"1", "4", false}, last) == "4");
  CHECK(at("clock", {"1 GHz", "3 GHz", false}, 0.5) == "2 GHz");
  CHECK(at("share", {"-1", "1", false}, 0.75) == "0.5");
  CHECK(at("share", {"1", "100", true}, 0.5) == "10");
  CHECK(at("share", {"1", "16", true}, 0.75) == "8");
  CHECK(at("count", {"1", "1023", true}, 0.5) == "32");
  CHECK(at("count", {"1", "1023", true}, last) == "1023");
  CHECK(at("count", {"7", "1000000000", true}, 0) == "7");
}

TEST_CASE("sweep axis: no values, or half a range, is refused", "[sweep]") {
  check_refused(listed("count", {}), "f:1:1: error[E-SWP-010]: 'm.count'", "at least one");
  TrackText half = ranged("count", "1", "2");
  half.to.reset();
  check_refused(half, "f:1:1: error[E-SWP-010]: 'm.count'", "key 'to' of the range is missing");
}

TEST_CASE("sweep axis: keys that exclude each other are refused", "[sweep]") {
  TrackText both = stepped("count", "1", "2", "1");
  both.factor = Written{"2", "f:6:1"};
  check_refused(both, "f:5:1: error[E-SWP-011]", "step and factor exclude each other");
  TrackText log = stepped("count", "1", "2", "1");
  log.log = Written{"true", "f:6:1"};
  check_refused(log, "f:6:1: error[E-SWP-011]", "without step");
  TrackText mixed = ranged("count", "1", "2");
  mixed.values.push_back({"3", "f:6:1"});
  check_refused(mixed, "f:1:1: error[E-SWP-011]", "exclude each other");
}

TEST_CASE("sweep axis: a step or factor that never reaches the end is refused with a correction", "[sweep]") {
  check_refused(stepped("count", "1", "10", "4"), "f:5:1: error[E-SWP-012]", "9 is followed by 13");
  check_refused(stepped("count", "1", "10", "0"), "f:5:1: error[E-SWP-012]", "a step of 0 never reaches 10");
  check_refused(stepped("count", "10", "1", "3"), "f:5:1: error[E-SWP-012]", "write '-3'");
  check_refused(stepped("count", "1", "10", "-3"), "f:5:1: error[E-SWP-012]", "write '3'");
  check_refused(scaled("count", "1", "10", "2"), "f:5:1: error[E-SWP-012]", "8 is followed by 16");
  check_refused(scaled("count", "4", "64", "1"), "f:5:1: error[E-SWP-012]", "a factor of 1 never reaches");
  check_refused(scaled("count", "64", "4", "2"), "f:5:1: error[E-SWP-012]", "exchange from and to");
  check_refused(scaled("count", "0", "4", "2"), "f:5:1: error[E-SWP-012]", "above zero");
  check_refused(scaled("count", "5", "20", "1.5"), "f:5:1: error[E-SWP-012]", "5 is followed by nothing");
}

TEST_CASE("sweep axis: an invalid range is refused", "[sweep]") {
  check_refused(ranged("count", "4", "4"), "f:4:1: error[E-SWP-012]", "expected more than 4");
  TrackText log = ranged("share", "0", "1");
  log.log = Written{"true", "f:6:1"};
  check_refused(log, "f:3:1: error[E-SWP-012]", "begins above zero");
}

TEST_CASE("sweep axis: words, switches and ideal have no range", "[sweep]") {
  check_refused(stepped("word", "flat", "full", "1"), "f:1:1: error[E-SWP-013]: 'm.word'", "flat, full");
  check_refused(ranged("on", "false", "true"), "f:1:1: error[E-SWP-013]: 'm.on'",
                "write the values as a list");
  check_refused(stepped("rate", "1 GB/s", "ideal", "1 GB/s"), "f:4:1: error[E-SWP-013]", "as a list");
}

TEST_CASE("sweep axis: too many values are counted, not created", "[sweep]") {
  check_refused(stepped("clock", "1 GHz", "2 GHz", "1 Hz"), "f:5:1: error[E-SWP-014]: 1000000001 values",
                "at most 10000");
  check_refused(scaled("share", "1", "1000", "1.0000000001"), "f:5:1: error[E-SWP-012]", "never reaches");
  CHECK(values(stepped("count", "1", "10000", "1")).size() == 10000);
}

TEST_CASE("sweep axis: units and limits are those of the parameter", "[sweep]") {
  check_refused(listed("clock", {"2.4"}), "f:2:1: error[E-CFG-003]: 'm.clock'", "2.4 GHz");
  check_refused(stepped("clock", "1 GHz", "2 GHz", "100 ns"), "f:5:1: error[E-CFG-003]", "a frequency");
  check_refused(listed("clock", {"1 kHz"}), "f:2:1: error[E-CFG-005]: 'm.clock'", "must lie in");
  check_refused(listed("word", {"flatt"}), "f:2:1: error[E-CFG-006]: 'm.word'", "did you mean 'flat'");
  check_refused(listed("counts", {"1"}), "f:1:1: error[E-CFG-002]", "did you mean 'm.count'");
  check_refused(listed("count", {"ideal"}), "f:2:1: error[E-CFG-007]", "cannot be ideal");
}

TEST_CASE("sweep axis: linked parameters have equally many values", "[sweep]") {
  const Axis axis =
      runtime::linked({read(listed("count", {"4", "8"})), read(listed("cycles", {"1 cyc", "1 cyc"}))});
  CHECK(axis.size() == 2);
  CHECK_FALSE(axis.continuous());
  CHECK(axis.name() == "m.count, m.cycles");
  const auto refusal = [](const TrackText& other) {
    return refusal_of([&] { runtime::linked({read(listed("count", {"4", "8"})), read(other)}); });
  };
  CHECK_THAT(refusal(listed("cycles", {"1 cyc"})),
             Catch::StartsWith("f:1:1: error[E-SWP-015]: 'm.cycles': has 1 values") &&
                 Catch::Contains("'m.count', which has 2"));
  CHECK_THAT(refusal(ranged("share", "1", "2")), Catch::StartsWith("f:1:1: error[E-SWP-015]: 'm.share'"));
}

TEST_CASE("sweep axis: the same values twice are refused, however they are written", "[sweep]") {
  const auto refusal = [](const Texts& texts) {
    return refusal_of([&] { runtime::linked({read(listed("clock", texts))}); });
  };
  CHECK_THAT(refusal({"1 GHz", "2 GHz", "1000 MHz"}),
             Catch::StartsWith("f:1:1: error[E-SWP-016]: 'm.clock': value 3 is value 1 again: 1 GHz"));
}
