// SPDX-License-Identifier: Apache-2.0
// Compares checkpoints with those of a reference and finds the first that differs: in simulated time of the
// examined run, then by instance (core, queue, instruction).
//
// An element differs when |got - expected| > absolute + relative * |expected|. Unless the user sets a
// tolerance, relative is twice the unit roundoff u of the checkpoint's dtype (2^-24 for fp32, 2^-8 for bf16,
// 0 for integers), because both sides may be rounded once, and absolute is 2 u times the root mean square of
// the finite expected elements, to allow for cancellation. A NaN equals a NaN, an infinity only itself.
// Expected values are used as stored in the file, in float64.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/checkpoint/checkpoint.h"
#include "report/checkpoint/dumps.h"

namespace tahoma::runtime {

struct DumpTolerance {
  std::optional<double> relative, absolute;  // unset: from the dtype
};

// UserError E-CKP-008: a value that is negative or not finite, or any value without `needs`, the option or
// options that compare dumps; `compares`: they are given.
void check_tolerance(const DumpTolerance& tolerance, bool compares, const char* needs);

class DumpComparison {
 public:
  DumpComparison(Dumps reference, const DumpTolerance& tolerance);

  const Dumps& reference() const { return reference_; }
  // `expected` says that the reference must contain it.
  void add(const Checkpoint& got, bool expected);
  void finish();  // reports checkpoints that were not added as missing

  bool equal() const { return different_ == 0; }
  // One line if all are equal; otherwise the first difference and the number of the others.
  std::string text() const;
  std::string json() const;

 private:
  struct Difference {
    Checkpoint where;  // without values
    std::string what;
  };
  void differ(const Checkpoint& where, const std::string& what);

  Dumps reference_;
  DumpTolerance tolerance_;
  std::unordered_map<std::string, bool> seen_;  // by name in the reference
  std::optional<Difference> first_;
  std::vector<std::string> missing_;
  std::uint64_t compared_ = 0, different_ = 0, beside_ = 0;
};

// Compares two finished folders.
DumpComparison compare_dumps(const std::string& reference, const std::string& got,
                             const DumpTolerance& tolerance);

}  // namespace tahoma::runtime
