// SPDX-License-Identifier: Apache-2.0
// A ring in SystemVerilog compared with the laws of the DMA engines.
#include <catch2/catch.hpp>

#include "model/base/error.h"
#include "tests/rtl/ring_traffic.h"
#include "tests/rtl/tested_ring.h"
#include "tests/support/bench/machine_fixture.h"
#include "workloads/attention/flash_kernel.h"
#include "workloads/gemm/kernel/gemm_kernel.h"

using namespace tahoma;
using tests::RingFault, tests::RingTraffic;

namespace {

const model::DmaParams& params() {
  static const model::MachineParams machine = tests::default_machine();
  return machine.chip.core.dma;
}

// Number of descriptors until lock-step finds the fault; 0 if it does not.
std::uint64_t found_after(RingFault fault, std::uint64_t most) {
  const auto pins = tests::tested_ring(fault);
  RingTraffic traffic(*pins, params(), 5);
  try {
    traffic.run(most, [&] { return traffic.random_work(); });
  } catch (const base::UserError& e) {
    CHECK(e.code == "E-RTL-002");
    CHECK(e.status == base::ExitStatus::kCheckFailed);
    CHECK(e.message.find("\n  law:\n    cycle ") != std::string::npos);
    CHECK(e.message.find("\n  SystemVerilog:\n    cycle ") != std::string::npos);
    return traffic.lock_step().descriptors();
  }
  return 0;
}

}  // namespace

TEST_CASE("dma ring: 10^5 random descriptors are cut, paced and completed by the law", "[rtl][dma][long]") {
  const auto pins = rtl::verilated_dma_ring("ring");
  RingTraffic traffic(*pins, params(), 1);
  traffic.run(100'000, [&] { return traffic.random_work(); });
  CHECK(traffic.lock_step().descriptors() == 100'000);
  CHECK(traffic.lock_step().packets() > 100'000);
}

TEST_CASE("dma ring: a completion that is dropped is found within 1,000 descriptors", "[rtl][dma]") {
  CHECK(found_after(RingFault::kNone, 1'000) == 0);
  CHECK(found_after(RingFault::kDroppedCompletion, 1'000) > 0);
}

TEST_CASE("dma ring: packets that never hold whole elements are found within 1,000 descriptors",
          "[rtl][dma]") {
  CHECK(found_after(RingFault::kNeverWhole, 1'000) > 0);
}

TEST_CASE("dma ring: the transfers of a GEMM and of flash attention, on all 16 engines", "[rtl][dma]") {
  const model::MachineParams machine = tests::machine_of(1, 1, 1);
  std::vector<isa::Descriptor> transfers;
  for (const isa::Program& program :
       {workloads::gemm_program(machine, {300, 700, 500, isa::DType::kBf16, isa::DType::kBf16}),
        workloads::build_flash_kernel({1, 256, 1024, 128, false}, machine)})
    transfers.insert(transfers.end(), program.descriptors.begin(), program.descriptors.end());
  REQUIRE(transfers.size() > 10);
  const auto pins = rtl::verilated_dma_ring("ring");
  RingTraffic traffic(*pins, params(), 9);
  std::uint64_t n = 0;
  const std::uint64_t all = transfers.size() * isa::kDmaEngines;
  traffic.run(all, [&] {
    auto work = traffic.work({transfers[n / isa::kDmaEngines]}, static_cast<unsigned>(n % isa::kDmaEngines));
    ++n;
    return work;
  });
  CHECK(traffic.lock_step().descriptors() == all);
  CHECK(n == all);  // the ring accepts every descriptor
}

TEST_CASE("dma ring: a memory that writes a packet that was not issued breaks an assertion", "[rtl][dma]") {
  const auto pins = rtl::verilated_dma_ring("ring");
  rtl::RingLockStep lock_step(*pins, params(), "ring");
  lock_step.step(true);
  pins->in.written = true;
  try {
    pins->settle();
    pins->clock();
    FAIL("no assertion failed");
  } catch (const base::UserError& e) {
    CHECK(e.code == "E-RTL-006");
    CHECK(e.message.find("completion_queue.sv:") != std::string::npos);
  }
}
