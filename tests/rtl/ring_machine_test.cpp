// SPDX-License-Identifier: Apache-2.0
// Kernels whose DMA rings have rings in SystemVerilog beside them.
#include <catch2/catch.hpp>

#include "model/base/error.h"
#include "model/rtl/rtl_dma_rings.h"
#include "tests/support/in_child.h"
#include "tests/support/workload_run.h"
#include "workloads/gemm/gemm.h"

using namespace tahoma;
using namespace base::literals;

namespace {

model::MachineParams machine_with(const std::string& rings) {
  model::MachineParams m = tests::machine_of(1, 1, 1);
  m.chip.core.dma.model = rings;
  return m;
}

const tests::Settings kGemm{{"m", "300"}, {"n", "700"}, {"k", "500"}, {"dtype", "bf16"}};

std::string times_of(const std::string& rings) {
  return tests::in_child([&] {
    const model::MachineParams params = machine_with(rings);
    const auto workload = tests::workload_with(workloads::make_gemm, kGemm);
    workload->check(params);
    runtime::Machine machine(params, model::Mode::kTiming);
    workload->prepare(machine, 1);
    const base::RunMeasurement run = machine.run();
    std::string trace = std::to_string(run.elapsed.fs);
    for (const base::DmaMeasurement& d : run.dma)
      trace += ' ' + std::to_string(d.packets) + ' ' + std::to_string(d.busy.fs);
    return trace;
  });
}

}  // namespace

TEST_CASE("dma=rtl: every transfer of a GEMM in lock-step, and the run takes what it took",
          "[rtl][machine]") {
  const std::string behavioural = times_of("behavioural");
  CHECK(behavioural.find("exception") == std::string::npos);
  CHECK(times_of("rtl") == behavioural);
}

TEST_CASE("dma=rtl: a packet that the ring does not issue ends the run", "[rtl][machine]") {
  const model::MachineParams m = machine_with("rtl");
  rtl::RtlDmaRings rings("dma", m.chip.core.dma);
  isa::Descriptor d;
  d.count = {4, 1, 1, 100};
  d.src = d.dst = {isa::Space::kHbm, isa::DType::kBf16, 0, 0, 0, 0, {200, 0, 0, 1}};
  model::Transfer transfer;
  transfer.request.sources = {&d, 1};
  transfer.runs = model::runs_of(transfer.request, 4, 1);
  transfer.element = 2;
  model::Share share;
  share.transfer = &transfer;
  share.last_unit = transfer.runs.units();
  rings.pushed(3, 5, share);
  model::DmaPacket wrong = share.next_packet(m.chip.core.dma);
  ++wrong.elements;
  try {
    rings.issued(3, 5, wrong);
    FAIL("nothing was found");
  } catch (const base::UserError& e) {
    CHECK(e.code == "E-RTL-002");
    CHECK(e.place == "dma.engine03.ring05");
    CHECK(e.message.find("401 elements") != std::string::npos);
  }
}

TEST_CASE("dma=rtl: engines that the SystemVerilog is not made for are refused", "[rtl][machine]") {
  const auto refusal = [](auto&& change) {
    model::DmaParams p = machine_with("rtl").chip.core.dma;
    change(p);
    try {
      const rtl::RtlDmaRings rings("dma", p);
    } catch (const base::UserError& e) {
      return e.code + " " + e.place;
    }
    return std::string("taken");
  };
  using Dma = model::DmaParams;
  const std::string dma = "E-CFG-020 machine.chip.core.dma.";
  CHECK(refusal([](Dma&) {}) == "taken");
  CHECK(refusal([](Dma& p) { p.bytes_per_cycle = 64_B; }) == dma + "bytes_per_cycle");
  CHECK(refusal([](Dma& p) { p.ring_depth = 128; }) == dma + "ring_depth");
  CHECK(refusal([](Dma& p) { p.semaphore_write = 10_us; }) == dma + "semaphore_write");
  CHECK(refusal([](Dma& p) { p.element_overhead = 300_cyc; }) == dma + "element_overhead");
  CHECK(refusal([](Dma& p) { p.packet_overhead = 300_cyc; }) == dma + "packet_overhead");
  CHECK(refusal([](Dma& p) { p.semaphore_element = 300_cyc; }) == dma + "semaphore_element");
}
