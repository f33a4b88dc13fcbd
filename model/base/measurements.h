// SPDX-License-Identifier: Apache-2.0
// The measurements of a run as plain values: components fill them, reports read them. Times are simulated
// time. A counter declares its statistic in its own line (declared.h); components increment these members.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/base/declared.h"
#include "model/base/shares.h"
#include "model/base/units.h"

namespace tahoma::base {

enum class EngineKind : std::uint8_t { kTensor, kVector, kScalar, kGpSimd, kSync, kCollective };
inline constexpr std::size_t kEngineKinds = 6;
const char* name_of(EngineKind kind);  // "tensor", "vector", ...

// All engine time is attributed to exactly one of these, so they add up to the elapsed time.
enum class StallReason : std::uint8_t {
  kBusy,  // an instruction occupies the engine's issue
  kWaitTensor,
  kWaitVector,
  kWaitScalar,
  kWaitGpSimd,
  kWaitSync,        // semaphore raised last by that engine
  kWaitDma,         // semaphore raised last by a DMA within the chip
  kWaitLink,        // semaphore raised last by a DMA whose data or notification crossed NeuronLink
  kWaitCollective,  // semaphore raised last by a collective core
  kWaitCore,        // sendrecv, core_barrier: the other core of the logical core had not arrived
  kHandover,        // semaphore satisfied, instruction not yet started
  kWeightLoad,      // tensor: the array waits for weights (the part that is not hidden)
  kThrottle,        // tensor: half rate after idling
  kTableLoad,       // scalar: activation table switch
  kBankConflict,    // another engine uses the same PSUM bank
  kPortConflict,    // another engine uses the same port of SBUF
  kDispatch,        // sequencer: register, branch and semaphore instructions
  kQueueFull,       // a bounded queue (DMA ring) had no room
  kDrain,           // everything is issued, results are still in the pipeline
  kIdle,            // no instruction is left, or there never was one, or the program has not started
};
inline constexpr std::size_t kStallReasons = 20;
const char* name_of(StallReason name);  // "busy", "wait_tensor", ...
const char* doc_of(StallReason name);

using StallTimes = std::array<Duration, kStallReasons>;
// Returns the part of an engine's times in which it waited for semaphores; 0 for no times.
Duration waited_for_semaphores(std::span<const Duration> times);

struct ArrayCounts {  // of a tensor engine
  TAHOMA_STATISTICS(ArrayCounts);
  TAHOMA_COUNTER(std::uint64_t, hardware_flops, kFlop, "2 x multiply-accumulates issued, useful or not");
  TAHOMA_COUNTER(std::uint64_t, cell_cycles, kCount,
                 "cycles of single cells of the array: one for each multiply-accumulate and pass, slices of "
                 "double_row together");
  TAHOMA_COUNTER(std::uint64_t, streaming_cycles, kCount, "moving columns times passes, summed over matmuls");
  TAHOMA_COUNTER(std::uint64_t, row_cycles, kCount,
                 "the same times the rows of the array that the matmul uses: divided by streaming_cycles, "
                 "its mean rows in use");
  TAHOMA_COUNTER(std::uint64_t, column_cycles, kCount, "the same of columns");
  TAHOMA_COUNTER(std::uint64_t, array_cycles, kCount,
                 "first moving row in to last sum out of the array, summed over matmuls and transposes");
};

struct EngineMeasurement : ArrayCounts {
  std::string path;  // "server0.chip03.core5.tensor"
  EngineKind kind = EngineKind::kTensor;
  std::uint32_t core = 0;  // global core number
  Time first_start = kNever, last_end{0};

  TAHOMA_STATISTICS(EngineMeasurement);
  TAHOMA_COUNTERS_BY(StallReason, StallTimes, time, kNanoseconds);  // adds up to RunMeasurement::elapsed
  TAHOMA_COUNTER(Duration, active, kNanoseconds, "union of the instructions' start-to-end intervals");
  TAHOMA_COUNTER(std::uint64_t, instructions, kCount, "instructions retired");
  TAHOMA_INHERITED_IF(self.kind == EngineKind::kTensor, ArrayCounts);
  bool took_part() const { return instructions > 0; }
};

struct DmaMeasurement {  // the 16 DMA engines of one core together
  std::string path;
  std::uint32_t core = 0;

