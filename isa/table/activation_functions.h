// SPDX-License-Identifier: Apache-2.0
// The scalar engine's functions: what each computes, its error bound, where the silicon guarantees a result,
// and which sets of function tables contain it. The instruction reference prints this list; tests read the
// bounds from it.
//
// Silicon evaluates piece-wise polynomials whose errors AWS does not publish. Here every function is accurate
// to a few units in the last place over all of fp32, so errors beyond that come from the kernel itself.
// Outside the published range the silicon's result is unspecified; Tahoma's is mathematically correct unless
// the row says otherwise. A NaN gives the NaN 0x7fc00000, and so does an argument for which a function has no
// value. A limit of zero has the sign of the values that approach it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "isa/core/instruction.h"

namespace tahoma::isa {

// Published range of the argument, ends included; infinite where AWS states none.
struct ArgumentRange {
  double low, high;
  bool of_magnitude = false;  // of |x|
};

// |computed - exact| is at most `ulps` units in the last place of the exact fp32 result: 2^(e - 23) for an
// exact result in [2^e, 2^(e+1)), at least 2^-149. Infinity counts as 2^128. Near a zero of the function away
// from the origin, for x in [from, to], the error is at most `absolute` instead.
struct ErrorBound {
  double ulps;
  double absolute = 0, from = 1, to = -1;
};

struct ActFnRow {
  ActFn fn;
  ArgumentRange published;
  ErrorBound error;
  std::uint32_t table_sets;  // bit s: set s contains it, s in 1..kTableSets
  std::string_view formula;
  std::string_view doc;  // limits and details that the formula does not state; may be empty
};

std::span<const ActFnRow> activation_functions();  // in the order of ActFn
const ActFnRow& activation_function(ActFn fn);     // fn must be an enumerator

// Sets of function tables. The scalar engine holds one set at a time and reloads when a function is not in
// it. Sets 1..19 come from traced programs (hardware facts, section 2.4), in the order of that list; two of
// them also hold derivatives of sigmoid and tanh that the published function list lacks. copy, square, relu,
// abs and sign are in every set; prelu is assumed to be as well. gelu_apprx_sigmoid_dx is in no traced set
// and is assigned set 20 (assumed).
inline constexpr unsigned kTableSets = 20;
inline constexpr unsigned kNoTableSet = 0;

bool in_every_table_set(ActFn fn);

// Returns the set that the engine needs to run fn when it holds `loaded` (kNoTableSet: none yet): `loaded` if
// it contains fn, else the lowest-numbered set that does. This choice is assumed; how a compiler chooses
// among several sets is not published. A function in every set never causes a load.
unsigned table_set_for(ActFn fn, unsigned loaded);

}  // namespace tahoma::isa
