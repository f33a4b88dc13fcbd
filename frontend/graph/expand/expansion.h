// SPDX-License-Identifier: Apache-2.0
// An operator that consists of others: the nodes for which one node stands. They are inferred, folded, fused
// and checked like those of the file; their names begin with that of the node.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "frontend/graph/operators/node_view.h"

namespace tahoma::workloads::graph {

using Attributes = std::map<std::string, Attribute>;
Attribute attribute_of(std::int64_t value);
Attribute attribute_of(double value);
Attribute attribute_of(std::string value);
Attribute attribute_of(std::vector<std::int64_t> values);

class Expansion {
 public:
  // The types of the node's inputs are inferred.
  Expansion(Graph& graph, Node node) : graph_(graph), node_(std::move(node)), view_(graph_, node_) {}
  Expansion(const Expansion&) = delete;
  Expansion& operator=(const Expansion&) = delete;

  const NodeView& node() const { return view_; }
  Dims dims(std::size_t input) const { return view_.dims(input); }  // a copy: values move when some are added

  bool is_constant(ValueId id) const { return graph_.value(id).constant != nullptr; }
  Array values(ValueId id) const { return graph_.value(id).constant(); }
  LazyArray lazy(std::size_t input) const { return graph_.value(view_.id(input)).constant; }
  // The value is a constant other than 0.
  bool holds(ValueId id) const {
    return graph_.value(id).constant && graph_.value(id).constant().values.at(0) != 0;
  }

  // Adds a node with one output, which it returns.
  ValueId add(const std::string& op, std::vector<ValueId> inputs, Attributes attributes = {});
  std::vector<ValueId> split(ValueId value, std::int64_t axis, std::vector<std::int64_t> sizes);

  // Constants.
  ValueId constant(ElementType element, Dims dims, std::vector<double> values);
  ValueId constant(TensorType type, LazyArray values);  // computed when somebody needs it
  ValueId integers(std::vector<std::int64_t> values);
  ValueId number(double value, ElementType element = ElementType::kFloat) {
    return constant(element, {}, {rounded(value, element)});
  }

  // Nodes that occur in several expansions.
  ValueId cast(ValueId value, ElementType to);
  ValueId reshape(ValueId value, const Dims& dims);
  ValueId transpose(ValueId value, const std::vector<std::int64_t>& order);
  ValueId times_along(ValueId value, std::size_t rank, std::size_t axis, ValueId matrix);
  ValueId reduce(const std::string& op, ValueId value, std::vector<std::int64_t> axes, bool keeps = true);

  ValueId concat(std::vector<ValueId> values, std::int64_t axis);

  // Adds the nodes of a branch with these values as its inputs; returns its outputs.
  std::vector<ValueId> inlined(const Branch& branch, const std::vector<ValueId>& arguments);

  // The value is an output of the node.
  void result(std::size_t output, ValueId value);

  std::vector<Node> take() { return std::move(nodes_); }

 private:
  Graph& graph_;
  Node node_;
  NodeView view_;
  std::vector<Node> nodes_;
  std::map<ValueId, ValueId> results_;  // values that are outputs of the node, and their names as such
  std::size_t copies_ = 0;              // of branches
};

// Adds no nodes if the operator has a lowering of its own that serves the node.
using OperatorExpansion = void (*)(Expansion& to);

// Quantisation: values are computed in fp32 from integers of 8 or 16 bits.
void expand_quantize(Expansion& to);
void expand_dynamic_quantize(Expansion& to);
void expand_dequantize(Expansion& to);
void expand_quantized_product(Expansion& to);  // QLinearMatMul, QLinearConv, MatMulInteger, ConvInteger

// Selection. Indices are computed in fp32, which holds those below 2^24.
void expand_extreme_index(Expansion& to);  // ArgMax, ArgMin
void expand_top(Expansion& to);            // TopK: one pass for each of the k elements, at most 512
void expand_one_hot(Expansion& to);
void expand_hardmax(Expansion& to);
// With indices that are known before the run.
void expand_gather_elements(Expansion& to);
void expand_gather_nd(Expansion& to);
void expand_scatter(Expansion& to);  // ScatterElements, ScatterND; reduction none or add

// Sums of products.
void expand_einsum(Expansion& to);
void expand_cumulative_sum(Expansion& to);  // a product with a triangle of ones

// One step after the other: RNN, GRU, LSTM.
void expand_recurrent(Expansion& to);

// Control that is known before the run.
void expand_if(Expansion& to);
void expand_loop(Expansion& to);  // a number of passes; each pass is a copy of the body

// Norms.
void expand_group_norm(Expansion& to);
void expand_lp_norm(Expansion& to);
void expand_mean_variance(Expansion& to);
void expand_local_response(Expansion& to);

// Resampling along one dimension after the other.
// Linear and cubic: a product with the weights; nearest, if uneven, and padding by other elements: a gather.
void expand_resize(Expansion& to);
void expand_pad(Expansion& to);
void expand_upsample(Expansion& to);  // Resize before opset 10

// Three spatial dimensions, by operators of two.
void expand_pool(Expansion& to);
void expand_conv(Expansion& to);

// Functions of one tensor or two.
void expand_function(Expansion& to);

// Operators that optimisers fuse; most have the domain com.microsoft, and definitions by ONNX Runtime.
void expand_fused_activation(Expansion& to);    // FastGelu, BiasGelu, QuickGelu, ...
void expand_fused_matmul(Expansion& to);        // factors and transposes
void expand_fused_conv(Expansion& to);          // an addend and an activation
void expand_fused_gemm(Expansion& to);          // an activation
void expand_matmul_of_bits(Expansion& to);      // MatMulNBits: weights become constants of the model's type
void expand_rms_norm(Expansion& to);            // RMSNormalization, SimplifiedLayerNormalization
void expand_skip_norm(Expansion& to);           // the norm of a sum
void expand_embed_norm(Expansion& to);          // the norm of a sum of rows of tables
void expand_rotary(Expansion& to);              // of the default domain
void expand_contributed_rotary(Expansion& to);  // of com.microsoft
void expand_attention(Expansion& to);           // of the default domain
void expand_contributed_attention(Expansion& to);
void expand_multi_head_attention(Expansion& to);
void expand_group_query_attention(Expansion& to);

}  // namespace tahoma::workloads::graph
