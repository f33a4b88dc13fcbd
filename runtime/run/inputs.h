// SPDX-License-Identifier: Apache-2.0
// Tensors on the host: generated or loaded inputs, and results gathered for the golden check.
//
// Generated values are a pure function of (seed, name of the tensor, element index). They depend neither on
// the other tensors of a case, nor on how a tensor is partitioned over cores, nor on the host: splitmix64
// (isa/core/mixing.h) gives 64 bits, the upper 24 of which become a multiple of 2^-23 in [-1, 1), and this
// value is rounded once to the dtype (to nearest, ties to even; the result may be 1). Integer tensors
// therefore contain -1, 0 and 1, unsigned ones 0 and 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/core/dtype.h"

namespace tahoma::runtime {

// A dense row-major tensor in host memory. As a matrix it has shape.back() columns; the other
// dimensions form the rows.
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

// Returns a tensor of zeros.
HostTensor make_tensor(const std::string& name, isa::DType dtype, std::vector<std::uint64_t> shape);

// The generated values of one tensor before they are rounded.
class GeneratedValues {
 public:
  GeneratedValues(std::uint64_t seed, std::string_view name);
  float operator[](std::uint64_t index) const;

 private:
  std::uint64_t key_;
};

HostTensor generate_input(const std::string& name, isa::DType dtype, std::vector<std::uint64_t> shape,
                          std::uint64_t seed);

// Loads a .npy file of exactly this shape, or FILE.safetensors#TENSOR; runtime/host/npy_dtype.h and
// runtime/host/safetensors.h list the accepted element types. Throws UserError at the file: E-NPY-010 wrong
// dtype, E-NPY-011 wrong shape, the errors of read_npy, and E-STF-001 to 006.
HostTensor load_input(const std::string& path, const std::string& name, isa::DType dtype,
                      std::vector<std::uint64_t> shape);

// load_input() and note_file() record this about the files of this process, which executes one run.
struct FileValues {
  std::uint64_t not_finite = 0;  // NaN and infinite values of the files
  // Names values that are finite there, but not in the tensor's dtype: "256 of 4096 values of a.npy, ...";
  // "": none.
  std::string beyond_range;
};
FileValues values_of_files();
// Values of a file that is read by other means.
void note_file(std::span<const std::byte> values, isa::DType dtype);

// load_input if `path` is set, generate_input if it is empty.
HostTensor input(const std::string& path, const std::string& name, isa::DType dtype,
                 std::vector<std::uint64_t> shape, std::uint64_t seed);

// A window of the tensor as a matrix. It must be inside the tensor (invariant). The functions below do
// nothing for a window without columns, whose pointer may be null.
struct Window {
  std::uint64_t row = 0, column = 0, rows = 0, columns = 0;
};
// `dst` has dense rows x columns in the tensor's dtype.
void copy_window(const HostTensor& tensor, const Window& window, std::byte* dst);
// `dst` has dense columns x rows.
void copy_window_transposed(const HostTensor& tensor, const Window& window, std::byte* dst);
// `dst` has dense rows x columns of fp32.
void widen_window(const HostTensor& tensor, const Window& window, float* dst);
// `src` has dense rows x columns in the tensor's dtype, which are written into the tensor.
void paste_window(HostTensor& tensor, const Window& window, const std::byte* src);

}  // namespace tahoma::runtime
