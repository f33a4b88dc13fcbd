// SPDX-License-Identifier: Apache-2.0
// A foreign initiator with the plain base protocol at one of our stacks.
#include "model/memory/foreign/foreign_port.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "model/base/error.h"
#include "model/memory/hbm/dram_stack.h"
#include "model/memory/hbm/flat_stack.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/bench/their_initiator.h"
#include "tests/support/in_child.h"

using namespace tahoma;
using namespace tahoma::tests;
using namespace tahoma::base::literals;
using base::Duration, base::Time;

namespace {

struct Bench {
  enum class Kind { kFlat, kDram };
  static constexpr Duration kBack = 34_ns;

  model::MachineParams machine;
  model::StackFaults sound;
  sim::PayloadPool pool;
  sim::Meter meter;
  std::unique_ptr<model::HbmStack> stack;
  std::unique_ptr<model::ForeignPort> port;
  std::unique_ptr<TheirInitiator> theirs;

  explicit Bench(Kind kind, std::uint32_t outstanding = 64, Duration back = kBack,
                 const model::MachineParams& m = machine_of(1, 1, 1))
      : machine(m) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    const model::HbmParams& p = machine.chip.hbm;
    if (kind == Kind::kFlat)
      stack = std::make_unique<model::FlatStack>("stack", p, sound);
    else
      stack = std::make_unique<model::DramStack>(
          "stack", model::DramStack::Environment{p, model::design_of(p, 1), back, meter}, sound);
    port = std::make_unique<model::ForeignPort>(
        "adaptor", model::ForeignPort::Place{*stack, 3, back, outstanding, pool, meter});
    theirs = std::make_unique<TheirInitiator>("theirs");
    theirs->port.bind(port->foreign);
  }
  std::string run() {
    sc_core::sc_start();
    meter.rethrow();
    if (pool.in_use() != 0) return "packets are left";
    return theirs->verdict();
  }
};

constexpr Bench::Kind kBoth[] = {Bench::Kind::kFlat, Bench::Kind::kDram};

std::string refusal_of_port(Offence offence, Ending ending = Ending::kAtOnce) {
  return in_child([&] {
    Bench bench(Bench::Kind::kFlat, 1);
    bench.theirs->offence = offence;
    bench.theirs->ending = ending;
    for (std::uint64_t n = 0; n < 3; ++n) bench.theirs->read(256 * n, 64);
    bench.run();
    return std::string("nothing");
  });
}

}  // namespace

TEST_CASE(
    "foreign initiator: reads its written data, of any length at any address, ending responses in any way",
    "[memory][tlm]") {
  for (const Bench::Kind kind : kBoth) {
    for (const Ending ending : {Ending::kAtOnce, Ending::kOnReturn, Ending::kLater, Ending::kAny}) {
      for (const std::uint32_t outstanding : {1U, 5U, 64U}) {
        CAPTURE(static_cast<int>(kind), static_cast<int>(ending), outstanding);
        const std::string outcome = in_child([&] {
          Bench bench(kind, outstanding);
          bench.theirs->ending = ending;
          std::mt19937_64 random(outstanding);
          std::vector<unsigned char> memory(8192);
          std::vector<std::vector<unsigned char>> expected;
          for (int n = 0; n < 400; ++n) {
            const std::uint64_t at = random() % 7000, bytes = 1 + random() % (n % 5 == 0 ? 1100 : 40);
            std::vector<unsigned char> data(bytes);
            if (random() % 2 == 0) {
              for (auto& byte : data) byte = static_cast<unsigned char>(random());
              std::copy(data.begin(), data.end(), memory.begin() + static_cast<std::ptrdiff_t>(at));
              bench.theirs->write(at, data);
            } else {
              const auto from = memory.begin() + static_cast<std::ptrdiff_t>(at);
              data.assign(from, from + static_cast<std::ptrdiff_t>(bytes));
              bench.theirs->read(at, bytes);
            }
            expected.push_back(data);
          }
          std::string wrong = bench.run();
          for (std::size_t n = 0; n < expected.size(); ++n) {
            if (bench.theirs->list[n].data != expected[n]) wrong += fmt::format(" data of {}", n);
            if (bench.theirs->list[n].status != tlm::TLM_OK_RESPONSE)
              wrong += fmt::format(" status of {}", n);
          }
          if (bench.theirs->most_under_way > outstanding + 1) wrong += " too many in flight";
          if (bench.theirs->most_under_way < std::min(outstanding, 60U)) wrong += " too few in flight";
          const auto m = bench.stack->measure(sim::now());
          std::uint64_t read = 0, written = 0;
          for (const auto& t : bench.theirs->list)
            (t.command == tlm::TLM_READ_COMMAND ? read : written) += t.data.size();
          if (m.read_bytes != read || m.write_bytes != written) wrong += " bytes";
          return wrong;
        });
        CHECK(outcome == "");
      }
    }
  }
}

