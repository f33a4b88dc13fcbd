// SPDX-License-Identifier: Apache-2.0
#include "workloads/common/golden_activation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "isa/table/activation_functions.h"
#include "model/base/error.h"

namespace tahoma::workloads {

namespace {

double copy(double x) { return x; }
double relu(double x) { return std::isnan(x) ? x : std::max(x, 0.0); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
// x times a factor that approaches 0 at -infinity faster than x grows.
double gated(double x, double gate) { return gate == 0 ? 0 : x * gate; }
double silu(double x) { return gated(x, sigmoid(x)); }
double gelu(double x) { return gated(x, std::erfc(-x / std::numbers::sqrt2) / 2); }
double gelu_tanh(double x) {
  const double root = std::sqrt(2 / std::numbers::pi);
  return gated(x, sigmoid(2 * root * (x + 0.044715 * x * x * x)));  // (1 + tanh(z)) / 2
}
double gelu_sigmoid(double x) { return gated(x, sigmoid(1.702 * x)); }
double hyperbolic_tangent(double x) { return std::tanh(x); }

// Slopes: the largest of x Phi(x) is 1.1290 (at sqrt(2)), of its tanh form 1.1293, of x sigmoid(x) and so of
// x sigmoid(1.702 x) 1.0999, of sigmoid a quarter at 0.
constexpr GoldenActivation kActivations[] = {{isa::ActFn::kCopy, copy, 1},
                                             {isa::ActFn::kRelu, relu, 1},
                                             {isa::ActFn::kGelu, gelu, 1.13},
                                             {isa::ActFn::kGeluTanh, gelu_tanh, 1.13},
                                             {isa::ActFn::kGeluSigmoid, gelu_sigmoid, 1.1},
                                             {isa::ActFn::kSilu, silu, 1.1},
                                             {isa::ActFn::kSigmoid, sigmoid, 0.25},
                                             {isa::ActFn::kTanh, hyperbolic_tangent, 1}};

}  // namespace

const GoldenActivation& golden_activation(isa::ActFn fn) {
  const auto* row = std::find_if(std::begin(kActivations), std::end(kActivations),
                                 [&](const GoldenActivation& a) { return a.fn == fn; });
  TAHOMA_INVARIANT(row != std::end(kActivations), "the activation function has no golden definition");
  return *row;
}

Approximate added(const Approximate& x, double term) {
  const double sum = x.value + term;
  return {sum, x.slack + (std::fabs(sum) + x.slack) * 0x1p-24};
}

Approximate activated(const Approximate& x, const GoldenActivation& by) {
  if (by.fn == isa::ActFn::kCopy) return x;
  const double value = by.value(x.value), ulps = isa::activation_function(by.fn).error.ulps;
  const double slack = by.slope * x.slack;
  return {value, slack + ulps * std::max((std::fabs(value) + slack) * 0x1p-23, 0x1p-149)};
}

}  // namespace tahoma::workloads
