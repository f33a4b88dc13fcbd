// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/operators/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

namespace tahoma::workloads::graph {

namespace {

using isa::ActFn, isa::AluOp;
using Code = TileCode;
using In = std::vector<TileOperand>;
using View = NodeView;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr auto number = [](double value) { return TileOperand::of(value); };

template <AluOp op>
TileOperand fold(Code& c, const In& in, const double*) {
  TileOperand all = in[0];
  for (std::size_t i = 1; i < in.size(); ++i) all = c.apply(op, all, in[i]);
  return all;
}
template <ActFn fn>
TileOperand one(Code& c, const In& in, const double*) {
  return c.activation(fn, in[0]);
}
template <class Comparison>
double compared(const double* x, std::size_t, const double*) {
  return Comparison()(x[0], x[1]) ? 1 : 0;
}
double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double gelu(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }
double clamp(double x, double low, double high) { return std::min(std::max(x, low), high); }

std::vector<double> alpha_of(const View& n, double otherwise) { return {n.number("alpha", otherwise)}; }

// exp(x) - 1 below zero, scaled: Elu, Selu, Celu.
TileOperand exponential_unit(Code& c, TileOperand x, double gain, double alpha, double width) {
  const TileOperand below = c.activation(ActFn::kExp, c.minimum(x, number(0)), 1 / width);
  const TileOperand tail = c.multiply(c.add(below, number(-1)), number(gain * alpha));
  return c.add(c.multiply(c.maximum(x, number(0)), number(gain)), tail);
}

// Toward zero.
TileOperand truncated(Code& c, TileOperand x) {
  return c.multiply(c.floor(c.activation(ActFn::kAbs, x)), c.activation(ActFn::kSign, x));
}

std::vector<double> clip_limits(const View& n) {
  const auto limit = [&](const char* name, std::size_t input, double otherwise) {
    if (n.has_attribute(name)) return n.number(name, otherwise);
    if (!n.has(input)) return otherwise;
    n.require(n.type(input).elements() == 1, "E-ONX-004", fmt::format("has a {} that is no number", name));
    return n.constant(input).values[0];
  };
  return {limit("min", 1, -kInfinite), limit("max", 2, kInfinite)};
}

std::vector<double> exponent_of(const View& n) {
  return {n.scalar(1).value_or(std::numeric_limits<double>::quiet_NaN())};
}

TileOperand power(Code& c, const In& in, const double* p) {
  const TileOperand x = in[0];
  if (p[0] == 1) return c.add(x, number(0));
  if (p[0] == 2) return c.activation(ActFn::kSquare, x);
  if (p[0] == 3) return c.multiply(c.activation(ActFn::kSquare, x), x);
  if (p[0] == 0.5) return c.activation(ActFn::kSqrt, x);
  return c.apply(AluOp::kPower, x, in[1]);
}

std::vector<double> cast_kind(const View& n) {
  const bool to_truth = n.integer("to", 0) == static_cast<std::int64_t>(ElementType::kBool);
  const ElementRow* row = element_row(static_cast<std::int32_t>(n.integer("to", 0)));
  const bool truncates = row != nullptr && !row->floating && is_floating(n.type(0).element);
  return {to_truth ? 2.0 : truncates ? 1.0 : 0.0};
}

const auto kRows = std::to_array<ElementwiseRow>({
    {"Abs", 1, 1, nullptr, [](auto x, auto, auto) { return std::fabs(x[0]); }, one<ActFn::kAbs>},
    {"Add", 2, 2, nullptr, [](auto x, auto, auto) { return x[0] + x[1]; }, fold<AluOp::kAdd>},
    {"And", 2, 2, nullptr, [](auto x, auto, auto) -> double { return x[0] != 0 && x[1] != 0; },
     fold<AluOp::kLogicalAnd>, 0, 0, true},
    {"Atan", 1, 1, nullptr, [](auto x, auto, auto) { return std::atan(x[0]); }, one<ActFn::kArctan>, 3},
    {"Cast", 1, 1, cast_kind,
     [](auto x, auto, auto p) { return p[0] == 2 ? x[0] != 0 : p[0] == 1 ? std::trunc(x[0]) : x[0]; },
     [](Code& c, const In& in, const double* p) {
       return p[0] == 2   ? c.apply(AluOp::kIsNotEqual, in[0], number(0))
              : p[0] == 1 ? truncated(c, in[0])
                          : c.add(in[0], number(0));
     }},
    {"Ceil", 1, 1, nullptr, [](auto x, auto, auto) { return std::ceil(x[0]); },
     [](Code& c, const In& in, const double*) {
       return c.multiply(c.floor(c.multiply(in[0], number(-1))), number(-1));
     }},
    {"Celu", 1, 1, [](const View& n) { return alpha_of(n, 1); },
     [](auto x, auto, auto p) { return std::max(x[0], 0.0) + std::min(0.0, p[0] * std::expm1(x[0] / p[0])); },
     [](Code& c, const In& in, const double* p) { return exponential_unit(c, in[0], 1, p[0], p[0]); }, 8, 4},
    {"Clip", 1, 3, clip_limits, [](auto x, auto, auto p) { return clamp(x[0], p[0], p[1]); },
     [](Code& c, const In& in, const double* p) {
       TileOperand x = in[0];
       if (p[0] > -kInfinite) x = c.maximum(x, number(p[0]));
       return p[1] < kInfinite || !x.tile || *x.tile == 0 ? c.minimum(x, number(p[1])) : x;
     }},
    {"Cos", 1, 1, nullptr, [](auto x, auto, auto) { return std::cos(x[0]); },
     [](Code& c, const In& in, const double*) {
       return c.activation(ActFn::kSin, in[0], 1, 1.5707963267948966);
     },
     4, 1},
    {"Div", 2, 2, nullptr, [](auto x, auto, auto) { return x[0] / x[1]; }, fold<AluOp::kDivide>, 1},
    {"Elu", 1, 1, [](const View& n) { return alpha_of(n, 1); },
     [](auto x, auto, auto p) { return x[0] >= 0 ? x[0] : p[0] * std::expm1(x[0]); },
     [](Code& c, const In& in, const double* p) { return exponential_unit(c, in[0], 1, p[0], 1); }, 8, 4},
    {"Equal", 2, 2, nullptr, compared<std::equal_to<>>, fold<AluOp::kIsEqual>,
     0, 0, true},
    {"Erf", 1, 1, nullptr, [](auto x, auto, auto) { return std::erf(x[0]); }, one<ActFn::kErf>, 3},
    {"Exp", 1, 1, nullptr, [](auto x, auto, auto) { return std::exp(x[0]); }, one<ActFn::kExp>, 3},
    {"Floor", 1, 1, nullptr, [](auto x, auto, auto) { return std::floor(x[0]); },
     [](Code& c, const In& in, const double*) { return c.floor(in[0]); }},
    {"Gelu", 1, 1,
     [](const View& n) { return std::vector<double>{n.word("approximate", "none") == "tanh" ? 1.0 : 0.0}; },
     [](auto x, auto, auto p) {
       return p[0] == 0 ? gelu(x[0])
                        : 0.5 * x[0] * (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) *
                                                      (x[0] + 0.044715 * x[0] * x[0] * x[0])));
     },
     [](Code& c, const In& in, const double* p) {
       return c.activation(p[0] == 0 ? ActFn::kGelu : ActFn::kGeluTanh, in[0]);
     },
     5},
    {"Greater", 2, 2, nullptr, compared<std::greater<>>, fold<AluOp::kIsGt>, 0,
     0, true},
    {"GreaterOrEqual", 2, 2, nullptr, compared<std::greater_equal<>>,
     fold<AluOp::kIsGe>, 0, 0, true},
    {"HardSigmoid", 1, 1,
     [](const View& n) { return std::vector<double>{n.number("alpha", 0.2), n.number("beta", 0.5)}; },
     [](auto x, auto, auto p) { return clamp(p[0] * x[0] + p[1], 0, 1); },
     [](Code& c, const In& in, const double* p) {
       return c.minimum(c.maximum(c.activation(ActFn::kCopy, in[0], p[0], p[1]), number(0)), number(1));
     },
     3, 1},
    {"HardSwish", 1, 1, nullptr, [](auto x, auto, auto) { return x[0] * clamp(x[0] / 6 + 0.5, 0, 1); },
     [](Code& c, const In& in, const double*) {
       const TileOperand gate = c.activation(ActFn::kCopy, in[0], 1.0 / 6, 0.5);
       return c.multiply(c.minimum(c.maximum(gate, number(0)), number(1)), in[0]);
     },
     3, 4},
    {"IsNaN", 1, 1, nullptr, [](auto x, auto, auto) -> double { return std::isnan(x[0]); },
     [](Code& c, const In& in, const double*) { return c.apply(AluOp::kIsNotEqual, in[0], in[0]); }, 0, 0,
     true},
    {"LeakyRelu", 1, 1, [](const View& n) { return alpha_of(n, 0.01); },
     [](auto x, auto, auto p) { return x[0] >= 0 ? x[0] : p[0] * x[0]; },
     [](Code& c, const In& in, const double* p) {
       return c.add(c.maximum(in[0], number(0)), c.multiply(c.minimum(in[0], number(0)), number(p[0])));
     },
     2},
    {"Less", 2, 2, nullptr, compared<std::less<>>, fold<AluOp::kIsLt>, 0, 0,
     true},
    {"LessOrEqual", 2, 2, nullptr, compared<std::less_equal<>>,
     fold<AluOp::kIsLe>, 0, 0, true},
    {"Log", 1, 1, nullptr, [](auto x, auto, auto) { return std::log(x[0]); }, one<ActFn::kLog>, 2},
    {"Max", 1, 64, nullptr,
     [](auto x, auto n, auto) { return *std::max_element(x, x + n); }, fold<AluOp::kMax>},
    {"Mean", 1, 64, nullptr,
     [](auto x, auto n, auto) {
       double sum = 0;
       for (std::size_t i = 0; i < n; ++i) sum += x[i];
       return sum / static_cast<double>(n);
     },
     [](Code& c, const In& in, const double* p) {
       return c.multiply(fold<AluOp::kAdd>(c, in, p), number(1.0 / static_cast<double>(in.size())));
     },
     4, 64},
    {"Min", 1, 64, nullptr,
     [](auto x, auto n, auto) { return *std::min_element(x, x + n); }, fold<AluOp::kMin>},
    {"Mish", 1, 1, nullptr, [](auto x, auto, auto) { return x[0] * std::tanh(std::log1p(std::exp(x[0]))); },
     one<ActFn::kMish>, 5},
    {"Mul", 2, 2, nullptr, [](auto x, auto, auto) { return x[0] * x[1]; }, fold<AluOp::kMult>},
    {"Neg", 1, 1, nullptr, [](auto x, auto, auto) { return -x[0]; },
     [](Code& c, const In& in, const double*) { return c.multiply(in[0], number(-1)); }},
    {"Not", 1, 1, nullptr, [](auto x, auto, auto) -> double { return x[0] == 0; },
     [](Code& c, const In& in, const double*) { return c.apply(AluOp::kIsEqual, in[0], number(0)); }, 0, 0,
     true},
    {"Or", 2, 2, nullptr, [](auto x, auto, auto) -> double { return x[0] != 0 || x[1] != 0; },
     fold<AluOp::kLogicalOr>, 0, 0, true},
    {"PRelu", 2, 2, nullptr, [](auto x, auto, auto) { return x[0] >= 0 ? x[0] : x[1] * x[0]; },
     [](Code& c, const In& in, const double*) {
       return c.add(c.maximum(in[0], number(0)), c.multiply(c.minimum(in[0], number(0)), in[1]));
     },
     2},
    {"Pow", 2, 2, exponent_of, [](auto x, auto, auto) { return std::pow(x[0], x[1]); }, power, 4},
    {"Reciprocal", 1, 1, nullptr, [](auto x, auto, auto) { return 1 / x[0]; }, one<ActFn::kReciprocal>, 1},
    {"Relu", 1, 1, nullptr, [](auto x, auto, auto) { return std::max(x[0], 0.0); }, one<ActFn::kRelu>},
    {"Round", 1, 1, nullptr, [](auto x, auto, auto) { return std::nearbyint(x[0]); },
     [](Code& c, const In& in, const double*) { return c.add(c.nearest(in[0]), number(0)); }},
    {"Selu", 1, 1,
     [](const View& n) {
       return std::vector<double>{n.number("alpha", 1.67326319217681884765625),
                                  n.number("gamma", 1.05070102214813232421875)};
     },
     [](auto x, auto, auto p) { return p[1] * (x[0] > 0 ? x[0] : p[0] * std::expm1(x[0])); },
     [](Code& c, const In& in, const double* p) { return exponential_unit(c, in[0], p[1], p[0], 1); }, 8, 4},
    {"Sigmoid", 1, 1, nullptr, [](auto x, auto, auto) { return logistic(x[0]); }, one<ActFn::kSigmoid>, 4},
    {"Sign", 1, 1, nullptr, [](auto x, auto, auto) -> double { return (x[0] > 0) - (x[0] < 0); },
     one<ActFn::kSign>},
    {"Sin", 1, 1, nullptr, [](auto x, auto, auto) { return std::sin(x[0]); }, one<ActFn::kSin>, 4, 1},
    {"Softplus", 1, 1, nullptr, [](auto x, auto, auto) { return std::log1p(std::exp(x[0])); },
     one<ActFn::kSoftplus>, 3},
    {"Softsign", 1, 1, nullptr, [](auto x, auto, auto) { return x[0] / (1 + std::fabs(x[0])); },
     [](Code& c, const In& in, const double*) {
       return c.apply(AluOp::kDivide, in[0], c.add(c.activation(ActFn::kAbs, in[0]), number(1)));
     },
     3},
    {"Sqrt", 1, 1, nullptr, [](auto x, auto, auto) { return std::sqrt(x[0]); }, one<ActFn::kSqrt>, 1},
    {"Sub", 2, 2, nullptr, [](auto x, auto, auto) { return x[0] - x[1]; }, fold<AluOp::kSubtract>},
    {"Sum", 1, 64, nullptr,
     [](auto x, auto n, auto) {
       double sum = 0;
       for (std::size_t i = 0; i < n; ++i) sum += x[i];
       return sum;
     },
     fold<AluOp::kAdd>, 2, 64},
    {"Tanh", 1, 1, nullptr, [](auto x, auto, auto) { return std::tanh(x[0]); }, one<ActFn::kTanh>, 3},
    {"ThresholdedRelu", 1, 1, [](const View& n) { return alpha_of(n, 1); },
     [](auto x, auto, auto p) { return x[0] > p[0] ? x[0] : 0; },
     [](Code& c, const In& in, const double* p) {
       return c.multiply(c.apply(AluOp::kIsGt, in[0], number(p[0])), in[0]);
     }},
    {"Where", 3, 3, nullptr, [](auto x, auto, auto) { return x[0] != 0 ? x[1] : x[2]; },
     [](Code& c, const In& in, const double*) { return c.select(in[0], in[1], in[2]); }},
    {"Xor", 2, 2, nullptr, [](auto x, auto, auto) -> double { return (x[0] != 0) != (x[1] != 0); },
     fold<AluOp::kLogicalXor>, 0, 0, true},
});

}  // namespace

