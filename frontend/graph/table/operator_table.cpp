// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/table/operator_table.h"

#include <algorithm>
#include <vector>

#include "frontend/graph/operators/elementwise.h"
#include "frontend/graph/operators/movement.h"
#include "frontend/graph/operators/product_operators.h"
#include "frontend/graph/operators/resampling.h"
#include "frontend/graph/operators/row_operators.h"

namespace tahoma::workloads::graph {

namespace {

constexpr OperatorRow kOthers[] = {
    {"AveragePool", infer_pool, define_pool, lower_pool, false, expand_pool},
    {"BatchNormalization", infer_batch_norm, define_batch_norm, lower_batch_norm},
    {"Concat", infer_concat, define_concat, lower_concat},
    {"Constant", infer_known, define_known, nullptr, true},
    {"ConstantOfShape", infer_known, define_known, nullptr},
    {"Conv", infer_conv, define_conv, lower_conv, false, expand_conv},
    {"ConvTranspose", infer_conv_transpose, define_conv_transpose, lower_conv_transpose},
    {"DepthToSpace", infer_blocks, define_blocks, lower_blocks},
    {"Dropout", infer_view, define_view, lower_view},
    {"Expand", infer_repeat, define_repeat, lower_repeat},
    {"Flatten", infer_view, define_view, lower_view},
    {"Gather", infer_gather, define_gather, lower_gather},
    {"Gemm", infer_gemm, define_gemm, lower_gemm},
    {"GlobalAveragePool", infer_pool, define_pool, lower_pool, false, expand_pool},
    {"GlobalMaxPool", infer_pool, define_pool, lower_pool, false, expand_pool},
    {"Identity", infer_view, define_view, lower_view},
    {"InstanceNormalization", infer_same, define_instance_norm, lower_instance_norm},
    {"LayerNormalization", infer_layer_norm, define_layer_norm, lower_layer_norm},
    {"LogSoftmax", infer_same, define_softmax, lower_softmax},
    {"MatMul", infer_matmul, define_matmul, lower_matmul},
    {"MaxPool", infer_pool, define_pool, lower_pool, false, expand_pool},
    {"Pad", infer_pad, define_pad, lower_pad, false, expand_pad},
    {"Range", infer_known, define_known, nullptr},
    {"ReduceL1", infer_reduction, define_reduction, lower_reduction},
    {"ReduceL2", infer_reduction, define_reduction, lower_reduction},
    {"ReduceLogSum", infer_reduction, define_reduction, lower_reduction},
    {"ReduceLogSumExp", infer_reduction, define_reduction, lower_reduction},
    {"ReduceMax", infer_reduction, define_reduction, lower_reduction},
    {"ReduceMean", infer_reduction, define_reduction, lower_reduction},
    {"ReduceMin", infer_reduction, define_reduction, lower_reduction},
    {"ReduceProd", infer_reduction, define_reduction, lower_reduction},
    {"ReduceSum", infer_reduction, define_reduction, lower_reduction},
    {"ReduceSumSquare", infer_reduction, define_reduction, lower_reduction},
    {"Reshape", infer_view, define_view, lower_view},
    {"Resize", infer_resize, define_resize, lower_resize, false, expand_resize},
    {"Shape", infer_known, define_known, nullptr, true},
    {"Size", infer_known, define_known, nullptr, true},
    {"Slice", infer_slice, define_slice, lower_slice},
    {"Softmax", infer_same, define_softmax, lower_softmax},
    {"SpaceToDepth", infer_blocks, define_blocks, lower_blocks},
    {"Split", infer_split, define_split, lower_split},
    {"Squeeze", infer_view, define_view, lower_view},
    {"Tile", infer_repeat, define_repeat, lower_repeat},
    {"Transpose", infer_transpose, define_transpose, lower_transpose},
    {"Trilu", infer_same, define_triangle, lower_triangle},
    {"Unsqueeze", infer_view, define_view, lower_view},
};

// Operators that others express.
struct ExpansionRow {
  std::string_view name;
  OperatorExpansion expand;
};
constexpr ExpansionRow kExpansions[] = {
    {"Acos", expand_function},
    {"Acosh", expand_function},
    {"ArgMax", expand_extreme_index},
    {"ArgMin", expand_extreme_index},
    {"Asin", expand_function},
    {"Asinh", expand_function},
    {"Atanh", expand_function},
    {"Attention", expand_attention},
    {"CastLike", expand_function},
    {"ConvInteger", expand_quantized_product},
    {"Cosh", expand_function},
    {"CumSum", expand_cumulative_sum},
    {"DequantizeLinear", expand_dequantize},
    {"DynamicQuantizeLinear", expand_dynamic_quantize},
    {"Einsum", expand_einsum},
    {"GRU", expand_recurrent},
    {"GatherElements", expand_gather_elements},
    {"GatherND", expand_gather_nd},
    {"GroupNormalization", expand_group_norm},
    {"Hardmax", expand_hardmax},
    {"If", expand_if},
    {"IsInf", expand_function},
    {"LRN", expand_local_response},
    {"LSTM", expand_recurrent},
    {"LpNormalization", expand_lp_norm},
    {"Loop", expand_loop},
    {"MatMulInteger", expand_quantized_product},
    {"MeanVarianceNormalization", expand_mean_variance},
    {"Mod", expand_function},
    {"OneHot", expand_one_hot},
    {"QLinearConv", expand_quantized_product},
    {"QLinearMatMul", expand_quantized_product},
    {"QuantizeLinear", expand_quantize},
    {"RMSNormalization", expand_rms_norm},
    {"RNN", expand_recurrent},
    {"RotaryEmbedding", expand_rotary},
    {"Scatter", expand_scatter},
    {"ScatterElements", expand_scatter},
    {"ScatterND", expand_scatter},
    {"Shrink", expand_function},
    {"SimplifiedLayerNormalization", expand_rms_norm},
    {"Sinh", expand_function},
    {"Swish", expand_function},
    {"Tan", expand_function},
    {"TopK", expand_top},
    {"Upsample", expand_upsample},
};

// Of the domain com.microsoft.
constexpr ExpansionRow kContributed[] = {
    {"Attention", expand_contributed_attention},
    {"BiasAdd", expand_fused_activation},
    {"BiasGelu", expand_fused_activation},
    {"BiasSplitGelu", expand_fused_activation},
    {"DequantizeLinear", expand_dequantize},
    {"EmbedLayerNormalization", expand_embed_norm},
    {"FastGelu", expand_fused_activation},
    {"FusedConv", expand_fused_conv},
    {"FusedGemm", expand_fused_gemm},
    {"FusedMatMul", expand_fused_matmul},
    {"Gelu", expand_fused_activation},
    {"GroupQueryAttention", expand_group_query_attention},
    {"MatMulNBits", expand_matmul_of_bits},
    {"MultiHeadAttention", expand_multi_head_attention},
    {"QuantizeLinear", expand_quantize},
    {"QuickGelu", expand_fused_activation},
    {"RotaryEmbedding", expand_contributed_rotary},
    {"SimplifiedLayerNormalization", expand_rms_norm},
    {"SkipLayerNormalization", expand_skip_norm},
    {"SkipSimplifiedLayerNormalization", expand_skip_norm},
};

void add_expansions(std::vector<OperatorRow>& rows, std::span<const ExpansionRow> expansions) {
  for (const ExpansionRow& row : expansions)
    rows.push_back({row.name, nullptr, nullptr, nullptr, false, row.expand});
  std::sort(rows.begin(), rows.end(),
            [](const OperatorRow& a, const OperatorRow& b) { return a.name < b.name; });
}

std::vector<OperatorRow> all_operators() {
  std::vector<OperatorRow> rows(std::begin(kOthers), std::end(kOthers));
  for (const ElementwiseRow& row : elementwise_rows())
    rows.push_back({row.op, infer_elementwise, define_elementwise, lower_elementwise});
  add_expansions(rows, kExpansions);
  return rows;
}

std::vector<OperatorRow> contributed_operators() {
  std::vector<OperatorRow> rows;
  add_expansions(rows, kContributed);
  return rows;
}

const OperatorRow* row_of(std::span<const OperatorRow> rows, const std::string& op) {
  const auto row =
      std::lower_bound(rows.begin(), rows.end(), op,
                       [](const OperatorRow& r, const std::string& name) { return r.name < name; });
  return row != rows.end() && row->name == op ? &*row : nullptr;
}

}  // namespace

std::span<const OperatorRow> operator_table() {
  static const std::vector<OperatorRow> rows = all_operators();
  return rows;
}

const OperatorRow* operator_row(const Node& node) {
  if (node.domain.empty()) return row_of(operator_table(), node.op);
  static const std::vector<OperatorRow> contributed = contributed_operators();
  return node.domain == "com.microsoft" ? row_of(contributed, node.op) : nullptr;
}

}  // namespace tahoma::workloads::graph