  TAHOMA_STATISTICS(DmaMeasurement);
  TAHOMA_COUNTER(std::uint64_t, transfers, kCount, "transfers started by a doorbell");
  TAHOMA_COUNTER(std::uint64_t, packets, kCount, "packets moved by the 16 engines");
  TAHOMA_COUNTER(std::uint64_t, bytes, kBytes, "payload moved, the larger side of a cast");
  TAHOMA_COUNTER(Duration, busy, kNanoseconds, "moving packets, summed over the 16 engines");
  TAHOMA_COUNTER(Duration, active, kNanoseconds, "at least one engine with a packet issued and not yet read");
  TAHOMA_COUNTER(Duration, blocked_memory, kNanoseconds,
                 "work was ready but too much was in flight to and from HBM, summed over the engines");
  TAHOMA_COUNTER(Duration, blocked_link, kNanoseconds,
                 "waiting for the fabric to take a packet, summed over the engines");
  TAHOMA_COUNTER(Duration, generating, kNanoseconds,
                 "generating descriptors in hardware, summed over the generators of queues sync and scalar");
  bool took_part() const { return transfers > 0; }
};

// Windowed series: busy time per window of `window` from time zero.
struct Series {
  Duration window;
  std::vector<Duration> busy;
};

struct DramCounts {  // of a channel
  TAHOMA_STATISTICS(DramCounts);
  TAHOMA_COUNTER(std::uint64_t, row_hits, kCount, "accesses that found their row open");
  TAHOMA_COUNTER(std::uint64_t, row_misses, kCount, "accesses that found their bank closed");
  TAHOMA_COUNTER(std::uint64_t, row_conflicts, kCount, "accesses that found another row open");
  TAHOMA_COUNTER(std::uint64_t, activates, kCount, "rows opened");
  TAHOMA_COUNTER(std::uint64_t, precharges, kCount, "commands that closed rows");
  TAHOMA_COUNTER(std::uint64_t, refreshes, kCount, "refresh commands");
};

// One channel of a stack with the DRAM model. `data`, the lost times and `idle` are shares of the time of the
// data pins, averaged over the pseudo-channels. Together they are the elapsed time.
struct ChannelMeasurement : DramCounts {
  std::string path;  // "server0.chip03.hbm1.channel05"
  Bandwidth peak;
  bool failed = false;

