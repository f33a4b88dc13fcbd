// SPDX-License-Identifier: Apache-2.0
// Runs assembler programs on a machine of two chips with the checks on, in a separate process (SystemC
// elaborates once), and returns the findings.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/system/system.h"

namespace tahoma::tests {

struct CoreText {
  std::uint32_t core = 0;  // 0..7 on chip 0, 8..15 on chip 1
  std::string text;        // streams only; the arguments are listed below
};

struct CheckedRun {
  model::check::Options checks{true, true};
  model::Mode mode = model::Mode::kTiming;
  bool run_ahead = true;
  std::string inputs = "abcdefghABCDEFGH";  // tensors that the host has written
  // Tensors whose first 2 MiB have the value of `a` in functional mode; each of the others has one of its
  // own.
  std::string equal = "abcdefghABCDEFGH";
};

// Arguments of every program: a..h are tensors of 16 MiB on chip 0, A..H on chip 1, core0 .. core15 are core
// numbers. In the text, T0..T3 are tiles of 128 x 512 fp32 in SBUF, P0 and P1 in PSUM, W a matrix of 128 x
// 128 bf16 and M one of 128 x 512. A run that fails yields one line that begins with "failed". Transfers that
// write the same values follow the findings, as lines that begin with "redundant".
std::vector<std::string> checked_run(const std::vector<CoreText>& programs, const CheckedRun& how = {});

// Replaces {wrong|right} and {right} in the text by either alternative.
std::string planted(std::string text, bool right);

}  // namespace tahoma::tests
