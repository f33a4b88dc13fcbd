// SPDX-License-Identifier: Apache-2.0
// An external base-protocol memory replaces our controller in a machine that runs programs.
#include <fmt/format.h>

#include <bit>
#include <catch2/catch.hpp>
#include <cstring>

#include "model/base/error.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/bench/their_memory.h"
#include "tests/support/in_child.h"
#include "tests/support/program/text_program.h"

using namespace tahoma;
using namespace tahoma::tests;
using namespace tahoma::base::literals;
using model::Mode;

namespace {

constexpr std::size_t kRows = 64, kColumns = 75;  // rows of 300 bytes: bursts of every length

// In from a and out to b, b added onto c, from c to d within HBM, and c read back: each step waits for the
// data that it reads.
const std::string kProgram = R"(.program p
.args a b c d e
sync:
  dma_copy shape=64x75 dst=sbuf[0, 0x0]:fp32 src=a:fp32 update=s0+=1
  dma_copy shape=64x75 dst=b:fp32 src=sbuf[0, 0x0]:fp32 wait=s0>=16 update=s1+=1
  dma_copy shape=64x75 dst=c:fp32 src=b:fp32 accumulate wait=s1>=16 update=s2+=1
  dma_copy shape=64x75 dst=d:fp32:(80,0,0,1) src=c:fp32 ring=1 wait=s2>=16 update=s3+=1
  dma_copy shape=64x75 dst=sbuf[0, 0x400]:fp32 src=d:fp32:(80,0,0,1) wait=s3>=16 update=s4+=1
  dma_copy shape=64x75 dst=e:fp32 src=sbuf[0, 0x400]:fp32 wait=s4>=16 update=s5+=1
)";

std::int32_t word(float value) { return std::bit_cast<std::int32_t>(value); }

struct Machine {
  std::vector<TheirStack*> theirs;
  model::System system;

  explicit Machine(const TheirMemory::Behaviour& b, Mode mode = Mode::kFunctional, bool run_ahead = true,
                   const model::MachineParams& m = machine_of(1, 1, 1))
      : system(m, mode, run_ahead, {}, [&](const model::StackSite& site) -> std::unique_ptr<model::HbmStack> {
          if (site.stack != 0) return nullptr;
          auto stack = std::make_unique<TheirStack>(site.name, site, b);
          theirs.push_back(stack.get());
          return stack;
        }) {
    system.load(0, text_program(kProgram), tensor_arguments());
  }
  void put_inputs() {
    Words a(kRows * kColumns), c(kRows * kColumns);
    for (std::size_t n = 0; n < a.size(); ++n) {
      a[n] = word(static_cast<float>(n * 7919 % 65536));
      c[n] = word(static_cast<float>(n) - 900);
    }
    put_words(system, 0, a);
    put_words(system, 2, c);
  }
};

// The error that refuses a run with a protocol violation.
std::string refusal_of_stack(Misdeed misdeed, Manner manner = Manner::kFourPhases) {
  return in_child([&] {
    TheirMemory::Behaviour b;
    b.misdeed = misdeed;
    b.manner = manner;
    Machine machine(b);
    machine.put_inputs();
    machine.system.run();
    return std::string("nothing");
  });
}

std::string times(const TheirMemory::Behaviour& b, Mode mode, bool run_ahead) {
  return in_child([&] {
    Machine machine(b, mode, run_ahead);
    if (mode == Mode::kFunctional) machine.put_inputs();
    return times_of(machine.system.run());
  });
}

}  // namespace

TEST_CASE("foreign memory: programs compute with it, and it holds their results, however it answers",
          "[memory][tlm]") {
  for (const Manner manner : {Manner::kFourPhases, Manner::kNoEndReq, Manner::kOnReturn, Manner::kAtOnce,
                              Manner::kEndReqOnReturn, Manner::kAny}) {
    CAPTURE(static_cast<int>(manner));
    const std::string outcome = in_child([&] {
      TheirMemory::Behaviour b;
      b.manner = manner;
      Machine machine(b);
      machine.put_inputs();
      const auto run = machine.system.run();
      const Words e = get_words(machine.system, 4, kRows * kColumns);
      std::string wrong;
      for (std::size_t n = 0; n < e.size(); ++n)
        if (e[n] != word(static_cast<float>(n * 7919 % 65536) + static_cast<float>(n) - 900))
          wrong = fmt::format("e[{}] = {}", n, e[n]);
      TheirMemory& memory = machine.theirs.at(0)->memory;
      for (std::size_t t = 0; t < 5; ++t) {
        const auto held = memory.contents(tensor_at(t), 4 * 80 * kRows);
        if (std::memcmp(held.data(), machine.system.hbm(tensor_at(t), held.size()), held.size()) != 0)
          wrong += fmt::format(" tensor {} differs", t);
      }
      for (const std::string& complaint : memory.complaints) wrong += " " + complaint;
      const std::uint64_t bytes = kRows * kColumns * 4;
      if (run.hbm[0].read_bytes != 5 * bytes || run.hbm[0].write_bytes != 4 * bytes) wrong += " bytes";
      return wrong;
    });
    CHECK(outcome == "");
  }
}