  TAHOMA_STATISTICS(ChannelMeasurement);
  TAHOMA_COUNTER(std::uint64_t, read_bytes, kBytes, "bytes read");
  TAHOMA_COUNTER(std::uint64_t, write_bytes, kBytes, "bytes written");
  TAHOMA_FIGURE(std::optional<double>, achieved, kRatio, "bytes moved over what the peak would have moved",
                achieved_share(self.read_bytes + self.write_bytes, self.peak, elapsed));
  TAHOMA_INHERITED(DramCounts);
  TAHOMA_COUNTER(std::uint64_t, corrected_errors, kCount, "errors that were corrected");
  TAHOMA_LEVEL(std::uint64_t, most_reads_queued, kCount, "most accesses in the read queue");
  TAHOMA_LEVEL(std::uint64_t, most_writes_queued, kCount, "most accesses in the write queue");
  TAHOMA_COUNTER(Duration, data, kNanoseconds,
                 "data on the pins; this and the other times are means over the pins");
  TAHOMA_COUNTER(Duration, lost_refresh, kNanoseconds, "pins idle because of a refresh");
  TAHOMA_COUNTER(Duration, lost_turnaround, kNanoseconds, "pins turning between reads and writes");
  TAHOMA_COUNTER(Duration, lost_bank, kNanoseconds, "pins waiting for banks, bank groups or activates");
  TAHOMA_COUNTER(Duration, idle, kNanoseconds, "pins idle without work");
  TAHOMA_LEVEL(double, mean_reads_queued, kCount, "accesses in the read queue, mean over the run");
  TAHOMA_LEVEL(double, mean_writes_queued, kCount, "accesses in the write queue, mean over the run");
};

// Latency from a request's arrival at the stack to its last data; for posted writes, to their acceptance.
// Percentiles are at most 1/16 above the exact value and never below it.
struct LatencyMeasurement {
  TAHOMA_STATISTICS(LatencyMeasurement);
  TAHOMA_COUNTER(std::uint64_t, count, kCount, "requests served");
  TAHOMA_LEVEL(Duration, mean, kNanoseconds, "mean latency");
  TAHOMA_LEVEL(Duration, p50, kNanoseconds, "latency that half of the requests did not exceed");
  TAHOMA_LEVEL(Duration, p90, kNanoseconds, "latency that 90 % of the requests did not exceed");
  TAHOMA_LEVEL(Duration, p99, kNanoseconds, "latency that 99 % of the requests did not exceed");
  TAHOMA_LEVEL(Duration, longest, kNanoseconds, "longest latency");
  bool took_part() const { return count > 0; }
};

// A fault of a stack and how it was handled.
struct HbmEvent {
  Time when;
  std::string what;  // "corrected error: channel 3, pseudo-channel 1, bank 7, row 1234"
};

// Bytes that one core moved to and from a stack.
struct HbmUser {
  std::uint32_t core = 0;  // global core number

  TAHOMA_STATISTICS(HbmUser);
  TAHOMA_COUNTER(std::uint64_t, read_bytes, kBytes, "bytes that this core of the machine read");
  TAHOMA_COUNTER(std::uint64_t, write_bytes, kBytes, "bytes that this core of the machine wrote");
  std::string name() const { return "users.core" + std::to_string(core); }
};

struct HbmMeasurement {
  using User = HbmUser;
  std::string path;  // "server0.chip03.hbm1"
  Bandwidth peak;
  Series series;
  std::vector<HbmEvent> first_events;  // of `events`

  TAHOMA_STATISTICS(HbmMeasurement);
  TAHOMA_COUNTER(std::uint64_t, read_bytes, kBytes, "bytes read");
  TAHOMA_COUNTER(std::uint64_t, write_bytes, kBytes, "bytes written");
  TAHOMA_FIGURE(std::optional<double>, achieved, kRatio, "bytes moved over what the peak would have moved",
                achieved_share(self.read_bytes + self.write_bytes, self.peak, elapsed));
  TAHOMA_COUNTER(Duration, busy, kNanoseconds, "time the stack's bandwidth was in use");
  TAHOMA_PART(LatencyMeasurement, reads);
  TAHOMA_PART(LatencyMeasurement, writes);
  TAHOMA_COUNTER_IF(self.events > 0, std::uint64_t, events, kCount, "faults that were corrected");
  TAHOMA_PART(std::vector<HbmUser>, users);                // cores that moved bytes here, in order
  TAHOMA_PART(std::vector<ChannelMeasurement>, channels);  // empty for the flat model
  bool took_part() const { return read_bytes + write_bytes > 0; }
};

struct CrossingMeasurement {  // one direction between two dies of a chip: data of reads and writes
  std::string path;           // "server0.chip03.network.die0_to_die1"
  Bandwidth peak;

  TAHOMA_STATISTICS(CrossingMeasurement);
  TAHOMA_COUNTER(std::uint64_t, bytes, kBytes, "data carried from one die to the other");
  TAHOMA_COUNTER(Duration, busy, kNanoseconds, "time the crossing's bandwidth was in use");
  bool took_part() const { return bytes > 0; }
};

// The data of one pair of chips on a link.
struct LinkFlow {
  std::uint32_t from_chip = 0, to_chip = 0;
  std::uint64_t payload_bytes = 0;
};

struct LinkMeasurement {  // one direction of one link
  std::string path;       // "server0.chip03.link.xp"
  std::uint32_t from_chip = 0, to_chip = 0;
  char axis = 'x';
  Bandwidth peak;
  Series series;
  std::vector<LinkFlow> flows;  // by (from_chip, to_chip)

