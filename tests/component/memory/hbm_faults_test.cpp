// SPDX-License-Identifier: Apache-2.0
// The cost of faults for a stack with DRAM, compared with a sound stack under the same load: more than it can
// serve, from three cores.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "isa/core/program_error.h"
#include "tests/support/bench/hbm_traffic.h"
#include "tests/support/in_child.h"
#include "tests/support/program/tiny_programs.h"

using namespace tahoma;
using namespace tahoma::tests;

namespace {

using model::HbmModel;

model::MachineParams machine_with(const model::StackFaults& faults, HbmModel memory = HbmModel::kDram) {
  model::MachineParams m = dram_machine();
  m.chip.hbm.model = memory;
  m.instances.stacks["server0.chip00.hbm0"] = faults;
  m.check();
  return m;
}

Streamed loaded(const model::StackFaults& faults, HbmModel memory = HbmModel::kDram) {
  const Stream each{100, 0};
  return stream(machine_with(faults, memory), {{0, 0, each}, {1, 0, each}, {2, 0, each}});
}

double rate(const Streamed& r) { return r.rate(0) + r.rate(1) + r.rate(2); }

double rate_with(const model::StackFaults& faults, HbmModel memory = HbmModel::kDram) {
  return std::stod(in_child([&] { return std::to_string(rate(loaded(faults, memory))); }));
}

struct Errors {
  std::uint64_t corrected = 0, accesses = 0;
};
Errors errors_of(const base::HbmMeasurement& h) {
  Errors e;
  for (const auto& c : h.channels) {
    e.corrected += c.corrected_errors;
    e.accesses += c.row_hits + c.row_misses + c.row_conflicts;
  }
  return e;
}

// The error code of a load of the last 4 KiB before `end` of stack 0.
std::string code_of(const model::MachineParams& m, std::uint64_t end) {
  return in_child([&]() -> std::string {
    model::System system(m, model::Mode::kTiming);
    isa::Program p;
    p.stream(isa::Queue::kSync).edit() = {load_rows(p, 0, 1, 4096, 0)};
    system.load(0, std::make_shared<isa::Program>(p), {end - 4096});
    try {
      system.run();
    } catch (const isa::ProgramError& e) {
      return e.code;
    }
    return "";
  });
}

}  // namespace

TEST_CASE("HBM faults: a failed channel takes its share of the bandwidth along", "[hbm]") {
  const double sound = rate_with({});
  CHECK(rate_with({1, "3", 0}) == Approx(sound * 15 / 16).epsilon(0.03));
  CHECK(rate_with({1, "3,7,8,9", 0}) == Approx(sound * 12 / 16).epsilon(0.03));
  CHECK(rate_with({1, "0,1,2,3,4,5,6,7", 0}) == Approx(sound * 8 / 16).epsilon(0.03));
}

TEST_CASE("HBM faults: the same holds for the model by banks", "[hbm]") {
  const double sound = rate_with({}, HbmModel::kBanks);
  CHECK(rate_with({1, "3", 0}, HbmModel::kBanks) == Approx(sound * 15 / 16).epsilon(0.03));
  CHECK(rate_with({0.5, "", 0}, HbmModel::kBanks) == Approx(sound / 2).epsilon(0.02));
  CHECK(rate_with({1, "", 0.1}, HbmModel::kBanks) == Approx(sound / 1.1).epsilon(0.02));
  const Streamed r = loaded({1, "3,8", 0.001}, HbmModel::kBanks);
  const base::HbmMeasurement& h = r.run.hbm.at(0);
  const Errors e = errors_of(h);
  CHECK(e.corrected > 0);
  CHECK(e.accesses == h.read_bytes / 32 + e.corrected);
  CHECK(h.events == e.corrected);
  CHECK(h.channels[3].read_bytes == 0);
  CHECK(h.channels[8].read_bytes == 0);
}

