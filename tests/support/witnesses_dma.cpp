// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma_timing.h"
#include "tests/support/activity_log.h"
#include "tests/support/in_child.h"
#include "tests/support/witness.h"

namespace tahoma::tests {
namespace {

using base::Duration, base::Time;
using isa::Queue;
using model::MachineParams;

// A figure of a run in a process of its own.
using Probe = double (*)(const ActivityLog& log);
std::function<double(const MachineParams&)> in_run(const std::string& text, Probe probe) {
  return [text, probe](const MachineParams& m) {
    return std::stod(in_child([&] { return std::to_string(probe(activity_of(text, m))); }));
  };
}

double ns(Time from, Time to) { return (to - from).ns(); }

const std::string kHead = ".program p\n.args a\n";
// Two stores of 64 KiB, one behind the other on an idle machine.
const std::string kStores = kHead + R"(sync:
  dma_copy shape=128x128 dst=a:fp32 src=sbuf[0, 0x0]:fp32 update=s0+=1
  dma_copy shape=128x128 dst=a:fp32 src=sbuf[0, 0x0]:fp32 ring=1 update=s1+=1
)";
const std::string kWide = kHead + "sync:\n  dma_copy shape=16x4096 dst=a:fp32 src=sbuf[0, 0x0]:fp32\n";
const std::string kNarrow =
    kHead + "sync:\n  dma_copy shape=128x64 dst=sbuf[0, 0x0]:fp32:(0,0,0,2) src=a:fp32\n";
const std::string kTurnHbm =
    kHead + "sync:\n  dma_transpose shape=128x64 dst=sbuf[0, 0x0]/3:fp32:(1,0,0,0) src=a:fp32\n";
const std::string kTurnChip =
    kHead + "sync:\n  dma_transpose shape=16x32 dst=sbuf[32, 0x0]/3:fp32:(1,0,0,0) src=sbuf[0, 0x0]:fp32\n";

const base::PacketActivity& packet(const ActivityLog& log, std::uint8_t engine) {
  return log.engines.at(engine).at(0);
}
double first_packet_time(const ActivityLog& log) {
  return ns(packet(log, 0).start, packet(log, 0).read_done);
}

double part_of_a_run(const MachineParams& m) {
  return model::packet_time({1, 8000, false, false, false, 1, 100}, m.chip.core.dma).ns();
}
double small_elements(const MachineParams& m) {
  return model::packet_time({1, 2, true, true, false, 1, 100}, m.chip.core.dma).ns();
}
double least_large_element(const MachineParams& m) {
  for (std::uint64_t bytes = 1;; ++bytes)
    if (model::packet_time({1, bytes, true, true, false, 1, 100}, m.chip.core.dma) <
        m.chip.core.dma.small_element)
      return static_cast<double>(bytes);
}

// Rings that a program may name.
double rings(const MachineParams& m) {
  double taken = 0;
  for (int ring = 14; ring < 16; ++ring) {
    const std::string text =
        kHead + "sync:\n  dma_copy shape=1x64 dst=a:fp32 src=sbuf[0, 0x0]:fp32 ring=" + std::to_string(ring) +
        "\n";
    const std::string outcome = in_child([&] { return std::to_string(activity_of(text, m).engines.size()); });
    if (outcome == "16") taken = ring + 1;
  }
  return taken;
}

// Doorbells of one ring that need not wait for room while the first transfer is on its way.
double ring_depth(const MachineParams& m) {
  std::string text = kHead + "sync:\n";
  for (int n = 0; n < 70; ++n) text += "  dma_copy shape=128x4096 dst=a:fp32 src=sbuf[0, 0x0]:fp32\n";
  return std::stod(in_child([&] {
    const ActivityLog log = activity_of(text, m);
    std::size_t n = 1;
    while (n < 70 && log.at(Queue::kSync, n).start == log.at(Queue::kSync, n - 1).next) ++n;
    return std::to_string(n);
  }));
}

// Packets of one engine that are read before the fabric, which is very slow, has taken the first two.
double remote_window(const MachineParams& machine) {
  MachineParams m = machine;
  m.torus.x = 2;
  m.link.x = {1'000'000'000, false};
  const std::string text = kHead + "sync:\n  dma_copy shape=16x16384 dst=a:fp32 src=sbuf[0, 0x0]:fp32\n";
  return std::stod(in_child([&] {
    const auto program = text_program(text);
    model::System system(m, model::Mode::kTiming);
    ActivityLog log;
    system.observe(&log);
    std::array<std::uint64_t, isa::kArguments> arguments{};
    arguments[0] = isa::GlobalAddress{1, 0, 0}.bits();
    system.load(0, program, arguments);
    system.run();
    const auto& packets = log.engines.at(0);
    std::size_t n = 1;  // those that follow each other without a pause
    while (n < packets.size() && ns(packets[n - 1].start, packets[n].start) < 1000) ++n;
    return std::to_string(n);
  }));
}

// A meeting of the two cores of a logical core.
std::function<double(const MachineParams&)> meeting(const std::string& instruction) {
  return [instruction](const MachineParams& machine) {
    MachineParams m = machine;
    m.chip.lnc = 2;
    return std::stod(in_child([&] {
      const ActivityLog log = activity_of(".program p\ngpsimd:\n  " + instruction + "\n", m);
      return std::to_string(ns(log.at(Queue::kGpSimd, 0).start, log.at(Queue::kGpSimd, 0).complete));
    }));
  };
}

}  // namespace

std::vector<Witness> dma_witnesses() {
  const auto doorbell = in_run(kStores, [](const ActivityLog& l) {
    return ns(l.at(Queue::kSync, 0).start, l.at(Queue::kSync, 0).complete);
  });
  const auto pitch = in_run(kStores, [](const ActivityLog& l) {
    return ns(l.at(Queue::kSync, 0).start, l.at(Queue::kSync, 1).start);
  });
  const auto start_up = in_run(
      kStores, [](const ActivityLog& l) { return ns(l.at(Queue::kSync, 0).complete, packet(l, 0).start); });
  const auto skew =
      in_run(kStores, [](const ActivityLog& l) { return ns(packet(l, 0).start, packet(l, 15).start); });
  const auto written = in_run(
      kStores, [](const ActivityLog& l) { return ns(packet(l, 0).read_done, packet(l, 0).write_done); });
  const auto completed =
      in_run(kStores, [](const ActivityLog& l) { return ns(packet(l, 0).read_done, l.change(0, 0)); });
  const auto run = [](const MachineParams& m) {
    return model::packet_time({1, 512, true, false, false, 1, 100}, m.chip.core.dma).ns();
  };
  const std::string swap = "sendrecv shape=128x2 dst=sbuf[0, 0x400]:int32 src=sbuf[0, 0x0]:int32 gpsimd_dma";
  return {
      {"dma.clock", part_of_a_run, 294.118, "documented: 8000 B at 27.2 GB/s"},
      {"dma.rings", rings, 16, "nki-dma-overview.rst"},
      {"dma.ring_depth", ring_depth, 64, "assumed"},
      {"dma.bytes_per_cycle", part_of_a_run, 294.118, "documented: 8000 B at 27.2 GB/s"},
      {"dma.element_overhead", run, 22.353, "silicon 21.18: 512 B; 2..4 cycles beyond the bytes"},
      {"dma.packet",
       in_run(kWide, [](const ActivityLog& l) { return static_cast<double>(packet(l, 0).bytes); }), 4096,
       "runtime's default packetisation"},
      {"dma.packet_elements",
       in_run(kNarrow, [](const ActivityLog& l) { return static_cast<double>(packet(l, 0).elements); }), 64,
       "driver headers"},
      {"dma.doorbell", doorbell, 58.3, "silicon 57.5..60.8"},
      {"dma.doorbell_pitch", pitch, 84.0, "silicon 82..86"},
      {"dma.start_up", start_up, 708.0, "silicon 698..718: an idle store"},
      {"dma.skew", skew, 195.0, "silicon 190..215 over 16 engines"},
      {"dma.write_latency", written, 215.0, "silicon 195..235"},
      {"dma.completion", completed, 350.0, "silicon 316..381"},
      {"dma.small_element", small_elements, 94.0, "silicon 79..108, DRAM to DRAM, 2 B"},
      {"dma.small_element_bytes", least_large_element, 64, "assumed: one HBM access"},
      {"dma.transpose_from_hbm", in_run(kTurnHbm, first_packet_time), 192.235,
       "documented: 90 % of the throughput, and 104 ns of HBM"},
      {"dma.transpose_on_chip", in_run(kTurnChip, first_packet_time), 16.471,
       "documented: 50 % of the throughput"},
      {"dma.remote_window", remote_window, 5, "assumed: 4 and the one that is read"},
      {"meeting.barrier", meeting("core_barrier"), 35.0, "one hand-over between GpSimd engines"},
      {"meeting.gpsimd_latency", meeting(swap), 166.693, "150 cycles and one hand-over, 1 KiB at 153 GB/s"},
      {"meeting.gpsimd_bandwidth", meeting(swap), 166.693, "150 cycles and one hand-over, 1 KiB at 153 GB/s"},
  };
}

}  // namespace tahoma::tests