  TAHOMA_STATISTICS(LinkMeasurement);
  TAHOMA_COUNTER(std::uint64_t, payload_bytes, kBytes, "payload sent in this direction");
  TAHOMA_COUNTER(std::uint64_t, wire_bytes, kBytes, "payload and headers sent in this direction");
  TAHOMA_COUNTER(std::uint64_t, packets, kCount, "packets sent in this direction");
  TAHOMA_FIGURE(double, goodput, kBytesPerSecond, "payload sent in this direction over the elapsed time",
                per_second(static_cast<double>(self.payload_bytes), elapsed));
  TAHOMA_COUNTER(Duration, busy, kNanoseconds, "time the wire was sending");
  TAHOMA_COUNTER(Duration, blocked, kNanoseconds,
                 "time a packet was ready and the wire free, but the next buffer had no credit");
  TAHOMA_COUNTER(Duration, queue_full, kNanoseconds, "time a packet waited for the full queue");
  TAHOMA_LEVEL(std::uint64_t, queue_high_water, kCount, "most packets in the queue");
  TAHOMA_DERIVED("flows", kCount, "pairs of chips whose packets took this link",
                 std::uint64_t{self.flows.size()});
};

// The data that chips send each other through the fabric, counted at entry and at exit.
struct TrafficMeasurement {
  std::uint32_t from_chip = 0, to_chip = 0;

  TAHOMA_STATISTICS(TrafficMeasurement);
  TAHOMA_COUNTER(std::uint64_t, packets, kCount, "packets that chips sent each other, once each");
  TAHOMA_COUNTER(std::uint64_t, payload_bytes, kBytes, "payload that chips sent each other, once each");
};

// Totals of the whole machine.
struct RunCounts {
  TAHOMA_STATISTICS(RunCounts);
  TAHOMA_COUNTER(std::uint64_t, instructions, kCount, "instructions retired on all queues");
  TAHOMA_COUNTER(std::uint64_t, dma_packets, kCount, "packets moved by DMA engines");
  TAHOMA_COUNTER(std::uint64_t, link_packet_hops, kCount, "packets sent over links, once per hop");
  TAHOMA_COUNTER(std::uint64_t, engine_activations, kCount, "SystemC activations of engines");
  TAHOMA_COUNTER(std::uint64_t, dma_activations, kCount, "SystemC activations of DMA engines");
  TAHOMA_COUNTER(std::uint64_t, link_activations, kCount,
                 "SystemC activations of ports, routers and networks");
  TAHOMA_COUNTER(std::uint64_t, memory_activations, kCount, "SystemC activations of HBM stacks");
};

struct RunMeasurement : RunCounts {
  TAHOMA_STATISTICS(RunMeasurement);
  TAHOMA_LEVEL(Duration, elapsed, kNanoseconds, "first instruction on any core to the last completion");
  TAHOMA_INHERITED(RunCounts);
  TAHOMA_PART(std::vector<EngineMeasurement>, engines);  // cores in order, engines in order of EngineKind
  TAHOMA_PART(std::vector<DmaMeasurement>, dma);         // one per core
  TAHOMA_PART(std::vector<HbmMeasurement>, hbm);
  TAHOMA_PART(std::vector<CrossingMeasurement>, crossings);  // none on a chip of one die
  TAHOMA_PART(std::vector<LinkMeasurement>, links);
  TAHOMA_DERIVED("traffic.pairs", kCount,
                 "pairs of chips, one sending and one receiving, that the fabric carried anything between",
                 std::uint64_t{self.traffic.size()});
  TAHOMA_TOTALS(std::vector<TrafficMeasurement>, traffic);  // pairs that exchanged anything, in order
};

}  // namespace tahoma::base
