// SPDX-License-Identifier: Apache-2.0
// The golden check. References are strangers to the machine: Eigen computes them from the mathematical
// definition, on inputs as the machine got them (already rounded to their dtype), and shares no code with
// isa's arithmetic.
//
// The rule. A machine that sums in fp32 makes one rounding per multiply-accumulate; roundings are taken as
// independent and evenly spread over +-half a unit in the last place. Then n of them on sums no larger than R
// deviate by more than
//     slack = 6 * 2^-24 * sqrt(n / 3) * R
// with a probability below 3e-8 (Hoeffding's inequality). An element passes when it is a value to which the
// result may round: round(want - slack) <= got <= round(want + slack), rounding to the output's dtype. So a
// 16-bit output has no room beyond its own last place, and no absolute or relative epsilon is tuned by hand.
//
//  - GEMM: n = K for inputs of 8 and 16 bits and tf32, whose products are exact in fp32, and 2 K for fp32. R
//  is the range of
//    the running sums of the element's own products, which bounds every partial sum of consecutive products
//    whatever the blocking; it comes from the exact element in double. Cores that share K add their parts in
//    an order of their own: one addition each, on sums of some of the parts, whose mean square is below R^2
//    where the order does not follow the values (a random walk's range has 2.8 times its end's). Going over
//    every element that way would take minutes, so a first look compares with Eigen's product (float for
//    16-bit outputs, double for fp32) within slack / 6 for R estimated as |want| + |a|_4 |b|_4, |x|_4 being
//    the 4-norm of the row or column; only what is outside is examined exactly.
//  - Attention: the reference is double throughout. Rounding of the probabilities to the inputs' dtype gives
//    6 u sqrt(sum p_j^2 v_j^2 / 3), and as much as 6 u sqrt(sum p_j^2 / 3) of the result where their sum,
//    which divides it, is that of the rounded ones; errors that all probabilities of a row may share (scores,
//    exponential, sums) are counted in full, as a multiple of sum p_j |v_j|. The logarithm of a row's sum
//    errs by the relative errors of the sum and by two roundings of its own.
//
//  - Attention backward: the reference is double throughout, from LSE and D as the machine got them.
//    workloads/attention/backward/golden_attention_backward.cpp says which errors P and dS have; dV adds up P with one rounding to
//    the dtype, dQ and dK dS with two.
//
//  - Convolution: n = channels * taps + 1, or twice that for fp32. The order in which a machine goes through
//    channels and taps is its own affair; partial sums of an order that does not follow the values stay with
//    the same probability within six times the root of the summed squares of the products about their share
//    of the result, so R = |want| + 6 |products|. The reference is Eigen's double product of the weights and
//    the unfolded image.
//
//  - RMS norm: the reference is double; the machine's relative error is half that of the sum of squares plus
//  the
//    handful of roundings and the 2 ulp of its rsqrt.
//
//  - MLP: each hidden element has the errors of its sums, through the steepest slope of the activation, and
//  six deviations of its own rounding; these are independent from element to element, so that of y they make
//  up |error of h|_4 |w|_4, beside the errors of y's own sum, whose R is |want| + 6 |h|_4 |w|_4. The units in
//  the last place of the activation and the product may be shared by all elements and are counted in full.
//
//  - Sum of two tensors: one rounding to the output's dtype, of 16-bit outputs behind one to fp32.
//
//  - Reduction of several ranks' vectors: Eigen's sum, minimum or maximum in double. Minimum and maximum are
//    exact. So is a sum whose contributions are integers of which even the magnitudes add up to no more than
//    the dtype holds exactly: no order rounds it, and it must be met to the bit. Any other sum is rounded to
//    the dtype h times on its way and to fp32 once for each contribution; partial sums of an order that does
//    not follow the values stay within R = |want| + 6 |x| of 0, |x| being the root of the summed squares, so
//    slack = 6 (u sqrt(h / 3) + 2^-24 sqrt(n / 3)) R with the dtype's u.
//
// A NaN must be a NaN and an infinity an infinity; where an fp32 running sum may overflow, either passes.
// max_rel_error is relative to |want| plus the scale of the element's sum (|a|_4 |b|_4, or sum p_j |v_j|),
// because the relative error of a sum that cancels to nothing says nothing. Both errors are rounded to six
// digits: they do not depend on the host's blocking.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "isa/core/instruction.h"
#include "runtime/run/core_name.h"
#include "runtime/run/inputs.h"
#include "runtime/run/workload.h"

