// SPDX-License-Identifier: Apache-2.0
// Parameters of a NeuronCore's engines, sequencers, semaphores, on-chip memories and DMA engines. Defaults
// are NeuronCore-v3; each declaration names its source. Sizes per partition, rates per engine.
#pragma once

#include "model/base/params.h"

namespace tahoma::model {

using base::Bandwidth, base::Bytes, base::Cycles, base::Duration, base::Frequency, base::ParamTree;

// Systolic array and its queue. The array's own law (rows, columns, passes) is separate from the constants of
// the core around it (issue overhead, pipeline latency), which were measured at 128x128.
struct TensorParams {
  Frequency clock;
  std::uint64_t rows, columns;   // of the array: contraction depth, output partitions
  std::uint64_t moving_columns;  // most moving columns of one matmul
  Cycles issue_overhead;         // added to the streaming cycles of each matmul
  Cycles tile_pitch;             // matmul start -> start of one on another tile of the array
  Duration pipeline_latency;     // last row streamed -> result in PSUM
  Duration weight_load_latency;  // fixed part of load_weights
  Duration weight_to_matmul;     // load start -> first row of its matmul, beyond the column cycles
  Cycles back_to_back;           // matmul start -> next instruction may start beside it
  bool throttle;                 // half rate until a window has been more than half busy
  Duration throttle_window, throttle_phase, throttle_latency;
  void declare(ParamTree& t);
};

// Vector, scalar and GpSimd engines: start-up and drain around one element per lane and cycle.
struct LaneParams {
  Frequency clock;
  Cycles issue_overhead;  // instruction start -> next start, beyond the element cycles
  Duration latency;       // last element in -> result visible
  void declare(ParamTree& t, const char* engine);
};
struct VectorParams : LaneParams {
  bool fast_modes;  // 2x and 4x modes for 16-bit operands
  void declare(ParamTree& t);
};
struct ScalarParams : LaneParams {
  Duration activate_latency, table_load;
  Cycles accumulator_read;
  void declare(ParamTree& t);
};
struct GpSimdParams : LaneParams {
  void declare(ParamTree& t);
};

struct SequencerParams {
  Frequency clock;  // NC base clock of sequencers and semaphores
  Duration raise_tensor, raise_scalar, raise_vector, raise_gpsimd, raise_sync,
      raise_collective;  // end -> new value
  Duration wake_tensor, wake_scalar, wake_vector, wake_gpsimd, wake_sync, wake_collective;  // value -> start
  Duration semaphore_instruction;  // stand-alone wait or update
  Duration register_instruction, branch;
  Duration load_sbuf, load_hbm;  // reg_load: start -> value in the register; reg_store: start -> written
  void declare(ParamTree& t);
};

struct DmaParams {
  Frequency clock;
  std::uint64_t rings;            // per engine
  std::uint64_t ring_depth;       // transfers a ring holds
  Bytes bytes_per_cycle;          // of one engine
  Cycles element_overhead;        // per element: one contiguous run, or rows that are one on the HBM side
  Cycles packet_overhead;         // once per packet
  Cycles semaphore_element;       // a semaphore written as an element of its own
  Cycles read_overlap;            // start of an element -> the one before it has been read
  std::uint64_t element_rows;     // partitions whose rows are one element, if HBM has them in one piece
  Bytes packet;                   // most payload of one packet
  std::uint64_t packet_elements;  // most descriptors of one packet
  Duration doorbell_sync, doorbell_scalar, doorbell_gpsimd;  // time of the instruction, by queue
  Duration pitch_sync, pitch_scalar, pitch_gpsimd;           // doorbell start to doorbell start
  Duration first_doorbell;                                   // more for the first of a queue
  Duration start_up;                                         // doorbell end -> first engine starts
  Duration skew_near, skew_half, skew_far;                   // engine starts, see skew_of()
  Duration cold_read;                                        // an engine's first read of HBM
  Duration write_sbuf, write_hbm;                            // read finished -> written and acknowledged
  Bytes write_drain;                                         // per cycle, of writes held up by another
  Duration semaphore_write;                                  // data acknowledged -> semaphore acknowledged
  Duration semaphore_return;                                 // its value visible -> acknowledged
  Duration increment_spacing;                                // of a core's semaphores
  Duration small_element;                                    // DRAM to DRAM, below `small_element_bytes`
  Bytes small_element_bytes;
  Duration hardware_dge;                                // one instruction of a hardware generator
  Duration software_descriptor;                         // of GpSimd, for each element
  std::uint64_t transpose_from_hbm, transpose_on_chip;  // per cent of the throughput, by where the source is
  std::uint64_t remote_window;                          // packets an engine may have waiting for the fabric
  void declare(ParamTree& t);
};

// Meetings of the two cores of a logical core.
struct MeetingParams {
  Duration barrier;            // the later core's arrival -> both go on
  Duration gpsimd_latency;     // of a swap through GpSimd's own DMA, beyond its bytes
  Bandwidth gpsimd_bandwidth;  // each direction
  void declare(ParamTree& t);
};

struct SbufParams {
  std::uint64_t partitions;
  Bytes per_partition, usable;
  void declare(ParamTree& t);
};
struct PsumParams {
  Bytes per_partition, bank;
  void declare(ParamTree& t);
};

struct CoreParams {
  TensorParams tensor;
  VectorParams vector;
  ScalarParams scalar;
  GpSimdParams gpsimd;
  SequencerParams sequencer;
  MeetingParams meeting;
  SbufParams sbuf;
  PsumParams psum;
  DmaParams dma;
  std::string rounding;  // of the element-wise engines' results: nearest or stochastic (isa/rounding.h)
  void declare(ParamTree& t);
};

}  // namespace tahoma::model
