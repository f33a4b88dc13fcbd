// SPDX-License-Identifier: Apache-2.0
// Parameters of a NeuronCore's engines, sequencers, semaphores, on-chip memories and DMA engines. Defaults
// are NeuronCore-v3; each declaration names its source. Sizes per partition, rates per engine.
#pragma once

#include "model/base/params.h"
#include "model/base/waves_window.h"

namespace tahoma::model {

using base::Bandwidth, base::Bytes, base::Cycles, base::Duration, base::Frequency, base::ParamTree;

// Whether a block is simulated alone, or in lock-step with its SystemVerilog (model/rtl).
enum class BlockModel : std::uint8_t { kBehavioural, kRtl };
inline constexpr base::Named<BlockModel> kBlockModels[] = {{BlockModel::kBehavioural, "behavioural"},
                                                           {BlockModel::kRtl, "rtl"}};

// The rounding of the element-wise engines' results (isa/core/rounding.h).
enum class RoundingMode : std::uint8_t { kNearest, kStochastic };
inline constexpr base::Named<RoundingMode> kRoundingModes[] = {{RoundingMode::kNearest, "nearest"},
                                                               {RoundingMode::kStochastic, "stochastic"}};

// Systolic array and its queue. The law of the array itself (rows, columns, passes) is separate from the
// constants of the core around it (issue overhead, pipeline latency), which were measured at 128x128.
struct TensorParams {
  BlockModel model;         // of the array
  base::WavesWindow waves;  // rtl: of the instructions that start in it
  Frequency clock;
  std::uint64_t rows, columns;   // of the array: contraction depth, output partitions
  std::uint64_t moving_columns;  // most moving columns of one matmul
  Cycles issue_overhead;         // added to the streaming cycles of each matmul
  Cycles misaligned_run;         // added for each run of 16-bit moving elements that starts at 2 mod 4
  Cycles tile_pitch;             // matmul start -> start of one on another tile of the array
  Duration pipeline_latency;     // last row streamed -> result in PSUM
  std::uint64_t latency_side;    // rows and columns of the array that pipeline_latency was measured on
  Duration weight_load_latency;  // last weight column -> load_weights is complete
  Duration weight_to_matmul;     // load_weights decoded -> start of the matmul behind it
  Cycles weight_exchange;        // last weight column -> first moving row that meets them
  // Cycles per column of a weight load: of elements below 32 bits, of fp32, of other 32-bit types.
  double load_column, load_column_strided, fp32_load_column, wide_load_column, wide_load_column_strided;
  Cycles back_to_back;                 // matmul start -> next instruction may start beside it
  Cycles load_issue, wide_load_issue;  // load_weights start -> next instruction; of 32-bit weights
  bool throttle;                       // half rate until a window has been busy enough
  Duration throttle_window, throttle_phase;
  std::uint64_t throttle_share;  // per cent of a window's cycles that ends the throttle
  Duration throttle_latency;     // matmul start, ahead of the array's end of the matmul before it
  void declare(ParamTree& t);
};

// Vector, scalar and GpSimd engines: start-up and drain around one element per lane and cycle.
struct LaneParams {
  Frequency clock;
  Cycles issue_overhead;           // start-up: instruction start -> first element
  Cycles turnaround;               // pause between reading for one instruction and starting up the next
  Cycles write_turnaround;         // pause between writing the results of two instructions
  Duration latency;                // last element in -> result visible
  Duration partial_write_latency;  // more of it when elements smaller than a word are scattered
  void declare(ParamTree& t, const char* engine);
};
struct VectorParams : LaneParams {
  bool fast_modes;  // 2x and 4x modes for 16-bit operands
  // Elements per cycle and lane in the fast modes: one input to 16 bits and to 8, two inputs, reductions,
  // zeros.
  std::uint64_t copy_rate, narrowing_rate, two_input_rate, reduce_rate, memset_rate;
  std::uint64_t sbuf_streams;  // in each direction, between SBUF and SBUF
  Cycles second_operand;       // additional start-up for a second tile
  void declare(ParamTree& t);
};
struct ScalarParams : LaneParams {
  Cycles sbuf_source;         // additional start-up for a source in SBUF
  Duration activate_latency;  // table functions: last element in -> result visible
  Duration table_load;
  Cycles accumulator_read;
  void declare(ParamTree& t);
};
struct GpSimdParams : LaneParams {
  void declare(ParamTree& t);
};

// An engine's sequencer, which runs waits, updates, registers, branches and doorbells itself, one after the
// other. Cycles are those of its own clock: the clock of the lanes for the vector engine, the base clock for
// all others.
struct SequencerTiming {
  Cycles wake;    // semaphore value -> start of an instruction that waited
  Cycles wait;    // of a stand-alone wait, start -> end
  Cycles update;  // of a stand-alone update, start -> end
  Cycles raise;   // end of an instruction that updates -> new value
  Cycles gap;     // end of a stand-alone wait or update -> start of the sequencer's next instruction
  Cycles step;    // of a register operation or a branch that is not taken, start -> next start
  Cycles jump;    // of a taken branch, start -> start at the target
};

// The queue in which a sequencer hands instructions to its engine.
struct QueueTiming {
  Cycles wake;          // semaphore value -> start of an engine's instruction that waited
  Cycles to_engine;     // end of a stand-alone wait or update -> start of an engine's instruction
  Cycles from_engine;   // an instruction is handed over -> start of a sequencer's instruction behind it
  std::uint64_t depth;  // instructions handed over that have not started
};

struct SequencerParams {
  Frequency clock;  // NC base clock of sequencers and semaphores
  SequencerTiming tensor, vector, scalar, gpsimd, sync, collective;
  QueueTiming tensor_queue, vector_queue, scalar_queue, gpsimd_queue;
  Cycles dispatch;               // an instruction is handed to the engine -> the next one
  Cycles result;                 // added to `raise` for an engine's instruction: its last result is written
  Cycles compare;                // of an update that waited, start -> end: only the comparison is left
  Duration load_sbuf, load_hbm;  // added for a register load or store to the time of a register operation
  void declare(ParamTree& t);
};

struct DmaParams {
  BlockModel model;         // of the rings
  base::WavesWindow waves;  // rtl: of the descriptors and packets in it
  Frequency clock;
  std::uint64_t rings;               // per engine
  std::uint64_t ring_depth;          // transfers a ring holds
  Bytes bytes_per_cycle;             // of one engine
  Cycles element_overhead;           // per element: one contiguous run, or rows that are one on the HBM side
  Cycles packet_overhead;            // once per packet
  Bytes semaphore_value;             // written for a semaphore
  Cycles semaphore_element;          // a semaphore written as an element of its own
  Cycles read_overlap;               // start of an element -> the one before it has been read
  std::uint64_t element_rows;        // partitions whose rows are one element, if HBM has them in one piece
  Bytes packet;                      // most payload of one packet
  std::uint64_t packet_elements;     // most descriptors of one packet
  Bytes collective_packet;           // most payload of one packet of a transfer that a collective core rings
  std::uint64_t collective_engines;  // engines that such a transfer is dealt to
  Duration doorbell_sync, doorbell_scalar, doorbell_gpsimd;  // time of the instruction, by queue
  Duration pitch_sync, pitch_scalar, pitch_gpsimd;           // doorbell start to doorbell start
  Duration first_doorbell;                                   // added for the first one of a queue
  Duration start_up;                                         // doorbell end -> first engine starts
  Duration skew_near, skew_half, skew_far;                   // engine starts, see skew_of()
  Duration cold_read;                                        // an engine's first read of HBM
  Duration write_sbuf, write_hbm;                            // read finished -> written and acknowledged
  Bytes write_drain;                                         // per cycle, of writes held up by another
  Duration semaphore_write;                                  // data acknowledged -> semaphore acknowledged
  Duration semaphore_return;                                 // its value visible -> acknowledged
  Duration increment_spacing;                                // of one semaphore
  Duration small_element;                                    // DRAM to DRAM, below `small_element_bytes`
  std::uint64_t small_element_spread;                        // per cent, slowest engine over the mean
  Bytes small_element_bytes;
  Duration hardware_dge;                                // one instruction of a hardware generator
  Duration software_descriptor;                         // of GpSimd, for each element
  std::uint64_t transpose_from_hbm, transpose_on_chip;  // per cent of the throughput, by source
  std::uint64_t remote_window;                          // packets an engine may have waiting for the fabric
  Bytes read_window;           // limit of bytes issued and not handed on; an engine then pauses
  std::uint64_t read_packets;  // the same limit in packets
  Bytes write_window;          // limit of bytes handed on to HBM and not accepted there
  std::uint64_t write_packets;
  Duration look_ahead;  // how far ahead of the simulation packets are issued, no further than start_up
  void declare(ParamTree& t);
};

// Rendezvous of the two cores of a logical core.
struct MeetingParams {
  Duration barrier;            // the later core's arrival -> both go on
  Duration gpsimd_latency;     // of a swap through GpSimd's own DMA, beyond its bytes
  Bandwidth gpsimd_bandwidth;  // each direction
  void declare(ParamTree& t);
};

// Costs of single instructions of the vector, scalar and GpSimd engines beyond one cycle per element.
struct CostParams {
  Cycles reciprocal;            // an element
  Cycles dynamic_copy;          // start to start, at least
  Cycles scalar_tensor_tensor;  // an element, outside its fast case
  Cycles scan;                  // an element
  Cycles gpsimd_two_input;      // an element
  Cycles aggregate;             // a triple
  Cycles gather_fixed, gather_element;
  Bytes gather_word;
  Cycles topk;  // a candidate
  void declare(ParamTree& t);
};
// The elements that bn_aggr takes together: count, mean and variance * count of one group.
inline constexpr std::uint64_t kAggregateTriple = 3;

struct SbufParams {
  std::uint64_t partitions;
  Bytes per_partition, usable;
  Frequency clock;
  Bytes long_stride;      // a larger innermost stride uses the memory's slow path
  Bytes word;             // width of one write
  Cycles strided_access;  // one element of an innermost stride above 16 bytes
  Cycles partial_write;   // the same for a write of an element smaller than a word
  Bandwidth shared_port;  // of one partition, each direction: the vector engine and GpSimd together
  void declare(ParamTree& t);
};
struct PsumParams {
  Bytes per_partition, bank;
  bool bank_turns;  // engines take turns in a bank
  void declare(ParamTree& t);
};

struct CoreParams {
  TensorParams tensor;
  VectorParams vector;
  ScalarParams scalar;
  GpSimdParams gpsimd;
  CostParams costs;
  SequencerParams sequencer;
  MeetingParams meeting;
  SbufParams sbuf;
  PsumParams psum;
  DmaParams dma;
  RoundingMode rounding;  // of the element-wise engines' results
  void declare(ParamTree& t);
};

}  // namespace tahoma::model
