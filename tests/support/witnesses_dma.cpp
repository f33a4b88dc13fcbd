// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma_split.h"
#include "model/engine/dma_timing.h"
#include "model/engine/increment_port.h"
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
const std::string kLoad = kHead + "sync:\n  dma_copy shape=128x2048 dst=sbuf[0, 0x0]:fp32 src=a:fp32\n";
const std::string kLong = kHead + "sync:\n  dma_copy shape=128x2048 dst=a:fp32 src=sbuf[0, 0x0]:fp32\n";
const std::string kHardware =
    kHead + "sync:\n  dma_copy shape=128x128 dst=a:fp32 src=sbuf[0, 0x0]:fp32 dge=hw\n";

const base::PacketActivity& packet(const ActivityLog& log, std::uint8_t engine, std::size_t n = 0) {
  return log.engines.at(engine).at(n);
}

std::function<double(const MachineParams&)> of(double (*law)(const model::DmaParams&)) {
  return [law](const MachineParams& m) { return law(m.chip.core.dma); };
}
template <isa::Queue kQueue>
double doorbell(const model::DmaParams& p) {
  return model::doorbell_time(kQueue, false, p).instruction.ns();
}
template <isa::Queue kQueue>
double pitch(const model::DmaParams& p) {
  return model::doorbell_time(kQueue, false, p).pitch.ns();
}
double first_doorbell(const model::DmaParams& p) {
  return model::doorbell_time(Queue::kSync, true, p).instruction.ns();
}
template <unsigned kEngine>
double skew(const model::DmaParams& p) {
  return model::skew_of(kEngine, p).ns();
}
// Elements of `rows` bytes each: a packet of its own, or one behind another packet of the same element.
double element(std::uint32_t bytes, std::uint32_t starts, const model::DmaParams& p) {
  model::PacketShape shape;
  shape.row_bytes = bytes;
  shape.starts = starts;
  return model::packet_time(shape, p).ns();
}
double whole_element(const model::DmaParams& p) { return element(512, 1, p); }
double part_of_element(const model::DmaParams& p) { return element(8000, 0, p); }
double semaphore_alone(const model::DmaParams& p) {
  model::PacketShape shape;
  shape.rows = 0;
  return model::packet_time(shape, p).ns();
}
model::PacketShape small(std::uint32_t bytes) {
  model::PacketShape shape;
  shape.row_bytes = bytes;
  shape.dram_to_dram = true;
  return shape;
}
double small_element(const model::DmaParams& p) { return model::packet_time(small(2), p).ns(); }
double least_large_element(const model::DmaParams& p) {
  for (std::uint32_t bytes = 1;; ++bytes)
    if (model::packet_time(small(bytes), p) < p.small_element) return bytes;
}
double turned(std::uint8_t percent, const model::DmaParams& p) {
  model::PacketShape shape;
  shape.row_bytes = 2048;
  shape.throughput_percent = percent;
  return model::packet_time(shape, p).ns();
}
double turned_from_hbm(const model::DmaParams& p) {
  return turned(static_cast<std::uint8_t>(p.transpose_from_hbm), p);
}
double turned_on_chip(const model::DmaParams& p) {
  return turned(static_cast<std::uint8_t>(p.transpose_on_chip), p);
}
template <isa::Space kSpace>
double written(const model::DmaParams& p) {
  return model::written_at({0}, {0}, {0}, kSpace, p).ns();
}
double drained(const model::DmaParams& p) { return model::drain_time({4096}, p).ns(); }
double semaphore_written(const model::DmaParams& p) { return model::semaphore_written({0}, p).ns(); }
double semaphore_visible(const model::DmaParams& p) { return model::semaphore_visible({0}, p).ns(); }
// The second of two increments at the same time, after the first.
double incremented(const model::DmaParams& p) {
  model::IncrementPort port(p.increment_spacing);
  const Time first = port.reserve({0}, {0});
  return ns(first, port.reserve({0}, {0}));
}
// Rows of 512 B, one behind the other in HBM, that form one element.
double joined_rows(const model::DmaParams& p) {
  isa::Descriptor d;
  d.count = {128, 1, 1, 128};
  d.src = {isa::Space::kHbm, isa::DType::kFp32, 0, 0, 0, 0, {128, 0, 0, 1}};
  d.dst = {isa::Space::kSbuf, isa::DType::kFp32, 0, isa::kNone, 0, 0, {0, 0, 0, 1}};
  model::TransferRequest request;
  request.sources = {&d, 1};
  return static_cast<double>(model::runs_of(request, p.element_rows).joined);
}
double generated(const model::DmaParams& p) { return model::generation_time(16, p).ns(); }

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
  const auto start_up = in_run(
      kStores, [](const ActivityLog& l) { return ns(l.at(Queue::kSync, 0).complete, packet(l, 0).start); });
  const std::string swap = "sendrecv shape=128x2 dst=sbuf[0, 0x400]:int32 src=sbuf[0, 0x0]:int32 gpsimd_dma";
  return {
      {"dma.clock", of(part_of_element), 294.118, "documented: 8000 B at 27.2 GB/s"},
      {"dma.rings", rings, 16, "nki-dma-overview.rst"},
      {"dma.ring_depth", ring_depth, 64, "assumed"},
      {"dma.bytes_per_cycle", of(part_of_element), 294.118, "documented: 8000 B at 27.2 GB/s"},
      {"dma.element_overhead", of(whole_element), 23.529,
       "silicon: 512 B, a packet of its own: 4 cycles more"},
      {"dma.packet_overhead", of(whole_element), 23.529,
       "silicon: 512 B, a packet of its own: 4 cycles more"},
      {"dma.semaphore_element", of(semaphore_alone), 3.529, "silicon: 4 B"},
      {"dma.read_overlap",
       in_run(kLong,
              [](const ActivityLog& l) { return ns(packet(l, 0, 1).start, packet(l, 0, 0).read_done); }),
       3.529, "silicon: 3 cycles in most pairs back to back"},
      {"dma.element_rows", of(joined_rows), 4, "silicon: 4 rows are one record"},
      {"dma.packet",
       in_run(kWide, [](const ActivityLog& l) { return static_cast<double>(packet(l, 0).bytes); }), 4096,
       "runtime's default packetisation"},
      {"dma.packet_elements",
       in_run(kNarrow, [](const ActivityLog& l) { return static_cast<double>(packet(l, 0).elements); }), 64,
       "driver headers"},
      {"dma.doorbell_sync", of(doorbell<Queue::kSync>), 58.33, "silicon 57.5..60.8"},
      {"dma.doorbell_scalar", of(doorbell<Queue::kScalar>), 25.0, "silicon"},
      {"dma.doorbell_gpsimd", of(doorbell<Queue::kGpSimd>), 25.83, "silicon"},
      {"dma.pitch_sync", of(pitch<Queue::kSync>), 82.5, "silicon 81.7..85.8"},
      {"dma.pitch_scalar", of(pitch<Queue::kScalar>), 77.5, "silicon"},
      {"dma.pitch_gpsimd", of(pitch<Queue::kGpSimd>), 61.67, "silicon"},
      {"dma.first_doorbell", of(first_doorbell), 90.0, "silicon: first doorbell of the sync queue"},
      {"dma.start_up", start_up, 702.5, "silicon 695..707: an idle store"},
      {"dma.skew_near", of(skew<7>), 72.1, "silicon 54..86"},
      {"dma.skew_half", of(skew<8>), 94.0, "silicon 88..109"},
      {"dma.skew_far", of(skew<15>), 194.8, "silicon 190..215 over 16 engines"},
      {"dma.write_sbuf", of(written<isa::Space::kSbuf>), 223.5, "silicon 195..311"},
      {"dma.write_hbm", of(written<isa::Space::kHbm>), 256.5, "silicon 228..278"},
      {"dma.write_drain", of(drained), 18.824, "silicon: 4096 B in 16 cycles"},
      {"dma.semaphore_write", of(semaphore_written), 195.0, "silicon 181..204"},
      {"dma.semaphore_return", of(semaphore_visible), 101.0, "silicon: 195 less 78..115"},
      {"dma.increment_spacing", of(incremented), 2.5, "silicon: never less between any two"},
      {"dma.cold_read",
       in_run(kLoad, [](const ActivityLog& l) { return ns(packet(l, 0).start, packet(l, 0).read_done); }), 0,
       "silicon: median of 48 first loads, with the read itself"},
      {"dma.small_element", of(small_element), 94.0, "silicon 79..108, DRAM to DRAM, 2 B"},
      {"dma.small_element_bytes", of(least_large_element), 64, "assumed: one HBM access"},
      {"dma.hardware_dge",
       in_run(kHardware,
              [](const ActivityLog& l) { return ns(l.at(Queue::kSync, 0).complete, packet(l, 0).start); }),
       1302.5, "documented: about 600 ns, and the start-up"},
      {"dma.software_descriptor", of(generated), 128.0, "assumed: 16 descriptors of 10 instructions"},
      {"dma.transpose_from_hbm", of(turned_from_hbm), 89.412, "documented: 90 % of 68 cycles' throughput"},
      {"dma.transpose_on_chip", of(turned_on_chip), 160.0, "documented: 50 % of 68 cycles' throughput"},
      {"dma.remote_window", remote_window, 5, "assumed: 4 and the one that is read"},
      {"meeting.barrier", meeting("core_barrier"), 35.0, "one hand-over between GpSimd engines"},
      {"meeting.gpsimd_latency", meeting(swap), 166.693, "150 cycles and one hand-over, 1 KiB at 153 GB/s"},
      {"meeting.gpsimd_bandwidth", meeting(swap), 166.693, "150 cycles and one hand-over, 1 KiB at 153 GB/s"},
  };
}

}  // namespace tahoma::tests
