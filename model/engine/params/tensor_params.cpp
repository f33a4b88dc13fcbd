// SPDX-License-Identifier: Apache-2.0
#include "model/engine/params/tensor_params.h"

#include "model/engine/params/param_ranges.h"

namespace tahoma::model {

using namespace base::literals;
using base::assumed, base::chosen, base::derived, base::documented, base::measured;

void TensorParams::declare(ParamTree& t) {
  t.add("model", model, BlockModel::kBehavioural, kBlockModels,
        "model of the array: the law alone, or in lock-step with the verilated array", chosen());
  t.add("clock", clock, 2400_MHz, kClockRange, "clock of the systolic array",
        documented("trainium2_arch.rst"));
  t.add("rows", rows, std::uint64_t{128}, kPartitionRange, "rows of the array: depth of one contraction pass",
        documented("trainium2_arch.rst"));
  t.add("columns", columns, std::uint64_t{128}, kPartitionRange,
        "columns of the array: output partitions of one pass", documented("trainium2_arch.rst"));
  t.add("moving_columns", moving_columns, std::uint64_t{512}, {1, 4096},
        "most moving columns of one matmul into fp32: one PSUM bank, on NeuronCore-v4 all of them; twice as "
        "many into bf16",
        documented("nki.isa nc_matmul: 512; on NeuronCore-v4 4096 of fp32, 8192 of bf16"));
  t.add("issue_overhead", issue_overhead, 6_cyc, kOverhead,
        "cycles a matmul occupies the array beyond its streaming rows",
        measured("issue interval N + 6 cycles: 134, 426, 2N + 6: 846, 262; trn2 device profiles"));
  t.add("misaligned_run", misaligned_run, 2_cyc, kOverhead,
        "cycles added for each contiguous run of 16-bit moving elements that starts at 2 mod 4",
        measured("30 runs of 14 take 60 cycles more, trn2 device profiles"));
  t.add("tile_pitch", tile_pitch, 6_cyc, kOverhead,
        "start of a matmul to the earliest start of one on another tile of the array",
        assumed("as issue_overhead, the cycles between two matmuls on one tile; unpublished"));
  t.add("pipeline_latency", pipeline_latency, 165.83_ns, kLatency,
        "last moving row streamed to result in PSUM",
        measured("398 cycles of 16-bit matmuls and of transposes, 396..398 of fp32, trn2 device profiles"));
  t.add("latency_side", latency_side, std::uint64_t{128}, kPartitionRange,
        "rows and columns of the array on which pipeline_latency and the throttle were measured; another "
        "array's skew replaces this one's, and more rows end the throttle by the work of these",
        measured("profiles of a trn2 core, whose array is 128x128: trainium2_arch.rst"));
  t.add("weight_load_latency", weight_load_latency, 82.5_ns, kLatency,
        "last weight column read to the end of the load",
        measured("196..198 cycles beyond the columns of loads in order, trn2 device profiles"));
  t.add("weight_to_matmul", weight_to_matmul, 30.83_ns, kLatency,
        "decoding of a weight load to the earliest start of the matmul behind it",
        measured("74 cycles behind every load that starts as soon as it is decoded, trn2 device profiles"));
  t.add("weight_exchange", weight_exchange, 4_cyc, kOverhead,
        "last weight column read to the first moving row that meets the weights",
        derived("matmuls that waited for weights end 206 cycles and their streaming after the load's end; "
                "less pipeline_latency, with weight_load_latency"));
  const base::Range<double> column{0.01, 64};
  t.add(
      "load_column", load_column, 0.25, column,
      "cycles per column of a weight load, elements below 32 bits in order",
      measured("fp16 in order: 128 columns in 95.0 ns, 81.7 of them latency; of 8 bits assumed: a row's port "
               "is 16 bits wide"));
  t.add("load_column_strided", load_column_strided, 1.0, column,
        "cycles per column of a weight load, elements below 32 bits with a stride",
        measured("fp16 18 bytes apart: 128 columns in 136.7 ns"));
  t.add("fp32_load_column", fp32_load_column, 2.0, column,
        "cycles per column of a weight load, fp32 in order",
        measured("fp32 in order: 128 columns in 189.2 ns"));
  t.add("wide_load_column", wide_load_column, 1.0, column,
        "cycles per column of a weight load, other 32-bit types in order",
        assumed("as fp32 that is transposed, measured: 128 columns in 137.5 ns"));
  t.add("wide_load_column_strided", wide_load_column_strided, 4.3, column,
        "cycles per column of a weight load, 32-bit types with a stride",
        measured("fp32 36 bytes apart: 128 columns in 311.7 ns; of other types assumed: the same access"));
  t.add("mx_load_column", mx_load_column, 0.5, column,
        "cycles per column of a weight load, quads of MXFP8 (NeuronCore-v4)",
        derived("four bytes a row and column, at the eight bytes a cycle of 16-bit elements in order: "
                "load_column"));
  t.add("background_transpose", background_transpose, false,
        "a transpose may stream through the array beside a matmul or another transpose",
        documented("only NeuronCore-v4 has it: trainium3_arch.rst"));
  t.add("back_to_back", back_to_back, 4_cyc, kOverhead,
        "start of a matmul to the earliest start of the instruction behind it",
        measured("1.67 ns, trn2 device profiles"));
  t.add("load_issue", load_issue, 10_cyc, kOverhead,
        "start of a weight load that has waited to the earliest start of the instruction behind it",
        measured("10 cycles behind loads of fp16, in four groups of columns, trn2 device profiles"));
  t.add("wide_load_issue", wide_load_issue, 6_cyc, kOverhead, "the same behind loads of 32-bit weights",
        measured("4..6 cycles behind loads of fp32, trn2 device profiles"));
  t.add("throttle", throttle, true, "half rate until a window has been busy enough",
        documented("overview-summary-page.rst; exact factor 2 measured"));
  t.add("throttle_window", throttle_window, 3413.33_ns, {1_ns, 1000_us},
        "free-running window that decides the throttle",
        derived("releases in one run are multiples of 4096 cycles at 1.2 GHz apart: 13,654 ns are 4, "
                "23,893 ns are 7"));
  t.add(
      "throttle_phase", throttle_phase, 1066.67_ns, kLatency,
      "start of the first throttle window before time zero",
      derived("free-running on silicon; 5/16 of a window gives the least mean error over the convolutions v1 "
              "and v3 of the device profiles, out of 16 phases"));
  t.add("throttle_share", throttle_share, std::uint64_t{43}, {0, 100},
        "percent of a window in which full-rate columns must stream so that the next runs at full rate",
        derived("windows of 35.5 % were followed by the throttle, one of 44.8 % was not; a release 6.27 us "
                "after continuous work began needs more than 41.8 %; at half rate the most is 50 %"));
  t.add("throttle_latency", throttle_latency, 40_ns, kLatency,
        "while throttled, the time by which the next matmul starts before the array is free",
        measured("trn2 device profiles, hardware/trainium2.md 2.2 to 2.9"));
}

}  // namespace tahoma::model