std::span<const ElementwiseRow> elementwise_rows() { return kRows; }

const ElementwiseRow* elementwise_row(std::string_view op) {
  const auto row =
      std::find_if(kRows.begin(), kRows.end(), [&](const ElementwiseRow& r) { return r.op == op; });
  return row == kRows.end() ? nullptr : &*row;
}

std::vector<TensorType> infer_elementwise(const NodeView& node) {
  const ElementwiseRow& row = *elementwise_row(node.node().op);
  node.require(node.inputs() >= row.least && node.inputs() <= row.most, "E-ONX-005",
               fmt::format("has {} inputs; expected {} to {}", node.inputs(), row.least, row.most));
  const bool clips = row.op == "Clip";  // its limits are scalars
  Dims dims;
  for (std::size_t i = 0; i < (clips ? 1 : node.inputs()); ++i) dims = broadcast(node, dims, node.dims(i));
  ElementType element = node.type(row.op == "Where" ? 1 : 0).element;
  if (row.truth) element = ElementType::kBool;
  if (row.op == "Cast") {
    const ElementRow* to = element_row(static_cast<std::int32_t>(node.integer("to", 0)));
    node.require(to != nullptr, "E-ONX-009",
                 fmt::format("casts to element type {}, which is not supported", node.integer("to", 0)));
    element = to->type;
  }
  return {{element, dims}};
}

