// SPDX-License-Identifier: Apache-2.0
// Parameters of the vector, scalar and GpSimd engines.
#pragma once

#include "model/base/params.h"

namespace tahoma::model {

using base::Bandwidth, base::Bytes, base::Cycles, base::Duration, base::Frequency, base::ParamTree;

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
  // Elements per cycle and lane of NeuronCore-v4's exponential, quantize_mx and rand2.
  std::uint64_t exponential_rate, quantise_rate, random_rate;
  void declare(ParamTree& t);
};
struct ScalarParams : LaneParams {
  Cycles sbuf_source;         // additional start-up for a source in SBUF
  Duration activate_latency;  // table functions: last element in -> result visible
  Duration table_load;
  Cycles accumulator_read;
  std::uint64_t copy_rate;  // elements per cycle and lane of 16-bit copies and tensor_scalar
  void declare(ParamTree& t);
};
struct GpSimdParams : LaneParams {
  void declare(ParamTree& t);
};

// Costs of single instructions of the vector, scalar and GpSimd engines beyond one cycle per element.
struct CostParams {
  Cycles reciprocal;            // an element
  Cycles dynamic_copy;          // start to start, at least
  Cycles scalar_tensor_tensor;  // an element, outside its fast case
  Cycles scan;                  // an element
  Cycles gpsimd_two_input;      // an element
  Cycles two_input;             // an element of two tiles in SBUF, outside the fast case
  Cycles aggregate;             // a triple
  Cycles gather_fixed, gather_element;
  Bytes gather_word;
  Cycles topk;  // a candidate
  void declare(ParamTree& t);
};
// The elements that bn_aggr takes together: count, mean and variance * count of one group.
inline constexpr std::uint64_t kAggregateTriple = 3;

}  // namespace tahoma::model
