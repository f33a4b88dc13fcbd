// SPDX-License-Identifier: Apache-2.0
// The Python package writes a bundle for the workload `nki`: a folder with bundle.json, programs in binary
// form (isa/core/program.h) and the values of tensors as raw bytes, row-major and little-endian.
//
//   {"kernel": NAME,
//    "programs": [{"file": FILE, "core": N, "arguments": [number of a tensor, or {"core": N}, ...]}, ...],
//    "tensors": [{"name": NAME, "dtype": isa name, "shape": [...], "core": N, "file": FILE or null,
//                 "input": bool, "output": bool, "expect": FILE (fp32), "rtol": x, "atol": x}, ...]}
//
// A run keeps its bundle as one file, for repetitions in timing mode: the same document as CBOR, with the
// bytes of a program ("program") and of a tensor of integers ("values") in the place of the names of their
// files.
//
// Errors: UserError E-NKI-040 at the file, for what cannot be read or is not in this form.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/core/program.h"
#include "runtime/workload/array_work.h"

namespace tahoma::runtime::nki {

struct BundleTensor {
  std::string name;
  isa::DType dtype = isa::DType::kFp32;
  std::vector<std::uint64_t> shape;
  std::uint32_t core = 0;  // the core whose HBM stack holds it
  std::string file;        // "": no values, or they are in
  std::string values;      // their bytes
  bool input = false, output = false;
  std::string expect;  // "": not checked
  double rtol = 0, atol = 0;
};

struct BundleProgram {
  isa::Program program;
  std::uint32_t core = 0;
  struct Argument {
    bool is_core = false;  // a core number, else a tensor
    std::uint64_t number = 0;
  };
  std::vector<Argument> arguments;
};

struct Bundle {
  std::string kernel;
  std::vector<BundleProgram> programs;
  std::vector<BundleTensor> tensors;
};

Bundle read_bundle(const std::string& path);  // a folder, or the file of a kept bundle

// The file that keeps the bundle of a folder.
std::string kept_bundle(const std::string& folder);

// Adds the floating-point operations of the matmuls of a program: 2 for each multiply-accumulate, transposes
// left out. Loops count once.
void add_matmuls(ArrayWorks& works, const isa::Program& program);

}  // namespace tahoma::runtime::nki
