// SPDX-License-Identifier: Apache-2.0
// The scalar engine's functions by their mathematical definitions in long double, and the judge of results
// against the error bounds that isa states.
#pragma once

#include <span>
#include <vector>

#include "isa/table/activation_functions.h"

namespace tahoma::test {

// fn(x) for a finite x; NaN where it has no value.
long double exact_activation(isa::ActFn fn, long double x, long double alpha = 0);

// Every function of isa, in order.
std::vector<isa::ActFn> all_activations();

// All finite fp16 numbers, widened.
std::vector<float> every_fp16();
// Finite fp32 numbers of both signs: every binade, subnormal ones included, the interval in which functions
// are not yet at their limits, and the neighbours of what a function may treat as a border or a multiple of
// pi.
std::vector<float> sampled_fp32();

// The result that uses most of its allowance: `share` of it, so that at most 1 is within the bound.
struct WorstError {
  double share = 0;
  float x = 0, got = 0;
  long double exact = 0;
};
// got[i] is the computed fn(in[i]).
WorstError worst_error(const isa::ActFnRow& row, std::span<const float> in, std::span<const float> got,
                       float alpha = 0);

}  // namespace tahoma::test