TEST_CASE("foreign initiator: alone, a flat stack answers by its closed form", "[memory][tlm]") {
  Bench bench(Bench::Kind::kFlat, 4, Duration{0});
  const auto& p = bench.machine.chip.hbm;
  TheirInitiator::Transaction& read = bench.theirs->read(100, 1000);
  TheirInitiator::Transaction& write = bench.theirs->write(0, std::vector<unsigned char>(64));
  TheirInitiator::Transaction& announced = bench.theirs->read(8192, 32);
  write.from_ns = 5000;
  announced.from_ns = 10000;
  announced.ahead_ns = 250;
  CHECK(bench.run() == "");
  CHECK(read.begin == Time{0});
  CHECK(read.accepted == read.begin);
  CHECK(read.answered == read.begin + p.bandwidth.time_for(1000_B) + p.read_latency);
  CHECK(write.begin == 5_us);
  CHECK(write.answered == write.begin + p.bandwidth.time_for(64_B));
  CHECK(announced.begin == 10.25_us);
  CHECK(announced.answered == announced.begin + p.bandwidth.time_for(32_B) + p.read_latency);
}

TEST_CASE("foreign initiator: alone, DRAM answers a read after tRCDRD + CL + burst, a write at once",
          "[memory][tlm]") {
  Bench bench(Bench::Kind::kDram);
  const auto design = model::design_of(bench.machine.chip.hbm, 1);
  const model::dram::Timing& t = design->timing;
  TheirInitiator::Transaction& read = bench.theirs->read(64, design->organisation.access_bytes);
  TheirInitiator::Transaction& write = bench.theirs->write(4096, std::vector<unsigned char>(32));
  read.from_ns = 50;
  write.from_ns = 300;
  CHECK(bench.run() == "");
  // A column command waits for the next slot of its pseudo-channel.
  const auto start = t.clock.at_or_after(read.begin).count;
  const std::uint32_t pseudo = design->mapping.place(read.address).pseudo;
  const auto column = model::dram::slot_at_or_after(
      t, start + t.rcd_read, slot_phase(t, pseudo, design->organisation.pseudo_channels));
  CHECK(read.answered == t.clock.edge({column + t.cl + t.burst}) + Bench::kBack);
  CHECK(write.answered == write.begin + Bench::kBack);
}

TEST_CASE("foreign initiator: many transactions under way reach the bandwidth of the stack",
          "[memory][tlm]") {
  constexpr std::uint64_t kLength = 4096, kCount = 4000;
  model::MachineParams m = machine_of(1, 1, 1);
  // The cost of refresh and bank groups is tested with the DRAM.
  m.chip.hbm.dram.refresh = model::dram::Refresh::kNone;
  m.chip.hbm.dram.timing.ccd_long = m.chip.hbm.dram.timing.ccd_stack =
      m.chip.hbm.dram.timing.ccd_stack_write = m.chip.hbm.dram.timing.ccd_short;
  for (const Bench::Kind kind : kBoth) {
    CAPTURE(static_cast<int>(kind));
    const std::string outcome = in_child([&] {
      Bench bench(kind, 256, Bench::kBack, m);
      for (std::uint64_t n = 0; n < kCount; ++n) bench.theirs->read(n * kLength, kLength);
      const std::string wrong = bench.run();
      const double gbps = static_cast<double>(kCount * kLength) / bench.theirs->list.back().answered.ns();
      return wrong + fmt::format("{}", gbps);
    });
    const double peak = static_cast<double>(m.chip.hbm.bandwidth.bytes_per_second) * 1e-9;
    CHECK(std::stod(outcome) <= peak);
    CHECK(std::stod(outcome) >= 0.98 * peak);
  }
}

