// SPDX-License-Identifier: Apache-2.0
// A two-dimensional convolution with bias on one core, stride 1, without padding, as a sum of matrix
// products: for every tap of the filter, the weights [in, out] of that tap times the image shifted by the
// tap, all accumulated in PSUM over taps and tiles of input channels. Channels are multiples of the array's
// side, and a row of the output fits into a PSUM bank.
#pragma once

#include <cstdint>

#include "isa/core/program.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::workloads {

struct ConvolutionShape {
  std::uint64_t images = 1, in = 0, out = 0, height = 0, width = 0, filter = 0;
  isa::DType dtype = isa::DType::kFp16;  // of all tensors; sums are fp32
  std::uint64_t taps() const { return filter * filter; }
  std::uint64_t out_height() const { return height - filter + 1; }
  std::uint64_t out_width() const { return width - filter + 1; }
};

// How the weights, which HBM stores by output channel, become stationary operands with a row per input
// channel (weights.h).
enum class WeightPath : std::uint8_t { kResident, kReload, kDmaTranspose };

// Arguments by name: x [images * in, height * width], w [out, in * taps], bias [out, 1], y [images * out,
// pixels], and the additional ones that `path` needs: identity [side, side], scratch [in * out * taps / side,
// side]. The program ends with a wait on gpsimd for the last store.
isa::Program convolution_program(const model::MachineParams& machine, const ConvolutionShape& shape,
                                 WeightPath path);

}  // namespace tahoma::workloads
