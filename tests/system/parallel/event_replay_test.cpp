// SPDX-License-Identifier: Apache-2.0
// The events of several processes reach the observers in one order, in whichever pieces they are passed on.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <systemc>

#include "model/sim/time.h"
#include "model/system/parallel/event_log.h"
#include "tests/support/in_child.h"

using namespace tahoma;

namespace {

struct Recorder final : base::Observer {
  void instruction(const base::InstructionActivity& a) override { seen.push_back(a.index); }
  void transfer(const base::TransferActivity&) override {}
  std::vector<std::uint32_t> seen;
};

// Batches of events by three processes at random times, some of them empty. Events have numbers in the order
// in which they must be passed on.
std::string disorder(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Recorder recorder;
  model::EventReplay replay({&recorder, nullptr, nullptr});
  std::array<model::EventLog, 3> logs;
  std::uint32_t events = 0;
  for (int batch = 0; batch < 20; ++batch) {
    const auto instants = static_cast<int>(random() % 40);
    for (int instant = 0; instant < instants; ++instant) {
      sc_core::sc_start(sim::to_systemc(base::Duration{1'000'000}));
      for (model::EventLog& log : logs)
        for (std::uint64_t n = random() % 3; n > 0; --n) {
          base::InstructionActivity activity;
          activity.index = events++;
          log.instruction(activity);
        }
    }
    std::vector<model::ByteString> taken;
    for (model::EventLog& log : logs) taken.push_back(log.take());
    replay.add(std::move(taken));
    for (std::uint64_t n = random() % 4; n > 0; --n) replay.some();
    if (random() % 7 == 0) replay.all();
  }
  replay.all();
  if (replay.some()) return "events are left";
  if (recorder.seen.size() != events) return "events are missing";
  return std::is_sorted(recorder.seen.begin(), recorder.seen.end()) ? "in order" : "not in order";
}

}  // namespace

TEST_CASE(
    "event replay: events come in the order of time and process, in whichever pieces they are passed on",
    "[parallel]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    CHECK(tests::in_child([&] { return disorder(seed); }) == "in order");
}
