// SPDX-License-Identifier: Apache-2.0
// The scalar engine's functions by their mathematical definitions in long double, and a check of results
// against the error bounds that isa states.
#pragma once

#include <span>
#include <vector>

#include "isa/table/activation_functions.h"

namespace tahoma::test {

// fn(x) for a finite x; NaN where the function is undefined.
long double exact_activation(isa::ActFn fn, long double x, long double alpha = 0);

// Every function of isa, in the order of the table.
std::vector<isa::ActFn> all_activations();

// All finite fp16 numbers, widened.
std::vector<float> every_fp16();
// Finite fp32 numbers of both signs: every binade, including subnormal ones, the interval in which functions
// have not reached their limits, and the neighbours of numbers that a function may treat as a border or a
// multiple of pi.
std::vector<float> sampled_fp32();

// The result with the largest error relative to its bound: `share` is that ratio, at most 1 within the bound.
struct WorstError {
  double share = 0;
  float x = 0, got = 0;
  long double exact = 0;
};
// got[i] is the computed fn(in[i]).
WorstError worst_error(const isa::ActFnRow& row, std::span<const float> in, std::span<const float> got,
                       float alpha = 0);

}  // namespace tahoma::test
