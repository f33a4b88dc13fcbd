// SPDX-License-Identifier: Apache-2.0
// The heads of a layer with a gated delta rule (Yang et al. 2024), on one core. Head h keeps a state S
// [key_dim, value_dim] of a sequence. A token with the query q, the key k, the value v, the decay g <= 0 and
// the rate b changes it and reads it:
//
//   S = exp(g) S;  S = S + k (b (v - k S));  o = q S
//
// q, k and v are silu of a convolution over the last `taps` tokens, each feature by itself; q and k have the
// length 1, and q is divided by sqrt(key_dim). b = sigmoid(b'), g = rate softplus(a' + shift), with numbers
// b' and a' of each token and head. The output is norm(o) gain silu(z). Neighbouring heads of values share a
// head of queries and keys.
#pragma once

#include <cstdint>

#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

struct DeltaHeads {
  std::uint64_t key_heads = 0, value_heads = 0, key_dim = 0, value_dim = 0, taps = 4;

  std::uint64_t keys() const { return key_heads * key_dim; }
  std::uint64_t values() const { return value_heads * value_dim; }
  std::uint64_t channels() const { return 2 * keys() + values(); }  // of the convolution
  std::uint64_t columns() const { return channels() + values() + 2 * value_heads; }
  std::uint64_t sharing() const { return value_heads / key_heads; }
};

struct DeltaViews {
  runtime::HbmView in;           // [rows, columns] of bf16: queries, keys, values, z, b', a'
  runtime::HbmView mixed;        // [rows, channels] of bf16, behind the convolution
  runtime::HbmView out;          // [rows, values] of bf16
  runtime::HbmView taps;         // [taps, channels] of fp32, the oldest token first
  runtime::HbmView rate, shift;  // [1, value_heads] of fp32
  runtime::HbmView gain;         // [1, value_dim] of fp32
  runtime::HbmView states;       // [sequences value_heads key_dim, value_dim] of fp32
  runtime::HbmView past;  // decode: [(taps - 1) sequences, channels] of bf16, the oldest token of all first
};

inline unsigned narrow(std::uint64_t n) { return static_cast<unsigned>(n); }

inline constexpr float kKeyEpsilon = 1e-6F;  // added to the square of the length of a query or key

}  // namespace tahoma::workloads