namespace tahoma::runtime {

// Who made element (row, column) of the output, for the mismatch text: "core 17 (server0.chip02.core1)".
using MadeBy = std::function<std::string(std::uint64_t row, std::uint64_t column)>;

// What stands behind a product: activation(sum + bias) + residual, each step rounded to fp32. The slack of
// the sum grows by half a unit in the last place for each addition, by the activation's steepest slope, and
// by the units in the last place that its row of isa/table/activation_functions.h allows.
struct ProductEpilogue {
  const HostTensor* row_bias = nullptr;     // [m, 1]
  const HostTensor* column_bias = nullptr;  // [1, n]
  isa::ActFn activation = isa::ActFn::kCopy;
  const HostTensor* residual = nullptr;  // [m, n]
  bool empty() const {
    return row_bias == nullptr && column_bias == nullptr && activation == isa::ActFn::kCopy &&
           residual == nullptr;
  }
};

// c = a b with a [m,k], b [k,n], c [m,n] as HostTensor matrices, and what stands behind it. `products` are
// those that the machine adds up for an element where it is told to leave zeros of a out; 0: all k. The check
// uses up to two host threads and, beside its arguments, some 200 MiB. 2 m n k floating-point operations of
// Eigen's float or double product.
GoldenResult check_gemm(const HostTensor& a, const HostTensor& b, const HostTensor& c, const MadeBy& made_by,
                        const ProductEpilogue& epilogue = {}, std::uint64_t products = 0);

// Causal: query i sees the keys j <= i + kv_len - q_len, with a window only the last `window` of them.
struct AttentionMask {
  bool causal = false;
  std::uint64_t window = 0;  // 0: all
};
// o[h] = softmax(scale q[h] k[g]^T + mask) v[g] with q, o [heads,q_len,d], k, v [kv_heads,kv_len,d] and
// g = h kv_heads / heads. Row and column of `made_by` are those of o seen as a matrix: h * q_len + i, d.
GoldenResult check_attention(const HostTensor& q, const HostTensor& k, const HostTensor& v,
                             const HostTensor& o, double scale, const AttentionMask& mask,
                             const MadeBy& made_by);
// lse[h, i] = log of the sum of exp(scale q[h, i] k[g, j]) over the keys j that it sees, in fp32.
GoldenResult check_attention_lse(const HostTensor& q, const HostTensor& k, const HostTensor& lse,
                                 double scale, const AttentionMask& mask, const MadeBy& made_by);

// What a forward pass leaves for the backward one, by its definition: LSE as above and delta[h, i] = the sum
// of d_o o over row (h, i); both [heads, q_len] of fp32.
struct AttentionSaved {
  HostTensor lse, delta;
};
AttentionSaved attention_saved(const HostTensor& q, const HostTensor& k, const HostTensor& v,
                               const HostTensor& d_o, double scale, const AttentionMask& mask);

// The backward pass: with S = scale q k^T + mask, P = exp(S - lse), dP = d_o v^T and dS = P o (dP - delta),
//   dq = scale dS k     dk = scale dS^T q     dv = P^T d_o,
// the last two summed over the heads that share a key head. Shapes as above; lse, delta [heads, q_len].
struct AttentionGradients {
  const HostTensor &q, &k, &v, &d_o, &lse, &delta, &dq, &dk, &dv;
};
GoldenResult check_attention_backward(const AttentionGradients& tensors, double scale,
                                      const AttentionMask& mask,
                                      const std::function<MadeBy(const std::string& output)>& maker);

// y[i, o, r, c] = f(bias[o] + sum over channels k and taps (s, t) of w[o, k, s, t] x[i, k, r * stride + s -
// padding, c * stride + t - padding]) with x = 0 outside its image and f nothing or max(., 0); x [images, in,
// height, width], w [out, in, filter, filter], bias [out] and y [images, out, (height + 2 padding - filter) /
// stride + 1, the same of width]. Row and column of `made_by` are those of y seen as a matrix.
struct ConvolutionGeometry {
  std::uint64_t stride = 1, padding = 0;
  bool relu = false;
};
GoldenResult check_convolution(const HostTensor& x, const HostTensor& w, const HostTensor& bias,
                               const HostTensor& y, const MadeBy& made_by,
                               const ConvolutionGeometry& geometry = {});

// One row of an output by its definition, in double, and how far from it the machine's result may lie before
// it is rounded to the output's dtype. `scale`, where not empty: what an element's relative error is measured
// against beside |want|, as the size of the terms of a sum that may cancel.
struct WantedRow {
  std::vector<double> want, slack, scale;
};
// Every row of `got` seen as a matrix beside its definition. `tolerance` is the relative epsilon that is
// reported, `rule` says in one line how the slack follows from dtype and reduction length. `definition` is
// asked again for rows with large errors.
GoldenResult check_rows(const HostTensor& got, const std::function<WantedRow(std::uint64_t row)>& definition,
                        double tolerance, const std::string& rule, const MadeBy& made_by);

// y[r] = x[r] / sqrt(mean(x[r]^2) + epsilon) * g with x, y [rows, columns] and g [1, columns].
GoldenResult check_rms_norm(const HostTensor& x, const HostTensor& g, const HostTensor& y, double epsilon,
                            const MadeBy& made_by);

// y = h down + down_bias with h = activation(x gate) * (x up), or activation(x up + up_bias) without a gate:
// x, y [tokens, features], gate, up [features, hidden], down [hidden, features], biases fp32 with one column.
struct MlpTensors {
  const HostTensor& x;
  const HostTensor* gate;  // null: none, as the biases
  const HostTensor &up, &down;
  const HostTensor *up_bias, *down_bias;
};
GoldenResult check_mlp(const MlpTensors& tensors, isa::ActFn activation, const HostTensor& y,
                       const MadeBy& made_by);

// y = a + b, all three of one shape and dtype.
GoldenResult check_sum(const HostTensor& a, const HostTensor& b, const HostTensor& y, const MadeBy& made_by);

// Every row of `got` [copies, n] is the element-wise reduction of the inputs, [1, n] each, of which the
// machine rounded to the dtype at most `roundings` times.
enum class Reduction : std::uint8_t { kSum, kMin, kMax };
GoldenResult check_reduction(const std::vector<HostTensor>& inputs, Reduction reduction,
                             const HostTensor& got, std::uint32_t roundings, const MadeBy& made_by);

// `got` is `want`, bit by bit.
GoldenResult check_moved(const HostTensor& want, const HostTensor& got, const MadeBy& made_by);

}  // namespace tahoma::runtime
