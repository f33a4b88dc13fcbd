// SPDX-License-Identifier: Apache-2.0
// Several kernels in sequence in one program, on consecutive tensors in one block of HBM. They run without
// time in random order (tests/support/reference/interpreter.h). Unwritten elements are NaN, and so are the
// rows up to the next multiple of 16 after each tensor; nothing outside the block may change.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/builder/kernel.h"
#include "runtime/golden/golden.h"
#include "runtime/run/inputs.h"
#include "tests/support/program/small_gemm.h"
#include "tests/support/reference/interpreter.h"
#include "tests/support/reference/reference_gemm.h"

namespace tahoma::tests {

class LayerBench {
 public:
  explicit LayerBench(const model::MachineParams& machine)
      : machine(machine),
        kernel("layer", machine),
        memory_(kernel.argument("memory", isa::DType::kFp32, 1, 1)) {}

  runtime::HbmView tensor(isa::DType dtype, std::uint64_t rows, std::uint64_t columns) {
    const std::uint64_t at = bytes_.size(), padded = (rows + 15) / 16 * 16;
    bytes_.resize((at + padded * columns * isa::size_of(dtype) + 63) / 64 * 64, std::byte{0xff});
    return kernel.beside(memory_, static_cast<std::int64_t>(at), dtype, rows, columns);
  }
  // A tensor with values from the seed.
  runtime::HbmView input(isa::DType dtype, std::uint64_t rows, std::uint64_t columns, std::uint32_t seed) {
    const runtime::HbmView view = tensor(dtype, rows, columns);
    store_all(bytes_.data() + view.origin, random_values(rows * columns, dtype, seed), dtype);
    return view;
  }

  void run(std::uint32_t seed) {
    const auto program = valid(machine, kernel.finish());
    Interpreter interpreter(machine, seed);
    const std::uint64_t at = interpreter.allocate(bytes_.size());
    std::memcpy(interpreter.at(at), bytes_.data(), bytes_.size());
    interpreter.load(0, program, {at});
    interpreter.run();
    std::memcpy(bytes_.data(), interpreter.at(at), bytes_.size());
  }

  float at(const runtime::HbmView& view, std::uint64_t row, std::uint64_t column) const {
    return isa::load_as_fp32(bytes_.data() + place(view, row, column), view.dtype);
  }
  void set(const runtime::HbmView& view, std::uint64_t row, std::uint64_t column, float value) {
    isa::store_from_fp32(bytes_.data() + place(view, row, column), view.dtype, value);
  }
  // All values of a view, [rows, columns].
  std::vector<float> values(const runtime::HbmView& view) const {
    std::vector<float> all;
    for (std::uint64_t r = 0; r < view.rows; ++r)
      for (std::uint64_t c = 0; c < view.columns; ++c) all.push_back(at(view, r, c));
    return all;
  }

  model::MachineParams machine;
  runtime::Kernel kernel;

 private:
  static std::int64_t place(const runtime::HbmView& view, std::uint64_t row, std::uint64_t column) {
    const auto element = static_cast<std::int64_t>(row) * view.row_stride +
                         static_cast<std::int64_t>(column) * view.column_stride;
    return view.origin + static_cast<std::int64_t>(view.offset) +
           element * static_cast<std::int64_t>(isa::size_of(view.dtype));
  }

  runtime::HbmView memory_;
  std::vector<std::byte> bytes_;
};

// Columns of a token-major view as a tensor [heads, rows, d].
inline runtime::HostTensor heads_of(const LayerBench& bench, const runtime::HbmView& view, std::uint64_t d) {
  const std::uint64_t heads = view.columns / d;
  runtime::HostTensor tensor = runtime::make_tensor("heads", view.dtype, {heads, view.rows, d});
  std::vector<float> values;
  for (std::uint64_t h = 0; h < heads; ++h)
    for (std::uint64_t r = 0; r < view.rows; ++r)
      for (std::uint64_t c = 0; c < d; ++c) values.push_back(bench.at(view, r, h * d + c));
  store_all(tensor.values.data(), values, view.dtype);
  return tensor;
}

// A view as a tensor of these extents.
inline runtime::HostTensor as_tensor(const LayerBench& bench, const runtime::HbmView& view,
                                     std::vector<std::uint64_t> extents) {
  runtime::HostTensor tensor = runtime::make_tensor("t", view.dtype, std::move(extents));
  store_all(tensor.values.data(), bench.values(view), view.dtype);
  return tensor;
}
inline runtime::HostTensor as_tensor(const LayerBench& bench, const runtime::HbmView& view) {
  return as_tensor(bench, view, {view.rows, view.columns});
}

}  // namespace tahoma::tests
