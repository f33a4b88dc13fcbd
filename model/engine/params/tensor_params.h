// SPDX-License-Identifier: Apache-2.0
// Parameters of the systolic array and its queue. The array's own law (rows, columns, passes) is separate
// from the constants of the core around it (issue overhead, pipeline latency), which were measured at
// 128x128.
#pragma once

#include "model/base/params.h"
#include "model/base/waves_window.h"
#include "model/engine/params/block_params.h"

namespace tahoma::model {

using base::Bandwidth, base::Bytes, base::Cycles, base::Duration, base::Frequency, base::ParamTree;

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
  double mx_load_column;               // of quads of MXFP8
  bool background_transpose;           // a transpose streams beside a matmul or another transpose
  Cycles back_to_back;                 // matmul start -> next instruction may start beside it
  Cycles load_issue, wide_load_issue;  // load_weights start -> next instruction; of 32-bit weights
  bool throttle;                       // half rate until a window has been busy enough
  Duration throttle_window, throttle_phase;
  std::uint64_t throttle_share;  // per cent of a window's cycles that ends the throttle
  Duration throttle_latency;     // matmul start, ahead of the array's end of the matmul before it
  void declare(ParamTree& t);
};

}  // namespace tahoma::model
