// SPDX-License-Identifier: Apache-2.0
// Tensors on the host: generated or read inputs, and results gathered for the golden check.
//
// Generated values are a pure function of (seed, tensor number, element index), so they do not depend on how
// a tensor is cut over cores, nor on the host: a 64-bit counter is mixed with the splitmix64 finalizer, its
// upper 24 bits become a multiple of 2^-23 in [-1, 1), and that is rounded once to the dtype (to nearest,
// ties to even; 1 can appear so). Integer tensors thus hold -1, 0 and 1, unsigned ones 0 and 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/core/dtype.h"

namespace tahoma::runtime {

// A dense row-major tensor in host memory. Seen as a matrix it has shape.back() columns and all the rest as
// rows.
struct HostTensor {
  std::string name;
  isa::DType dtype = isa::DType::kFp32;
  std::vector<std::uint64_t> shape;
  std::vector<std::byte> values;

  std::uint64_t elements() const;
  std::uint64_t rows() const;
  std::uint64_t columns() const;
  float at(std::uint64_t row, std::uint64_t column) const;  // widened to fp32
};

// All zero.
HostTensor make_tensor(const std::string& name, isa::DType dtype, std::vector<std::uint64_t> shape);

// The unrounded value of one element.
float generated_value(std::uint64_t seed, std::uint64_t tensor, std::uint64_t index);

// `tensor` tells the inputs of one workload apart: 0, 1, 2, ...
HostTensor generate_input(const std::string& name, isa::DType dtype, std::vector<std::uint64_t> shape,
                          std::uint64_t seed, std::uint64_t tensor);

// From a .npy file of exactly this shape, or FILE.safetensors#TENSOR; runtime/host/npy_dtype.h and
// runtime/host/safetensors.h say which element types are accepted. Throws UserError at the file: E-NPY-010 wrong
// dtype, E-NPY-011 wrong shape, and what read_npy throws for the file itself; E-STF-001 to 006.
HostTensor load_input(const std::string& path, const std::string& name, isa::DType dtype,
                      std::vector<std::uint64_t> shape);

// load_input when `path` is set, generate_input when it is empty.
HostTensor input(const std::string& path, const std::string& name, isa::DType dtype,
                 std::vector<std::uint64_t> shape, std::uint64_t seed, std::uint64_t tensor);

// A window of the tensor seen as a matrix. It must lie inside (invariant).
struct Window {
  std::uint64_t row = 0, column = 0, rows = 0, columns = 0;
};
// `dst`: dense rows x columns in the tensor's dtype.
void copy_window(const HostTensor& tensor, const Window& window, std::byte* dst);
// `dst`: dense columns x rows.
void copy_window_transposed(const HostTensor& tensor, const Window& window, std::byte* dst);
// `dst`: dense rows x columns of fp32.
void widen_window(const HostTensor& tensor, const Window& window, float* dst);
// `src`: dense rows x columns in the tensor's dtype, written into the tensor.
void paste_window(HostTensor& tensor, const Window& window, const std::byte* src);

}  // namespace tahoma::runtime