TEST_CASE("foreign initiator: one transaction at a time reaches its length per latency", "[memory][tlm]") {
  Bench bench(Bench::Kind::kFlat, 1);
  const auto& p = bench.machine.chip.hbm;
  for (std::uint64_t n = 0; n < 100; ++n) bench.theirs->read(n * 64, 64);
  CHECK(bench.run() == "");
  const Duration each = p.bandwidth.time_for(64_B) + p.read_latency + Bench::kBack;
  CHECK(bench.theirs->list.back().answered == each * 100);
  CHECK(bench.theirs->most_under_way == 2);  // one of them waits for END_REQ
}

TEST_CASE("foreign initiator: an unsupported request is answered with the standard's status",
          "[memory][tlm]") {
  Bench bench(Bench::Kind::kFlat);
  const std::uint64_t size = bench.stack->host_memory().size();
  unsigned char enable = TLM_BYTE_ENABLED;
  auto& enabled = bench.theirs->read(0, 64);
  enabled.payload.set_byte_enable_ptr(&enable);
  enabled.payload.set_byte_enable_length(1);
  auto& streaming = bench.theirs->read(0, 64);
  streaming.payload.set_streaming_width(8);
  auto& empty = bench.theirs->read(0, 0);
  auto& outside = bench.theirs->read(size, 1);
  auto& across = bench.theirs->read(size - 1, 2);
  auto& nowhere = bench.theirs->read(0, 64);
  nowhere.payload.set_data_ptr(nullptr);
  auto& nothing = bench.theirs->add(tlm::TLM_IGNORE_COMMAND, 0, 64);
  auto& wide = bench.theirs->read(size - 64, 64);
  wide.payload.set_streaming_width(1000);
  CHECK(bench.run() == "");
  CHECK(enabled.status == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  CHECK(streaming.status == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(empty.status == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(outside.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(across.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(nowhere.status == tlm::TLM_GENERIC_ERROR_RESPONSE);
  CHECK(nothing.status == tlm::TLM_OK_RESPONSE);
  CHECK(wide.status == tlm::TLM_OK_RESPONSE);
  CHECK(bench.stack->measure(sim::now()).read_bytes == 64);  // of the last one only
}

TEST_CASE("foreign initiator: violations of the base protocol are refused", "[memory][tlm]") {
  const auto refused = [](Offence offence, const char* how, Ending ending = Ending::kAtOnce) {
    const std::string text = refusal_of_port(offence, ending);
    CHECK_THAT(text, Catch::Contains("adaptor: error[E-RUN-080]: the initiator"));
    CHECK_THAT(text, Catch::Contains(how));
  };
  CHECK(refusal_of_port(Offence::kNone) == "nothing");
  refused(Offence::kNoWaiting, "expected it to wait for END_REQ of the read of 64 bytes at 0x100");
  refused(Offence::kTwice, "the read of 64 bytes at 0x0 a second time before its response");
  refused(Offence::kEndsTwice, "END_RESP for the read of 64 bytes at 0x0; expected it once", Ending::kLater);
  refused(Offence::kEndsNothing, "END_RESP for the read of 64 bytes at 0x0; expected it once");
  refused(Offence::kWrongPhase, "sends END_REQ for");
  refused(Offence::kWrongReturn, "with BEGIN_REQ; expected END_RESP", Ending::kOnReturn);
  refused(Offence::kNoManager, "without a memory manager");
}
