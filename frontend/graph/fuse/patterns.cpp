// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/fuse/patterns.h"

#include <algorithm>
#include <cmath>

#include "frontend/graph/operators/row_operators.h"
#include "workloads/norm/row_in_psum.h"

namespace tahoma::workloads::graph {

namespace {

// A walk along values with one reader each.
class PatternWalk {
 public:
  PatternWalk(const Graph& graph, const Readers& readers) : graph_(graph), readers_(readers) {}

  const Node& node(std::size_t n) const { return graph_.nodes[n]; }
  ValueId out(std::size_t n) const { return node(n).outputs[0]; }

  // The only reader of the node's output, if it is this operator.
  std::optional<std::size_t> next(std::size_t n, const char* op) const {
    const std::optional<std::size_t> reader = readers_.only(out(n));
    return reader && node(*reader).op == op ? reader : std::nullopt;
  }
  // The other operand of a node with two, if it is a constant number.
  std::optional<double> other_number(std::size_t n, ValueId than) const {
    const NodeView view(graph_, node(n));
    const std::size_t other = node(n).inputs[0] == than ? 1 : 0;
    return node(n).inputs.size() == 2 ? view.scalar(other) : std::nullopt;
  }
  ValueId other(std::size_t n, ValueId than) const {
    return node(n).inputs[0] == than ? node(n).inputs[1] : node(n).inputs[0];
  }
  bool near(std::optional<double> value, double expected) const {
    return value && std::fabs(*value - expected) <= 1e-6 * std::fabs(expected);
  }

