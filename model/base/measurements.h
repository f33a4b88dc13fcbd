// SPDX-License-Identifier: Apache-2.0
// What a run measured, as plain values: filled by the components, read by reports. Times are simulated time.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/base/units.h"

namespace tahoma::base {

enum class EngineKind : std::uint8_t { kTensor, kVector, kScalar, kGpSimd, kSync, kCollective };
inline constexpr std::size_t kEngineKinds = 6;
const char* name_of(EngineKind kind);  // "tensor", "vector", ...

// Every femtosecond of an engine has one of these names; they add up to the elapsed time.
enum class Cycle : std::uint8_t {
  kBusy,  // an instruction occupies the engine's issue
  kWaitTensor,
  kWaitVector,
  kWaitScalar,
  kWaitGpSimd,
  kWaitSync,        // semaphore raised last by that engine
  kWaitDma,         // semaphore raised last by a DMA on this core's own HBM
  kWaitLink,        // semaphore raised last by a DMA that crossed NeuronLink
  kWaitCollective,  // semaphore raised last by a collective core
  kWaitCore,        // sendrecv, core_barrier: the other core of the logical core had not come yet
  kHandover,        // semaphore satisfied, instruction not yet started
  kWeightLoad,      // tensor: the array stands while weights load (not hidden)
  kThrottle,        // tensor: half rate after idling
  kTableLoad,       // scalar: activation table switch
  kBankConflict,    // another engine uses the same PSUM bank
  kPortConflict,    // another engine uses the same port of SBUF
  kDispatch,        // sequencer: register, branch and semaphore instructions
  kQueueFull,       // a bounded queue (DMA ring) had no room
  kDrain,           // issue done, results still in the pipeline, nothing else to issue
  kIdle,            // no instruction left, or none ever
};
inline constexpr std::size_t kCycleNames = 20;
const char* name_of(Cycle name);  // "busy", "wait_tensor", ...
const char* doc_of(Cycle name);

struct EngineMeasurement {
  std::string path;  // "server0.chip03.core5.tensor"
  EngineKind kind = EngineKind::kTensor;
  std::uint32_t core = 0;                    // global core number
  std::array<Duration, kCycleNames> time{};  // adds up to RunMeasurement::elapsed
  Duration active;                           // union of start-to-end intervals, the vendor's *_active
  std::uint64_t instructions = 0;
  std::uint64_t hardware_flops = 0;  // 2 x multiply-accumulates of the tensor engine, useful or not
  // Cycles of single cells of the array that these take: one per pass, the slices of double_row together.
  std::uint64_t cell_cycles = 0;
  // Of the tensor engine: first moving row in to last sum out, summed over matmuls and transposes.
  std::uint64_t array_cycles = 0;
  Time first_start = kNever, last_end{0};
};

struct DmaMeasurement {  // the 16 DMA engines of one core together
  std::string path;
  std::uint32_t core = 0;
  std::uint64_t transfers = 0, packets = 0, bytes = 0;
  Duration busy;  // summed over the engines: moving packets
  Duration blocked_memory,
      blocked_link;  // summed over the engines: HBM or fabric took longer than the engine
  Duration active;   // at least one engine with a packet issued and not yet read
};

// Windowed series: busy time per window of `window` from time zero.
struct Series {
  Duration window;
  std::vector<Duration> busy;
};

// One channel of a stack with DRAM behind it. `data`, the lost times and `idle` are shares of the data pins
// of its pseudo-channels, averaged over them: together they are the elapsed time.
struct ChannelMeasurement {
  std::string path;  // "server0.chip03.hbm1.channel05"
  std::uint64_t read_bytes = 0, write_bytes = 0;
  // By access of the DRAM: the row was open, the bank was closed, another row was open.
  std::uint64_t row_hits = 0, row_misses = 0, row_conflicts = 0;
  std::uint64_t activates = 0, precharges = 0, refreshes = 0;
  std::uint64_t corrected_errors = 0;
  Duration data, lost_refresh, lost_turnaround, lost_bank, idle;
  double mean_reads_queued = 0, mean_writes_queued = 0;  // accesses, over the run
  std::uint64_t most_reads_queued = 0, most_writes_queued = 0;
  Bandwidth peak;
  bool failed = false;
};

// From a request's arrival at the stack to its last data; of posted writes, to their acceptance.
struct LatencyMeasurement {
  std::uint64_t count = 0;
  Duration mean, p50, p90, p99, longest;  // percentiles to within 1/16 of their value, never below it
};

// Something that went wrong in a stack and was got over.
struct HbmEvent {
  Time when;
  std::string what;  // "corrected error: channel 3, pseudo-channel 1, bank 7, row 1234"
};

struct HbmMeasurement {
  std::string path;  // "server0.chip03.hbm1"
  std::uint64_t read_bytes = 0, write_bytes = 0;
  Duration busy;
  Bandwidth peak;
  Series series;
  LatencyMeasurement reads, writes;
  struct User {
    std::uint32_t core = 0;  // global core number
    std::uint64_t read_bytes = 0, write_bytes = 0;
  };
  std::vector<User> users;                   // cores that moved bytes here, in order
  std::vector<ChannelMeasurement> channels;  // empty for the flat model
  std::uint64_t events = 0;                  // all of them; the first few in `first_events`
  std::vector<HbmEvent> first_events;
};

struct CrossingMeasurement {  // one direction between two dies of a chip: data of reads and writes
  std::string path;           // "server0.chip03.network.die0_to_die1"
  std::uint64_t bytes = 0;
  Duration busy;
  Bandwidth peak;
};

// What one chip sent another over a link.
struct LinkFlow {
  std::uint32_t from_chip = 0, to_chip = 0;
  std::uint64_t payload_bytes = 0;
};

struct LinkMeasurement {  // one direction of one link
  std::string path;       // "server0.chip03.link.xp"
  std::uint32_t from_chip = 0, to_chip = 0;
  char axis = 'x';
  std::uint64_t payload_bytes = 0, wire_bytes = 0, packets = 0;
  Duration busy;
  Duration queue_full;                 // time its queue had no free slot
  Duration blocked;                    // a packet was ready and the wire free, but the next buffer was full
  std::uint64_t queue_high_water = 0;  // packets
  Bandwidth peak;
  Series series;
  std::vector<LinkFlow> flows;  // by (from_chip, to_chip)
};

// What chips sent each other through the fabric: counted where it enters and where it leaves.
struct TrafficMeasurement {
  std::uint32_t from_chip = 0, to_chip = 0;
  std::uint64_t packets = 0, payload_bytes = 0;
};

struct RunMeasurement {
  Duration elapsed;                        // first instruction on any core to the last completion
  std::vector<EngineMeasurement> engines;  // cores in order, engines in order of EngineKind
  std::vector<DmaMeasurement> dma;         // one per core
  std::vector<HbmMeasurement> hbm;
  std::vector<CrossingMeasurement> crossings;  // none on a chip of one die
  std::vector<LinkMeasurement> links;
  std::vector<TrafficMeasurement> traffic;  // pairs that exchanged anything, by (from_chip, to_chip)
  std::uint64_t instructions = 0;           // retired, all queues
  std::uint64_t dma_packets = 0;
  std::uint64_t link_packet_hops = 0;
  std::uint64_t activations = 0;  // SystemC process activations of engines
  std::uint64_t dma_activations = 0, link_activations = 0, memory_activations = 0;
};

}  // namespace tahoma::base
