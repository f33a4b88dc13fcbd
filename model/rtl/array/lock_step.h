// SPDX-License-Identifier: Apache-2.0
// Runs the RTL and its law on the same inputs and compares in every cycle whether a moving row leaves, each
// of its sums bit for bit, and the ready signals. The first difference ends the run with both histories.
#pragma once

#include <deque>
#include <string>

#include "model/rtl/array/array_law.h"

namespace tahoma::rtl {

class LockStep {
 public:
  LockStep(ArrayGates& gates, std::string place);

  // Steps both by one cycle. Throws E-RTL-002 (a check failed).
  const ArrayOutputs& step(const ArrayInputs& inputs);

  std::uint64_t cycle() const { return law_.cycle(); }
  std::uint64_t rows_compared() const { return compared_; }

 private:
  void remember(const ArrayInputs& inputs, const ArrayOutputs& law, const ArrayOutputs& gates);
  std::string what_differs(const ArrayInputs& inputs, const ArrayOutputs& law, const ArrayOutputs& gates);
  [[noreturn]] void stop(const std::string& difference);

  ArrayGates& gates_;
  ArrayLaw law_;
  std::string place_;
  std::uint64_t compared_ = 0;
  unsigned shown_column_ = 0;  // of the histories
  struct Left {
    std::uint64_t row, cycle;
    std::vector<std::uint32_t> sums;
  };
  struct Entered {
    std::uint64_t row, cycle;
  };
  std::deque<Entered> entered_;
  std::deque<Left> by_law_, by_gates_;
  std::uint64_t rows_in_ = 0, left_by_law_ = 0, left_by_gates_ = 0;
};

}  // namespace tahoma::rtl