 private:
  const Graph& graph_;
  const Readers& readers_;
};

std::optional<isa::ActFn> plain_activation(const Graph& graph, const Node& node) {
  if (!node.domain.empty()) return {};
  if (node.op == "Relu") return isa::ActFn::kRelu;
  if (node.op == "Sigmoid") return isa::ActFn::kSigmoid;
  if (node.op == "Tanh") return isa::ActFn::kTanh;
  if (node.op == "Gelu")
    return NodeView(graph, node).word("approximate", "none") == "tanh" ? isa::ActFn::kGeluTanh
                                                                       : isa::ActFn::kGelu;
  return {};
}

// x sigmoid(x), and x (1 + erf(x / sqrt 2)) / 2: x has two readers, of which the second multiplies it.
std::optional<ActivationPattern> written_out(const PatternWalk& walk, const Readers& readers, ValueId x) {
  const std::vector<std::size_t>& both = readers.of(x);
  if (both.size() != 2 || readers.is_output(x) || walk.node(both[1]).op != "Mul") return {};
  const std::size_t first = both[0], product = both[1];
  if (walk.node(first).op == "Sigmoid" && walk.next(first, "Mul") == product)
    return ActivationPattern{isa::ActFn::kSilu, {first, product}, walk.out(product)};
  const bool scales =
      (walk.node(first).op == "Div" && walk.node(first).inputs[0] == x &&
       walk.near(walk.other_number(first, x), std::sqrt(2.0))) ||
      (walk.node(first).op == "Mul" && walk.near(walk.other_number(first, x), std::sqrt(0.5)));
  if (!scales) return {};
  const auto erf = walk.next(first, "Erf");
  const auto sum = erf ? walk.next(*erf, "Add") : std::nullopt;
  if (!sum || !walk.near(walk.other_number(*sum, walk.out(*erf)), 1) || walk.next(*sum, "Mul") != product)
    return {};
  const auto half = walk.next(product, "Mul");
  if (!half || !walk.near(walk.other_number(*half, walk.out(product)), 0.5)) return {};
  return ActivationPattern{isa::ActFn::kGelu, {first, *erf, *sum, product, *half}, walk.out(*half)};
}

bool is_last_mean(const Graph& graph, std::size_t n) {
  const NodeView view(graph, graph.nodes[n]);
  return graph.nodes[n].op == "ReduceMean" && view.integer("keepdims", 1) != 0 && view.rank(0) > 0 &&
         reduced_axes(view) == std::vector<std::size_t>{static_cast<std::size_t>(view.rank(0) - 1)};
}

// A constant vector of the last dimension that is the other operand.
std::optional<ValueId> other_row(const Graph& graph, const PatternWalk& walk, std::size_t n, ValueId than) {
  const ValueId other = walk.other(n, than);
  const Value& value = graph.value(other);
  const std::int64_t columns = graph.value(than).type.dims.back();
  return value.constant && value.type.dims == Dims{columns} ? std::optional(other) : std::nullopt;
}

// x / sqrt(mean(x^2) + epsilon), perhaps times a gain.
std::optional<NormPattern> match_rms_norm(const Graph& graph, const Readers& readers, std::size_t square) {
  const PatternWalk walk(graph, readers);
  NormPattern norm;
  norm.centred = false;
  norm.x = walk.node(square).inputs[0];
  const bool squares = walk.node(square).op == "Pow"
                           ? walk.other_number(square, norm.x) == 2
                           : walk.node(square).op == "Mul" && walk.node(square).inputs[1] == norm.x;
  const auto mean = squares ? walk.next(square, "ReduceMean") : std::nullopt;
  if (!mean || !is_last_mean(graph, *mean)) return {};
  const auto sum = walk.next(*mean, "Add");
  const auto epsilon = sum ? walk.other_number(*sum, walk.out(*mean)) : std::nullopt;
  const auto root = epsilon ? walk.next(*sum, "Sqrt") : std::nullopt;
  if (!root) return {};
  norm.epsilon = *epsilon;
  norm.nodes = {square, *mean, *sum, *root};
  std::optional<std::size_t> quotient = walk.next(*root, "Div");
  if (quotient && walk.node(*quotient).inputs[1] != walk.out(*root)) return {};
  if (!quotient || walk.node(*quotient).inputs[0] != norm.x) {
    const auto inverse = quotient ? quotient : walk.next(*root, "Reciprocal");
    if (!inverse || (quotient && walk.other_number(*inverse, walk.out(*root)) != 1)) return {};
    norm.nodes.push_back(*inverse);
    quotient = walk.next(*inverse, "Mul");
    if (!quotient || walk.other(*quotient, walk.out(*inverse)) != norm.x) return {};
  }
  norm.nodes.push_back(*quotient);
  norm.out = walk.out(*quotient);
  if (graph.value(norm.out).type.dims != graph.value(norm.x).type.dims) return {};
  const auto scaled = walk.next(*quotient, "Mul");
  if (scaled) norm.gain = other_row(graph, walk, *scaled, norm.out);
  if (norm.gain) {
    norm.nodes.push_back(*scaled);
    norm.out = walk.out(*scaled);
  }
  return norm;
}

}  // namespace

std::optional<ActivationPattern> match_activation(const Graph& graph, const Readers& readers, ValueId x) {
  const PatternWalk walk(graph, readers);
  if (const std::optional<std::size_t> reader = readers.only(x)) {
    const std::optional<isa::ActFn> fn = plain_activation(graph, graph.nodes[*reader]);
    if (!fn) return {};
    return ActivationPattern{*fn, {*reader}, graph.nodes[*reader].outputs[0]};
  }
  return written_out(walk, readers, x);
}

namespace {

std::optional<NormPattern> match_layer_norm(const Graph& graph, const Readers& readers, std::size_t mean) {
  if (!is_last_mean(graph, mean)) return {};
  const PatternWalk walk(graph, readers);
  NormPattern norm;
  norm.x = graph.nodes[mean].inputs[0];
  const auto centred = walk.next(mean, "Sub");
  if (!centred || walk.node(*centred).inputs[0] != norm.x) return {};
  const std::vector<std::size_t>& both = readers.of(walk.out(*centred));
  if (both.size() != 2 || readers.is_output(walk.out(*centred))) return {};
  const std::size_t square = walk.node(both[0]).op == "Div" ? both[1] : both[0],
                    quotient = square == both[0] ? both[1] : both[0];
  if (walk.node(square).op != "Pow" || walk.other_number(square, walk.out(*centred)) != 2 ||
      walk.node(quotient).op != "Div" || walk.node(quotient).inputs[0] != walk.out(*centred))
    return {};
  const auto variance = walk.next(square, "ReduceMean");
  if (!variance || !is_last_mean(graph, *variance)) return {};
  const auto sum = walk.next(*variance, "Add");
  const auto epsilon = sum ? walk.other_number(*sum, walk.out(*variance)) : std::nullopt;
  const auto root = epsilon ? walk.next(*sum, "Sqrt") : std::nullopt;
  if (!root || walk.next(*root, "Div") != quotient) return {};
  norm.epsilon = *epsilon;
  norm.nodes = {mean, *centred, square, *variance, *sum, *root, quotient};
  norm.out = walk.out(quotient);
  const auto scaled = walk.next(quotient, "Mul");
  const auto gain = scaled ? other_row(graph, walk, *scaled, norm.out) : std::nullopt;
  const auto moved = gain ? walk.next(*scaled, "Add") : std::nullopt;
  const auto bias = moved ? other_row(graph, walk, *moved, walk.out(*scaled)) : std::nullopt;
  if (bias) {
    norm.gain = gain;
    norm.bias = bias;
    norm.nodes.insert(norm.nodes.end(), {*scaled, *moved});
    norm.out = walk.out(*moved);
  }
  return norm;
}

}  // namespace

std::optional<NormPattern> match_norm(const Graph& graph, const Readers& readers, std::size_t node) {
  if (graph.nodes[node].inputs.empty() || graph.value(graph.nodes[node].outputs[0]).type.dims.empty())
    return {};
  std::optional<NormPattern> norm = match_layer_norm(graph, readers, node);
  if (!norm) norm = match_rms_norm(graph, readers, node);
  if (norm && graph.value(norm->x).type.dims.back() > static_cast<std::int64_t>(kWidestRow)) return {};
  if (norm) std::sort(norm->nodes.begin(), norm->nodes.end());
  return norm;
}

}  // namespace tahoma::workloads::graph
