// SPDX-License-Identifier: Apache-2.0
// Kernels whose DMA rings run in lock-step with rings in SystemVerilog.
#include <catch2/catch.hpp>
#include <filesystem>

#include "model/base/error.h"
#include "model/rtl/ring/rtl_dma_rings.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"
#include "tests/support/program/workload_run.h"
#include "tests/support/temp_dir.h"
#include "workloads/gemm/gemm.h"

using namespace tahoma;
using namespace base::literals;

namespace {

model::MachineParams machine_with(model::BlockModel rings) {
  model::MachineParams m = tests::machine_of(1, 1, 1);
  m.chip.core.dma.model = rings;
  return m;
}

const tests::Settings kGemm{{"m", "300"}, {"n", "700"}, {"k", "500"}, {"dtype", "bf16"}};

std::string times_of(model::BlockModel rings) {
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

// 4 rows of 100 elements, all on one engine.
struct OneTransfer {
  isa::Descriptor descriptor;
  model::Transfer transfer;
  model::Share share;
  OneTransfer() {
    descriptor.count = {4, 1, 1, 100};
    descriptor.src = descriptor.dst = {isa::Space::kHbm, isa::DType::kBf16, 0, 0, 0, 0, {200, 0, 0, 1}};
    transfer.request.sources = {&descriptor, 1};
    transfer.runs = model::runs_of(transfer.request, tests::default_machine().chip.core.dma, 1);
    transfer.element = 2;
    share.transfer = &transfer;
    share.last_unit = transfer.runs.units();
  }
};

}  // namespace

TEST_CASE("dma=rtl: every transfer of a GEMM in lock-step, and the run takes the same time",
          "[rtl][machine]") {
  const std::string behavioural = times_of(model::BlockModel::kBehavioural);
  CHECK(behavioural.find("exception") == std::string::npos);
  CHECK(times_of(model::BlockModel::kRtl) == behavioural);
}

TEST_CASE("dma=rtl: a packet that the ring does not issue ends the run", "[rtl][machine]") {
  const model::MachineParams m = machine_with(model::BlockModel::kRtl);
  rtl::RtlDmaRings rings("dma", m.chip.core.dma);
  OneTransfer transfer;
  rings.pushed(3, 5, transfer.share, {0});
  model::DmaPacket wrong = transfer.share.next_packet(m.chip.core.dma);
  ++wrong.elements;
  try {
    rings.issued(3, 5, wrong, {0});
    FAIL("nothing was found");
  } catch (const base::UserError& e) {
    CHECK(e.code == "E-RTL-002");
    CHECK(e.place == "dma.engine03.ring05");
    CHECK(e.message.find("401 elements") != std::string::npos);
  }
}

TEST_CASE("dma=rtl: waves hold the packets of the window, or are an error", "[rtl][machine]") {
  const tests::TempDir folder;
  const auto bytes_with = [&](base::Duration until) {
    model::DmaParams params = machine_with(model::BlockModel::kRtl).chip.core.dma;
    params.waves.folder = folder.path().string();
    params.waves.until = until;
    {
      rtl::RtlDmaRings rings("dma", params);
      for (int n = 0; n < 20; ++n) {
        const base::Time at = base::Time{0} + 10_ns * n;
        OneTransfer transfer;
        rings.pushed(3, 5, transfer.share, at);
        for (bool last = false; !last;) {
          const model::DmaPacket packet = transfer.share.next_packet(params);
          rings.issued(3, 5, packet, at);
          last = packet.last;
        }
      }
    }
    return std::filesystem::file_size(folder.path() / "dma.engine03.ring05.fst");
  };
  const auto none = bytes_with({0}), some = bytes_with(50_ns), all = bytes_with(1_us);
  CHECK(none < some);
  CHECK(some < all);
  model::DmaParams params = machine_with(model::BlockModel::kRtl).chip.core.dma;
  params.waves.folder = "there/is/no/such/folder";
  rtl::RtlDmaRings rings("dma", params);
  try {
    rings.pushed(3, 5, OneTransfer().share, {0});
    FAIL("nothing was refused");
  } catch (const base::UserError& e) {
    CHECK(e.code == "E-RTL-004");
  }
}

TEST_CASE("dma=rtl: engines that the SystemVerilog does not support are refused", "[rtl][machine]") {
  const auto refusal = [](auto&& change) {
    model::DmaParams p = machine_with(model::BlockModel::kRtl).chip.core.dma;
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
