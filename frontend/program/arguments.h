// SPDX-License-Identifier: Apache-2.0
// Parses `workload.tensors`, which has one entry per argument of a program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/core/dtype.h"
#include "model/base/params.h"

namespace tahoma::workloads {

struct ArgumentSpec {
  enum class Kind : std::uint8_t { kTensor, kCore, kNextCore, kNextTensor, kPeerTensor };
  std::string name;
  Kind kind = Kind::kTensor;
  isa::DType dtype = isa::DType::kFp32;
  std::vector<std::uint64_t> shape;
  std::string fill;    // "seed", "zero" or the path of a .npy file
  std::string expect;  // path of a .npy file, or empty
  double within = 0;   // largest error of an element relative to the expected one; 0: the same bits
  std::string target;  // kNextTensor, kPeerTensor: the tensor's name
};

// Throws UserError E-RUN-060 at the entry for a wrong form, dtype or shape, or a duplicate name.
std::vector<ArgumentSpec> parse_arguments(const std::string& text);

// `text` with the path of each file mapped.
std::string map_argument_paths(const std::string& text, const base::PathMap& map);

// The specs in the order of `names`, a program's arguments. Throws UserError E-RUN-061 for an argument
// without an entry, an entry without an argument, or a `next` or `peer` that names no tensor; the error
// suggests the nearest name.
std::vector<ArgumentSpec> match_arguments(const std::vector<ArgumentSpec>& specs,
                                          const std::vector<std::string>& names);

}  // namespace tahoma::workloads
