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
//
// The other rule is that of Mamba-2 (Dao and Gu 2024), whose B are keys and whose C are queries:
//
//   S = exp(g) S + k (b v);  o = q S + skip v
//
// q and k are as the convolution, which has a bias, leaves them. b = softplus(a' + shift), within limits if
// there are any, and g = rate b; there is no b'. The output is norm(o silu(z)) gain, with the norm over all
// heads of values that share a head of keys, and a gain for each feature of a value.
#pragma once

#include <cstdint>

#include "model/base/param_choice.h"
#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

enum class StateRule : std::uint8_t { kDelta, kScan };
inline constexpr base::Named<StateRule> kStateRules[] = {{StateRule::kDelta, "delta"},
                                                         {StateRule::kScan, "mamba2"}};

inline constexpr std::uint64_t kMostKeyPart = 128;

struct DeltaHeads {
  std::uint64_t key_heads = 0, value_heads = 0, key_dim = 0, value_dim = 0, taps = 4;
  StateRule rule{};
  bool tap_bias = false;                 // of the convolution
  double least_rate = 0, most_rate = 0;  // limits of b with Mamba-2; 0: none
  bool split =
      false;  // other cores have heads that share these keys: with Mamba-2, outputs lack norm and gain

  bool scans() const { return rule == StateRule::kScan; }
  std::uint64_t keys() const { return key_heads * key_dim; }
  // The array holds a key, or each of two equal parts of it.
  std::uint64_t key_parts() const { return key_dim > kMostKeyPart ? 2 : 1; }
  std::uint64_t key_part() const { return key_dim / key_parts(); }
  std::uint64_t values() const { return value_heads * value_dim; }
  std::uint64_t channels() const { return 2 * keys() + values(); }  // of the convolution
  std::uint64_t numbers() const { return (scans() ? 1 : 2) * value_heads; }
  std::uint64_t columns() const { return channels() + values() + numbers(); }
  std::uint64_t sharing() const { return value_heads / key_heads; }
  std::uint64_t group_values() const { return sharing() * value_dim; }  // that share a head of keys
  std::uint64_t gains() const { return scans() ? values() : value_dim; }
  std::uint64_t normed() const { return scans() ? group_values() : value_dim; }  // features of a norm
  // States of a sequence as a matrix. Those of Mamba-2 that share a head of keys are side by side.
  std::uint64_t state_rows() const { return (scans() ? key_heads : value_heads) * key_dim; }
  std::uint64_t state_columns() const { return scans() ? group_values() : value_dim; }
};

struct DeltaViews {
  runtime::HbmView in;           // [rows, columns] of bf16: queries, keys, values, z, b' if any, a'
  runtime::HbmView mixed;        // [rows, channels] of bf16, behind the convolution
  runtime::HbmView out;          // [rows, values] of bf16
  runtime::HbmView taps;         // [taps, channels] of fp32, the oldest token first; then the bias, if any
  runtime::HbmView rate, shift;  // [1, value_heads] of fp32
  runtime::HbmView skip;         // likewise, with Mamba-2
  runtime::HbmView gain;         // [1, gains] of fp32
  runtime::HbmView states;       // [sequences state_rows, state_columns] of fp32
  runtime::HbmView past;  // decode: [(taps - 1) sequences, channels] of bf16, the oldest token of all first
};

inline unsigned narrow(std::uint64_t n) { return static_cast<unsigned>(n); }

inline constexpr float kKeyEpsilon = 1e-6F;  // added to the square of the length of a query or key

}  // namespace tahoma::workloads