TEST_CASE("foreign memory: one of constant latency gives the times of a flat stack without limits",
          "[memory][tlm]") {
  auto m = machine_of(1, 1, 1);
  m.chip.hbm.bandwidth.ideal = true;
  m.chip.hbm.read_latency = 77_ns;
  // its gaps go to the semaphore that is announced first
  m.chip.core.dma.increment_spacing = base::Duration{0};
  const std::string flat = in_child([&] {
    model::System system(m, Mode::kTiming);
    system.load(0, text_program(kProgram), tensor_arguments());
    return times_of(system.run());
  });
  const std::string theirs = in_child([&] {
    TheirMemory::Behaviour b;
    b.manner = Manner::kEndReqOnReturn;
    b.least_ns = b.most_ns = 77;
    b.delay_request = false;
    b.outstanding = 4096;
    return times_of(Machine(b, Mode::kTiming, true, m).system.run());
  });
  CHECK(flat.size() > 100);
  CHECK(theirs == flat);
}

TEST_CASE("foreign memory: bursts in flight share the latency and never exceed their limit",
          "[memory][tlm]") {
  for (const std::uint64_t most : {1, 4, 32}) {
    CAPTURE(most);
    const std::string outcome = in_child([&] {
      TheirMemory::Behaviour b;
      b.outstanding = most;
      b.least_ns = b.most_ns = 500;  // slower than everything else
      b.delay_request = false;
      Machine machine(b);
      machine.put_inputs();
      const auto run = machine.system.run();
      const TheirMemory& memory = machine.theirs.at(0)->memory;
      const double least =
          static_cast<double>(memory.reads + memory.writes) / static_cast<double>(most) * 500;
      const double ns = run.elapsed.ns();
      std::string wrong;
      if (memory.most_under_way != most) wrong += fmt::format(" {} under way", memory.most_under_way);
      // Six transfers, each with doorbell, path and completion, and a last group of bursts that is not full.
      if (ns < least || ns > least + 6 * 4000) wrong += fmt::format(" {} ns, at least {}", ns, least);
      if (run.hbm[0].busy.ns() < least * (1 - 1e-9))
        wrong += fmt::format(" busy {} ns", run.hbm[0].busy.ns());
      return wrong;
    });
    CHECK(outcome == "");
  }
}

TEST_CASE("foreign memory: times are the same without values and without run-ahead", "[memory][tlm]") {
  TheirMemory::Behaviour b;
  b.manner = Manner::kAny;
  const std::string expected = times(b, Mode::kFunctional, true);
  CHECK(expected.size() > 100);
  CHECK(times(b, Mode::kTiming, true) == expected);
  CHECK(times(b, Mode::kTiming, false) == expected);
}

TEST_CASE("foreign memory: violations of the base protocol are refused with the burst", "[memory][tlm]") {
  using Catch::Contains;
  const auto breaks = [](Misdeed misdeed, const char* how) {
    const std::string text = refusal_of_stack(misdeed);
    CHECK_THAT(text, Contains("hbm0: error[E-RUN-080]: the memory breaks the base protocol in the "));
    CHECK_THAT(text, Contains(how));
  };
  CHECK_THAT(refusal_of_stack(Misdeed::kNone), Catch::Equals("nothing"));
  breaks(Misdeed::kEndReqTwice, "sends END_REQ when the request has ended");
  breaks(Misdeed::kEndReqAfterResponse, "sends END_REQ when the request has ended");
  breaks(Misdeed::kResponseTwice, "responds twice");
  breaks(Misdeed::kResponseTooEarly, "before it ends the request");
  breaks(Misdeed::kWrongPhase, "sends END_RESP; expected END_REQ or BEGIN_RESP");
  breaks(Misdeed::kWrongReturn, "returns TLM_UPDATED with END_RESP");
  breaks(Misdeed::kNoStatus, "TLM_INCOMPLETE_RESPONSE");
  breaks(Misdeed::kMovesData, "changed the data pointer");
  CHECK_THAT(refusal_of_stack(Misdeed::kNoResponse),
             Contains("error[E-RUN-080]") && Contains("left 1 requests without a response"));
}

TEST_CASE("foreign memory: errors, other bytes and a missing debug transport are refused", "[memory][tlm]") {
  using Catch::Contains;
  for (const Manner manner : {Manner::kFourPhases, Manner::kOnReturn, Manner::kAtOnce}) {
    CAPTURE(static_cast<int>(manner));
    CHECK_THAT(refusal_of_stack(Misdeed::kErrorStatus, manner),
               Contains("hbm0: error[E-RUN-081]: the memory answers the read of") &&
                   Contains("TLM_ADDRESS_ERROR_RESPONSE"));
    CHECK_THAT(refusal_of_stack(Misdeed::kOtherBytes, manner),
               Contains("hbm0: error[E-RUN-082]: the memory has 0x"));
  }
  CHECK_THAT(
      refusal_of_stack(Misdeed::kNoDebug),
      Contains("error[E-RUN-081]") && Contains("accepts 0 of 4096 bytes at 0x0 over the debug transport"));
}
