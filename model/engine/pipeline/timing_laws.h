// SPDX-License-Identifier: Apache-2.0
// The duration of instructions: pure functions of the instruction and the parameters, one per cost class of
// the instruction table. Cycles are those of the engine that runs the instruction.
//
// The tensor engine's law has two parts. The part that follows from the array's structure (rows, columns,
// passes) is exact for any array. The constants of the core around it were measured at 128x128 and are added
// unchanged.
#pragma once

#include <cstdint>

#include "isa/table/table_fields.h"
#include "model/base/measurements.h"
#include "model/engine/params/engine_params.h"

namespace tahoma::model {

// --- parameters as the laws take them: times are cycles of the engine's clock, converted once
// -----------------------------------------

struct TensorTiming : TensorParams {
  explicit TensorTiming(const TensorParams& params);
  base::Cycles result;         // last column in the array -> result, for the size of the array
  base::Cycles weights;        // weight_load_latency
  base::Cycles decode;         // weight_to_matmul
  base::Cycles window, phase;  // of the throttle
  base::Cycles throttle_lead;  // throttle_latency
};

struct LaneTiming {
  explicit LaneTiming(const LaneParams& params);
  base::Cycles latency, partial_write;
};
struct CoreTiming : CoreParams {
  explicit CoreTiming(const CoreParams& params);
  LaneTiming vector_lanes, scalar_lanes, gpsimd_lanes;
  base::Cycles activate;  // activate_latency
  base::Cycles tables;    // table_load
};

// --- the systolic array, by structure
// -------------------------------------------------------------------------------

// The number of times that the moving operand streams through the array. fp32 with fp32 takes 4 passes
// (documented: a quarter of the rate). It takes 2 if either operand holds zeros and ones only (documented:
// twice as fast) or is tf32 (assumed: it has no low half). Everything else, transposes aside, takes 1:
// 16-bit, plain fp8 (documented: at the bf16 rate), tf32, double_row and sparse (documented: N cycles for K =
// 256, for 128 * slices, and for the quads of MXFP8). A transpose of 32-bit types takes 2 (measured for
// fp32), of others 1.
unsigned passes_of(const isa::Instruction& matmul_or_transpose, isa::DType weights);

// Returns the cycles in which moving columns stream into the array: one per column and pass.
base::Cycles streaming_cycles(std::uint64_t moving_columns, unsigned passes);

// First moving row in to last result out, beyond the streaming: the skew over rows and columns.
base::Cycles fill_cycles(std::uint64_t rows, std::uint64_t columns);

// Adds streaming and skew; the RTL must match this (model/rtl).
base::Cycles array_cycles(std::uint64_t rows, std::uint64_t columns, base::Cycles streaming);

// Contiguous runs of a 16-bit moving operand that start at an address of 2 mod 4 (measured for runs along the
// innermost dimension). Other widths, and elements with gaps between them, count none: nothing is published.
std::uint64_t misaligned_runs(const isa::Instruction& matmul_or_transpose);

// Cycles per column of a weight load. 8-bit types load as 16-bit ones. The two slices of double_row share a
// row's port, so their column counts once.
double weight_cycles_per_column(isa::DType dtype, bool contiguous, const TensorParams& p);

// Twice the multiply-adds of an instruction: every weight in the array with every moving column, both slices
// of double_row, all four elements of MXFP8, and for sparse weights only those that are kept. fp32 counts
// once, not per pass. 0 for a transpose.
std::uint64_t matmul_flops(const isa::Instruction& i);

// Cycles of single cells of the array for these multiply-adds: moving columns times passes for every cell in
// use; double_row does two multiply-adds per cycle in one cell, MXFP8 four.
std::uint64_t matmul_cell_cycles(const isa::Instruction& i, isa::DType weights);

// --- every instruction
// ----------------------------------------------------------------------------------------------

// The cost of one instruction on the vector, scalar or GpSimd engine, counted from its start on the lanes.
struct Occupancy {
  base::Cycles issue;     // the front end can take the next one; it may then wait for the lanes
  base::Cycles lanes;     // the lanes can begin with the next one
  base::Cycles streamed;  // the sources have been read, the last result is under way
  base::Cycles complete;  // the result is visible to others
};

// The weights that a load_weights has left in the array.
struct LoadedWeights {
  isa::DType dtype = isa::DType::kBf16;
  base::Cycles load{0};  // duration of their columns
};

// Moving rows are read from SBUF and stream into the array. The reader is slower than the array if rows are
// misaligned, and between the parts of an fp32 matmul: four passes are two instructions on silicon, LO and
// HI, each with its own overhead and its own weights, which load after the start of the previous part
// (measured).
struct MatmulCost {
  base::Cycles streaming;  // in the array, at full rate
  base::Cycles reading;    // the same columns out of SBUF
  base::Cycles interval;   // start -> start of the next on this tile, at full rate
  base::Cycles latency;    // last column in the array -> result
};
MatmulCost matmul_cost(const isa::Instruction& i, const LoadedWeights& weights, const TensorTiming& p);

// Columns are read from SBUF and shift into the array's shadow registers. The reader is the slower of the two
// with a stride; the array is slower while throttled, when shifting takes twice as long (measured).
struct WeightCost {
  base::Cycles read;     // the loader is occupied
  base::Cycles shift;    // at full rate
  base::Cycles issue;    // start -> start of the next instruction, which is already decoded
  base::Cycles latency;  // last column loaded -> complete
};
WeightCost weight_cost(const isa::Instruction& i, const TensorTiming& p);

// Elements per cycle and lane that the vector engine reaches with one input: copy_rate or narrowing_rate
// between contiguous tiles in SBUF, and half of that elsewhere; 1 for other widths and for a long innermost
// stride (documented: half the bandwidth; measured: one element a cycle).
unsigned vector_rate(const isa::Instruction& i, const CoreParams& p);

using LaneLaw = Occupancy (*)(const isa::Instruction&, base::EngineKind, const CoreTiming&);

// Returns the law of a cost class on the vector, scalar and GpSimd engines; null for classes that these
// engines do not run.
LaneLaw lane_law(isa::CostClass cost);

// The function tables of the scalar engine before it runs fn: by the rule of isa (table_set_for) it keeps
// `loaded` or loads another set, which costs table_load for any set.
struct TableSwitch {
  unsigned loaded;  // afterwards
  base::Cycles cycles;
};
TableSwitch table_switch(isa::ActFn fn, unsigned loaded, base::Cycles tables);

// True if the tile's elements are contiguous in the order of iteration.
bool contiguous(const isa::Tile& tile, const isa::Shape& shape);

}  // namespace tahoma::model