TEST_CASE("HBM faults: a failed channel moves nothing, the others share its bytes equally", "[hbm]") {
  const Streamed r = loaded({1, "3,8", 0});
  const base::HbmMeasurement& h = r.run.hbm.at(0);
  std::uint64_t moved = 0;
  for (const auto& c : h.channels) moved += c.read_bytes;
  CHECK(moved == h.read_bytes);
  for (std::size_t c = 0; c < h.channels.size(); ++c) {
    CHECK(h.channels[c].failed == (c == 3 || c == 8));
    if (c == 3 || c == 8)
      CHECK(h.channels[c].read_bytes == 0);
    else
      CHECK(static_cast<double>(h.channels[c].read_bytes) ==
            Approx(static_cast<double>(moved) / 14).epsilon(0.03));
  }
}

TEST_CASE("HBM faults: a stack at half its rate serves half", "[hbm]") {
  CHECK(rate_with({0.5, "", 0}) == Approx(rate_with({}) / 2).epsilon(0.02));
}

TEST_CASE("HBM faults: an error costs one more access", "[hbm]") {
  const double sound = rate_with({});
  CHECK(rate_with({1, "", 0.01}) == Approx(sound / 1.01).epsilon(0.02));
  CHECK(rate_with({1, "", 0.1}) == Approx(sound / 1.1).epsilon(0.02));
}

// The number of errors is binomial: within four standard deviations of its mean.
TEST_CASE("HBM faults: errors affect their share of the accesses and are events", "[hbm]") {
  const double p = 0.001;
  const Streamed r = loaded({1, "", p});
  const base::HbmMeasurement& h = r.run.hbm.at(0);
  const Errors e = errors_of(h);
  const double asked = static_cast<double>(h.read_bytes) / 32;
  CHECK(std::abs(static_cast<double>(e.corrected) - p * asked) <= 4 * std::sqrt(p * asked));
  CHECK(e.accesses == h.read_bytes / 32 + e.corrected);
  CHECK(h.events == e.corrected);
  REQUIRE_FALSE(h.first_events.empty());
  CHECK_THAT(h.first_events.front().what, Catch::StartsWith("corrected error: channel "));
  CHECK(std::is_sorted(h.first_events.begin(), h.first_events.end(),
                       [](const auto& a, const auto& b) { return a.when < b.when; }));
  CHECK(errors_of(r.run.hbm.at(1)).corrected == 0);
}

TEST_CASE("HBM faults: errors are the same in every run and mode", "[hbm]") {
  const auto events = [](model::Mode mode) {
    return in_child([&] {
      const Streamed r = stream(machine_with({1, "", 0.01}), {{0, 0, {4, 4}}}, mode);
      std::string text = fmt::format("{} {}\n", r.run.elapsed.fs, r.run.hbm.at(0).events);
      for (const auto& e : r.run.hbm.at(0).first_events) text += fmt::format("{} {}\n", e.when.fs, e.what);
      return text;
    });
  };
  const std::string first = events(model::Mode::kTiming);
  CHECK(first.find("corrected error") != std::string::npos);
  CHECK(first == events(model::Mode::kTiming));
  CHECK(first == events(model::Mode::kFunctional));
}

// A second access, and 100 ns for the requester: the request is late by both.
TEST_CASE("HBM faults: a read with an error is late by its second access and the retry", "[hbm]") {
  const auto latency = [](double p) {
    return std::stod(in_child([&] {
      const Streamed r = stream(machine_with({1, "", p}), {{0, 0, {1, 0, 64}}});
      return std::to_string(r.run.hbm.at(0).reads.longest.ns());
    }));
  };
  // At 0.1 an error among 256 accesses is certain, but not its position: 0.9 ^ 256 is 2e-12.
  const double late = latency(0.1) - latency(0);
  CHECK(late >= 100);
  CHECK(late <= 100 + 40);
}

TEST_CASE("HBM faults: the memory of failed channels is not part of the stack", "[hbm]") {
  const model::MachineParams sound = machine_with({}), failed = machine_with({1, "3,7,8,15", 0});
  const std::uint64_t whole = sound.chip.hbm.capacity.count;
  CHECK(code_of(sound, whole) == "");
  CHECK(code_of(sound, whole + 4) == "E-RUN-042");
  CHECK(code_of(failed, whole / 16 * 12) == "");
  CHECK(code_of(failed, whole / 16 * 12 + 4) == "E-RUN-042");
  CHECK(code_of(failed, whole) == "E-RUN-042");
}