std::vector<Wanted> define_elementwise(const NodeView& node, const Inputs& in,
                                       const std::vector<TensorType>& outputs) {
  const ElementwiseRow& row = *elementwise_row(node.node().op);
  const std::vector<double> parameters = row.parameters ? row.parameters(node) : std::vector<double>();
  const std::size_t operands = row.op == "Clip" ? 1 : in.size();
  const bool divides_integers = row.op == "Div" && !is_floating(outputs[0].element);
  Wanted wanted{{outputs[0], {}}, {}};
  wanted.array.values.resize(outputs[0].elements());
  if (row.ulps > 0) wanted.slack.resize(wanted.array.values.size());
  std::vector<double> x(operands);
  for_each_index(outputs[0].dims, [&](const Dims& index, std::size_t number) {
    double largest = 1;
    for (std::size_t i = 0; i < operands; ++i) {
      x[i] = in[i]->values[broadcast_offset(in[i]->type.dims, index)];
      largest = std::max(largest, std::fabs(x[i]));
    }
    double value = row.value(x.data(), operands, parameters.data());
    if (divides_integers) value = std::trunc(value);
    wanted.array.values[number] = value;
    if (row.ulps > 0)
      wanted.slack[number] = std::isfinite(value)
                                 ? row.ulps * (0x1p-23 * (std::fabs(value) + row.terms * largest) + 0x1p-149)
                                 : 0;
  });
  return {wanted};
}

}  // namespace tahoma::workloads::graph
