// SPDX-License-Identifier: Apache-2.0
// The table of the rotary embedding: cos of a token's angles, then sin. The angle of pair i of features at
// position p is p f_i with f_i = theta^(-2 i / head_dim), or a scaled f_i (RotaryAngles in
// transformer_params.h). The scaling `llama3` is that of Llama 3.1's published model code: with s =
// (original_context / wavelength - low_frequency_factor) / (high_frequency_factor - low_frequency_factor),
// clamped to 0..1, f_i becomes (1 - s) f_i / factor + s f_i.
#pragma once

#include "runtime/run/inputs.h"
#include "workloads/transformer/partition/transformer_params.h"

namespace tahoma::workloads {

// Radians a token of pair `i` of a head's features, i < half of the rotated features; of layers with the
// local angles if there are any.
double rotary_frequency(const ModelShape& model, std::uint64_t i, bool local = false);

// [rows, head_dim], row r for position first + r step.
runtime::HostTensor rope_table(const ModelShape& model, std::uint64_t first, std::uint64_t step,
                               std::uint64_t rows, bool local = false);

}  // namespace tahoma::workloads
