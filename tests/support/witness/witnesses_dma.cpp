// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/engine/dma/dma_timing.h"
#include "tests/support/bench/recorded_activity.h"
#include "tests/support/in_child.h"
#include "tests/support/witness/witness.h"

namespace tahoma::tests {
namespace {

using base::Duration, base::Time;
using isa::Queue;
using model::MachineParams;

// A figure of a run in a separate process.
using Probe = double (*)(const ActivityLog& log);
std::function<double(const MachineParams&)> in_run(const std::string& text, Probe probe) {
  return [text, probe](const MachineParams& m) {
    return std::stod(in_child([&] { return std::to_string(probe(activity_of(text, m))); }));
  };
}

double ns(Time from, Time to) { return (to - from).ns(); }

const std::string kHead = ".program p\n.args a\n";
// Two stores of 64 KiB, one after the other on an idle machine.
const std::string kStores = kHead + R"(sync:
  dma_copy shape=128x128 dst=a:fp32 src=sbuf[0, 0x0]:fp32 update=s0+=1
  dma_copy shape=128x128 dst=a:fp32 src=sbuf[0, 0x0]:fp32 ring=1 update=s1+=1
)";
const std::string kWide = kHead + "sync:\n  dma_copy shape=16x4096 dst=a:fp32 src=sbuf[0, 0x0]:fp32\n";
const std::string kWideRows = kHead + "sync:\n  dma_copy shape=128x1024 dst=a:fp32 src=sbuf[0, 0x0]:fp32\n";
const std::string kLoad =
    kHead + "sync:\n  dma_copy shape=128x1000 dst=sbuf[0, 0x0]:fp32 src=a:fp32:(2000,0,0,1)\n";
const std::string kHalfOfThePartitions =
    kHead + "sync:\n  dma_copy shape=64x1000 dst=sbuf[0, 0x0]:fp32 src=a:fp32:(2000,0,0,1)\n";
const std::string kCollective =
    kHead + "cc0:\n  dma_copy shape=16x16384 dst=a:fp32:(20000,0,0,1) src=sbuf[0, 0x0]:fp32\n";
const std::string kGenerated =
    kHead + "sync:\n  dma_copy shape=128x128 dst=a:fp32 src=sbuf[0, 0x0]:fp32 dge=hw\n";
const std::string kNarrow =
    kHead + "sync:\n  dma_copy shape=128x64 dst=sbuf[0, 0x0]:fp32:(0,0,0,2) src=a:fp32\n";
const std::string kAdd =
    kHead + "sync:\n  dma_copy shape=16x128 dst=sbuf[0, 0x0]:fp32 src=sbuf[0, 0x800]:fp32 accumulate\n";
const std::string kTurnHbm =
    kHead + "sync:\n  dma_transpose shape=128x64 dst=sbuf[0, 0x0]/3:fp32:(1,0,0,0) src=a:fp32\n";
const std::string kTurnChip =
    kHead + "sync:\n  dma_transpose shape=16x32 dst=sbuf[32, 0x0]/3:fp32:(1,0,0,0) src=sbuf[0, 0x0]:fp32\n";

const base::PacketActivity& packet(const ActivityLog& log, std::uint8_t engine) {
  return log.engines.at(engine).at(0);
}
double busy_engines(const ActivityLog& log) {
  return static_cast<double>(std::count_if(log.engines.begin(), log.engines.end(), [](const auto& engine) {
    return std::any_of(engine.second.begin(), engine.second.end(), [](const auto& p) { return p.bytes > 0; });
  }));
}
double first_packet_time(const ActivityLog& log) {
  return ns(packet(log, 0).start, packet(log, 0).read_done);
}

model::PacketShape packet_of(std::uint32_t rows, std::uint32_t bytes) {
  model::PacketShape p;
  p.rows = p.starts = rows;
  p.row_bytes = bytes;
  return p;
}
double part_of_an_element(const MachineParams& m) {
  model::PacketShape part = packet_of(1, 8000);
  part.starts = 0;
  return model::packet_time(part, m.chip.core.dma).ns();
}
double short_elements(const MachineParams& m) {
  return model::packet_time(packet_of(8, 256), m.chip.core.dma).ns();
}
// 28 bytes and a semaphore fill one width of the engine.
double semaphore_behind(const MachineParams& m) {
  model::PacketShape packet = packet_of(1, 28);
  packet.semaphore = true;
  return model::packet_time(packet, m.chip.core.dma).ns();
}
double semaphore_alone(const MachineParams& m) {
  return model::packet_time(packet_of(0, 0), m.chip.core.dma).ns();
}
model::PacketShape in_dram(std::uint32_t bytes) {
  model::PacketShape p = packet_of(1, bytes);
  p.dram_to_dram = true;
  return p;
}
double small_elements(const MachineParams& m) { return model::packet_time(in_dram(2), m.chip.core.dma).ns(); }
double least_large_element(const MachineParams& m) {
  for (std::uint32_t bytes = 1;; ++bytes)
    if (model::packet_time(in_dram(bytes), m.chip.core.dma) < m.chip.core.dma.small_element)
      return static_cast<double>(bytes);
}
double held_up(const MachineParams& m) { return model::drain_time({4096}, m.chip.core.dma).ns(); }
double generated(const MachineParams& m) { return model::generation_time(128, m.chip.core.dma).ns(); }

std::function<double(const MachineParams&)> bell(Queue queue, bool first = false) {
  return [=](const MachineParams& m) {
    return model::doorbell_time(queue, first, m.chip.core.dma).instruction.ns();
  };
}
std::function<double(const MachineParams&)> pitch(Queue queue) {
  return
      [=](const MachineParams& m) { return model::doorbell_time(queue, false, m.chip.core.dma).pitch.ns(); };
}
std::function<double(const MachineParams&)> skew(unsigned engine) {
  return [=](const MachineParams& m) { return model::skew_of(engine, m.chip.core.dma).ns(); };
}
std::function<double(const MachineParams&)> completed(isa::Space dst) {
  return [=](const MachineParams& m) { return model::completion(dst, m.chip.core.dma).ns(); };
}

// The number of rings that a program may name.
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

// The number of doorbells on one ring that need not wait while the first transfer is in flight.
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

// Packets of one engine that are read before the fabric, which is very slow, has accepted the first two.
double remote_window(const MachineParams& machine) {
  MachineParams m = machine;
  m.torus.x = 2;
  m.link.x = {1'000'000'000, false};
  m.link.buffer = {16 * m.link.on_wire(m.chip.core.dma.packet.count).count};  // one packet of each engine
  const std::string text = kHead + "sync:\n  dma_copy shape=128x2048 dst=a:fp32 src=sbuf[0, 0x0]:fp32\n";
  return std::stod(in_child([&] {
    const auto program = text_program(text);
    model::System system(m, model::Mode::kTiming);
    ActivityLog log;
    log.watch(system);
    std::array<std::uint64_t, isa::kArguments> arguments{};
    arguments[0] = isa::GlobalAddress{1, 0, 0}.bits();
    system.load(0, program, arguments);
    system.run();
    const auto& packets = log.engines.at(0);
    std::size_t n = 1;  // packets without a pause between them
    while (n < packets.size() && ns(packets[n - 1].start, packets[n].start) < 1000) ++n;
    return std::to_string(n);
  }));
}

// Packets of engine 0 without a pause between them, at the beginning.
double without_pause(const std::string& text, const MachineParams& m) {
  return std::stod(in_child([&] {
    const auto packets = activity_of(text, m).engines.at(0);
    std::size_t n = 1;
    while (n < packets.size() && ns(packets[n - 1].start, packets[n].start) < 10'000) ++n;
    return std::to_string(n);
  }));
}
std::string many(int transfers, const std::string& transfer) {
  std::string text = kHead + "sync:\n";
  for (int n = 0; n < transfers; ++n) text += "  " + transfer + "\n";
  return text;
}

// Packets that an engine issues before a very slow memory has answered the first.
std::function<double(const MachineParams&)> reads_under_way(const std::string& text) {
  return [text](const MachineParams& machine) {
    MachineParams m = machine;
    m.chip.hbm.read_latency = Duration{100'000'000'000};
    return without_pause(text, m);
  };
}
// The same for stores: packets that are handed on, and packets that wait for that in the read window.
std::function<double(const MachineParams&)> writes_under_way(const std::string& text) {
  return [text](const MachineParams& machine) {
    MachineParams m = machine;
    m.chip.hbm.bandwidth = {1'000'000, false};
    return without_pause(text, m);
  };
}

// A rendezvous of the two cores of a logical core.
std::function<double(const MachineParams&)> rendezvous(const std::string& instruction) {
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
  const auto generator = in_run(kGenerated, [](const ActivityLog& l) {
    return ns(l.at(Queue::kSync, 0).complete, packet(l, 0).start);
  });
  const auto apart = in_run(
      kWideRows, [](const ActivityLog& l) { return ns(packet(l, 0).start, l.engines.at(0).at(5).start); });
  const auto cold =
      in_run(kLoad, [](const ActivityLog& l) { return ns(packet(l, 0).start, l.engines.at(0).at(1).start); });
  const auto increments =
      in_run(kStores, [](const ActivityLog& l) { return ns(l.change(0, 0), l.change(0, 7)); });
  const std::string swap = "sendrecv shape=128x2 dst=sbuf[0, 0x400]:int32 src=sbuf[0, 0x0]:int32 gpsimd_dma";
  return {
      {"dma.clock", part_of_an_element, 294.118, "documented: 8000 B at 27.2 GB/s"},
      {"dma.rings", rings, 16, "nki-dma-overview.rst"},
      {"dma.ring_depth", ring_depth, 64, "assumed"},
      {"dma.bytes_per_cycle", part_of_an_element, 294.118, "documented: 8000 B at 27.2 GB/s"},
      {"dma.element_overhead", short_elements, 104.706, "silicon: 11 cycles each for 256 B, and 1"},
      {"dma.packet_overhead", short_elements, 104.706, "silicon: 11 cycles each for 256 B, and 1"},
      {"dma.semaphore_value", semaphore_behind, 5.882, "28 + 4 bytes in one cycle of 32, and 4 cycles"},
      {"dma.semaphore_element", semaphore_alone, 3.529, "silicon 3.53"},
      {"dma.read_overlap", in_run(kStores, first_packet_time), 165.882, "silicon: 3 cycles; 8 rows of 512 B"},
      {"dma.engine_partitions", in_run(kHalfOfThePartitions, busy_engines), 8,
       "NKIBench: 64 partitions move at half the rate of 128"},
      {"dma.element_rows", apart, 762.353, "silicon: 4 rows are one element; 5 rows of 4096 B"},
      {"dma.packet",
       in_run(kWide, [](const ActivityLog& l) { return static_cast<double>(packet(l, 0).bytes); }), 4096,
       "runtime's default packetisation"},
      {"dma.packet_elements",
       in_run(kNarrow, [](const ActivityLog& l) { return static_cast<double>(packet(l, 0).elements); }), 64,
       "driver headers"},
      {"dma.collective_packet",
       in_run(kCollective, [](const ActivityLog& l) { return static_cast<double>(packet(l, 0).bytes); }),
       65536, "assumed"},
      {"dma.collective_engines",
       in_run(kCollective, [](const ActivityLog& l) { return static_cast<double>(l.engines.size()); }), 4,
       "silicon: sendrecv of 256 MiB inside a chip moves 103.8 GB/s"},
      {"dma.doorbell_sync", bell(Queue::kSync), 58.33, "silicon 57.5..60.8"},
      {"dma.doorbell_scalar", bell(Queue::kScalar), 25.0, "silicon 25.0"},
      {"dma.doorbell_gpsimd", bell(Queue::kGpSimd), 25.83, "silicon 25.83"},
      {"dma.pitch_sync", pitch(Queue::kSync), 82.5, "silicon 81.7..85.8"},
      {"dma.pitch_scalar", pitch(Queue::kScalar), 77.5, "silicon 77.5"},
      {"dma.pitch_gpsimd", pitch(Queue::kGpSimd), 61.67, "silicon 61.67"},
      {"dma.first_doorbell", bell(Queue::kSync, true), 90.0, "silicon 90.0"},
      {"dma.start_up", start_up, 702.5, "silicon 702.7: an idle store"},
      {"dma.skew_near", skew(7), 71.75, "silicon 71.8: engines 0..7"},
      {"dma.skew_half", skew(8), 97.0, "silicon 97.1: engine 8"},
      {"dma.skew_far", skew(15), 202.0, "silicon 205.9, and 200.6: engine 15"},
      {"dma.cold_read", cold, 977.765, "silicon: 826 more on the slowest engine, and 129 cycles for 4000 B"},
      {"dma.write_sbuf", completed(isa::Space::kSbuf), 324.5, "silicon 337"},
      {"dma.write_hbm", completed(isa::Space::kHbm), 357.5, "silicon 352"},
      {"dma.write_drain", held_up, 18.824, "silicon: 16 cycles for 4096 B"},
      {"dma.semaphore_write", completed(isa::Space::kSbuf), 324.5, "silicon 337"},
      {"dma.semaphore_return", completed(isa::Space::kSbuf), 324.5, "silicon 337"},
      {"dma.increment_spacing", increments, 87.5, "silicon 11.67 or 13.33: 8 increments"},
      {"dma.small_element", small_elements, 94.0, "published 94, silicon 79..108"},
      {"dma.small_element_spread",
       [](const MachineParams& m) {
         return model::spread_over_engines(Duration{100'000'000'000}, 15, m.chip.core.dma).ns();
       },
       107'000.0, "silicon: the slowest engine 7.4 and 6.8 per cent over the mean"},
      {"dma.small_element_bytes", least_large_element, 64, "assumed: one HBM access"},
      {"dma.hardware_dge", generator, 1302.5, "nki-dge.rst: 600 ns, and start-up"},
      {"dma.software_descriptor", generated, 1024, "assumed: 8 ns each"},
      {"dma.transpose_from_hbm", in_run(kTurnHbm, first_packet_time), 918.941,
       "documented: 90 % of the throughput; 3 cycles and a cold read"},
      {"dma.transpose_on_chip", in_run(kTurnChip, first_packet_time), 22.353,
       "documented: 50 % of the throughput; 3 cycles"},
      {"dma.adds_in_sbuf", in_run(kAdd, first_packet_time), 334.118,
       "documented: half the rate; 8 rows of 2 x 16 and 3 cycles, 4 more"},
      {"dma.remote_window", remote_window, 6,
       "assumed: 4, the one that is read and the one that the fabric has taken"},
      {"dma.read_window",
       reads_under_way(many(1, "dma_copy shape=128x2048 dst=sbuf[0, 0x0]:fp32 src=a:fp32")), 6,
       "NKIBench: 24 KiB, packets of 4 KiB"},
      {"dma.read_packets", reads_under_way(many(70, "dma_copy shape=16x1 dst=sbuf[0, 0x0]:fp32 src=a:fp32")),
       64, "assumed"},
      {"dma.write_window",
       writes_under_way(many(1, "dma_copy shape=16x16384 dst=a:fp32 src=sbuf[0, 0x0]:fp32")), 12,
       "NKIBench: 24 KiB, packets of 4 KiB, and as many read"},
      {"dma.write_packets",
       writes_under_way(many(132, "dma_copy shape=128x4 dst=a:fp32 src=sbuf[0, 0x0]:fp32")), 128,
       "assumed: 64, and as many read"},
      {"meeting.barrier", rendezvous("core_barrier"), 35.0, "one hand-over between GpSimd engines"},
      {"meeting.gpsimd_latency", rendezvous(swap), 166.693,
       "150 cycles and one hand-over, 1 KiB at 153 GB/s"},
      {"meeting.gpsimd_bandwidth", rendezvous(swap), 166.693,
       "150 cycles and one hand-over, 1 KiB at 153 GB/s"},
  };
}

}  // namespace tahoma::tests
