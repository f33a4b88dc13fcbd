// SPDX-License-Identifier: Apache-2.0
// Someone else's base-protocol memory in place of our controller, under a machine that runs programs.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "model/base/error.h"
#include "tests/support/in_child.h"
#include "tests/support/machine_fixture.h"
#include "tests/support/text_program.h"
#include "tests/support/their_memory.h"

using namespace tahoma;
using namespace tahoma::tests;
using namespace tahoma::base::literals;
using model::Mode;

namespace {

constexpr std::size_t kRows = 64, kColumns = 75;  // rows of 300 bytes: bursts of every length

// In from a and out to b, b added onto c, from c to d within HBM, and c read back: each waits for what it
// reads.
const std::string kProgram = R"(.program p
.args a b c d e
sync:
  dma_copy shape=64x75 dst=sbuf[0, 0x0]:int32 src=a:int32 update=s0+=1
  dma_copy shape=64x75 dst=b:int32 src=sbuf[0, 0x0]:int32 wait=s0>=16 update=s1+=1
  dma_copy shape=64x75 dst=c:int32 src=b:int32 accumulate wait=s1>=16 update=s2+=1
  dma_copy shape=64x75 dst=d:int32:(80,0,0,1) src=c:int32 ring=1 wait=s2>=16 update=s3+=1
  dma_copy shape=64x75 dst=sbuf[0, 0x400]:int32 src=d:int32:(80,0,0,1) wait=s3>=16 update=s4+=1
  dma_copy shape=64x75 dst=e:int32 src=sbuf[0, 0x400]:int32 wait=s4>=16 update=s5+=1
)";

struct Machine {
  std::vector<TheirStack*> theirs;
  model::System system;

  explicit Machine(const TheirMemory::Behaviour& b, Mode mode = Mode::kFunctional, bool run_ahead = true,
                   const model::MachineParams& m = machine_of(1, 1, 1))
      : system(m, mode, run_ahead, {}, [&](const model::StackSite& site) -> std::unique_ptr<model::HbmStack> {
          if (site.stack != 0) return nullptr;
          auto stack = std::make_unique<TheirStack>(site, b);
          theirs.push_back(stack.get());
          return stack;
        }) {
    system.load(0, text_program(kProgram), tensor_arguments());
  }
  void put_inputs() {
    Words a(kRows * kColumns), c(kRows * kColumns);
    for (std::size_t n = 0; n < a.size(); ++n) {
      a[n] = static_cast<std::int32_t>(n * 2654435761U);
      c[n] = static_cast<std::int32_t>(n) - 900;
    }
    put_words(system, 0, a);
    put_words(system, 2, c);
  }
};

// What a run with a misdeed is refused with.
std::string refusal(Misdeed misdeed, Manner manner = Manner::kFourPhases) {
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

TEST_CASE("foreign memory: programs compute with it, and it holds what they wrote, however it answers",
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
      const Words a = get_words(machine.system, 0, kRows * kColumns);
      const Words e = get_words(machine.system, 4, kRows * kColumns);
      std::string wrong;
      for (std::size_t n = 0; n < a.size(); ++n)
        if (e[n] != a[n] + static_cast<std::int32_t>(n) - 900) wrong = fmt::format("e[{}] = {}", n, e[n]);
      TheirMemory& memory = machine.theirs.at(0)->memory;
      for (std::size_t t = 0; t < 5; ++t) {
        const auto held = memory.contents(tensor_at(t), 4 * 80 * kRows);
        if (std::memcmp(held.data(), machine.system.hbm(tensor_at(t), held.size()), held.size()) != 0)
          wrong += fmt::format(" tensor {} differs", t);
      }
      for (const std::string& complaint : memory.complaints) wrong += " " + complaint;
      if (manner == Manner::kFourPhases && memory.most_under_way != 32) wrong += " not as many as may be";
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

TEST_CASE("foreign memory: a burst at a time takes the latency of each", "[memory][tlm]") {
  // 9 tensors' worth of 300-byte rows, the bursts of 64 bytes that they touch; nothing else is as slow
  TheirMemory::Behaviour b;
  b.outstanding = 1;
  b.least_ns = b.most_ns = 50;
  Machine machine(b);
  machine.put_inputs();
  const auto run = machine.system.run();
  const TheirMemory& memory = machine.theirs.at(0)->memory;
  const double bursts = static_cast<double>(memory.reads + memory.writes);
  CHECK(run.hbm[0].busy.ns() == Approx(bursts * 50).epsilon(1e-9));
  CHECK(run.elapsed.ns() > bursts * 50);
  CHECK(run.elapsed.ns() < bursts * 50 + 6 * 4000);  // six transfers, each about 2 us of doorbell and way
  CHECK(memory.most_under_way == 1);
  CHECK(run.hbm[0].reads.count > 0);
}

TEST_CASE("foreign memory: times are the same without values and without run-ahead", "[memory][tlm]") {
  TheirMemory::Behaviour b;
  b.manner = Manner::kAny;
  const std::string expected = times(b, Mode::kFunctional, true);
  CHECK(expected.size() > 100);
  CHECK(times(b, Mode::kTiming, true) == expected);
  CHECK(times(b, Mode::kTiming, false) == expected);
}

TEST_CASE("foreign memory: what it does against the base protocol is refused with the burst",
          "[memory][tlm]") {
  using Catch::Contains;
  const auto breaks = [](const char* how) {
    return Contains("hbm0: error[E-RUN-080]: the memory breaks the base protocol in the ") && Contains(how);
  };
  CHECK_THAT(refusal(Misdeed::kNone), Catch::Equals("nothing"));
  CHECK_THAT(refusal(Misdeed::kEndReqTwice), breaks("sends END_REQ when the request has ended"));
  CHECK_THAT(refusal(Misdeed::kEndReqAfterResponse), breaks("sends END_REQ when the request has ended"));
  CHECK_THAT(refusal(Misdeed::kResponseTwice), breaks("responds twice"));
  CHECK_THAT(refusal(Misdeed::kResponseTooEarly), breaks("before it ends the request"));
  CHECK_THAT(refusal(Misdeed::kWrongPhase), breaks("sends END_RESP; expected END_REQ or BEGIN_RESP"));
  CHECK_THAT(refusal(Misdeed::kWrongReturn), breaks("returns TLM_UPDATED with END_RESP"));
  CHECK_THAT(refusal(Misdeed::kNoStatus), breaks("TLM_INCOMPLETE_RESPONSE"));
  CHECK_THAT(refusal(Misdeed::kMovesData), breaks("changed the data pointer"));
  CHECK_THAT(refusal(Misdeed::kNoResponse),
             Contains("error[E-RUN-080]") && Contains("left 1 requests without a response"));
}

TEST_CASE("foreign memory: errors, other bytes and a missing debug transport are refused", "[memory][tlm]") {
  using Catch::Contains;
  for (const Manner manner : {Manner::kFourPhases, Manner::kOnReturn, Manner::kAtOnce}) {
    CAPTURE(static_cast<int>(manner));
    CHECK_THAT(refusal(Misdeed::kErrorStatus, manner),
               Contains("hbm0: error[E-RUN-081]: the memory answers the read of") &&
                   Contains("TLM_ADDRESS_ERROR_RESPONSE"));
    CHECK_THAT(refusal(Misdeed::kOtherBytes, manner), Contains("hbm0: error[E-RUN-082]: the memory has 0x"));
  }
  CHECK_THAT(
      refusal(Misdeed::kNoDebug),
      Contains("error[E-RUN-081]") && Contains("takes 0 of 4096 bytes at 0x0 over the debug transport"));
}
