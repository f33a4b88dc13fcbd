// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/fuse/attention_entry.h"

#include <algorithm>
#include <cmath>

#include "frontend/graph/fuse/attention_slack.h"
#include "frontend/graph/lower/attention_step.h"
#include "frontend/graph/lower/strided_copy.h"
#include "frontend/graph/lower/tile_kernel.h"
#include "frontend/graph/operators/operator_definition.h"
#include "model/base/error.h"

namespace tahoma::workloads::graph {

namespace {

constexpr double kHidden = -1e30;  // far below any score, but finite

// A mask as the kernel adds it to unscaled scores.
Array mask_values(const AttentionMaskTerm& term, const Array& of, double factor) {
  Array mask{{ElementType::kFloat, of.type.dims}, of.values};
  for (double& value : mask.values) {
    if (term.number)
      value = (value != 0) == term.hides ? kHidden : 0;
    else
      value = std::max(value * term.factor / factor, kHidden);
  }
  return mask;
}

enum class MaskKind : std::uint8_t { kNone, kCausal, kBf16, kFp32 };

MaskKind kind_of(const Array& mask, std::int64_t queries, std::int64_t keys) {
  const Dims& dims = mask.type.dims;
  const bool square = dims.size() >= 2 && dims[dims.size() - 2] == queries && queries > 1 && queries <= keys;
  bool zero = true, causal = square, narrow = true;
  for (std::size_t i = 0; i < mask.values.size(); ++i) {
    const double value = mask.values[i];
    const auto column = static_cast<std::int64_t>(i) % keys,
               row = static_cast<std::int64_t>(i) / keys % queries;
    const bool hides = value <= kHides && column > row + keys - queries;
    causal = causal && (column > row + keys - queries ? hides : value == 0);
    zero = zero && value == 0;
    narrow = narrow && (value <= kHidden || rounded(value, ElementType::kBfloat16) == value);
  }
  return zero ? MaskKind::kNone : causal ? MaskKind::kCausal : narrow ? MaskKind::kBf16 : MaskKind::kFp32;
}

class AttentionLowering {
 public:
  AttentionLowering(const Graph& graph, const AttentionPattern& pattern, Lowering& lowering)
      : graph_(graph), p_(pattern), lowering_(lowering) {}

  void lower() {
    step_.queries = p_.queries;
    step_.keys = p_.keys;
    step_.features = p_.features;
    step_.values = p_.values;
    step_.scale = p_.factor;
    step_.q = matrices(lowering_.tensor(p_.q.base), p_.q, p_.score_batch);
    step_.k = p_.k_across ? transposed_keys() : matrices(lowering_.tensor(p_.k.base), p_.k, p_.score_batch);
    step_.v = matrices(lowering_.tensor(p_.v.base), p_.v, p_.batch);
    for (const AttentionMaskTerm& term : p_.masks) add_mask(term);
    step_.out = matrices(lowering_.result(p_.out.base), p_.out, p_.batch);
    add_attention(lowering_, std::move(step_));
  }

 private:
  const std::string& name() const { return graph_.nodes[p_.softmax].name; }

  static HeadMatrices matrices(const TensorRef& tensor, const StridedView& view, const Dims& batch) {
    const std::size_t row = view.dims.size() - 2;
    const std::int64_t step = view.step(row).value();
    return {tensor, step == 0 ? view.size(row + 1) : step, matrix_offsets(view, batch)};
  }

  HeadMatrices transposed_keys() {
    const TensorRef from = lowering_.tensor(p_.k.base);
    std::vector<std::size_t> order(from.dims.size());
    for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
    std::swap(order[order.size() - 2], order[order.size() - 1]);
    Dims dims = from.dims;
    std::swap(dims[dims.size() - 2], dims[dims.size() - 1]);
    const TensorRef to = lowering_.scratch(name() + ".keys", lowering_.dtype(from), dims);
    add_permute(lowering_, to, from, order);
    StridedView view;
    const std::vector<std::int64_t> steps = row_major_strides(dims);
    for (std::size_t d = 0; d < dims.size(); ++d)
      view.dims.push_back(dims[d] > 1 ? StridedDim{{dims[d], steps[d]}} : StridedDim{});
    return matrices(to, view, p_.score_batch);
  }

  void add_mask(const AttentionMaskTerm& term) {
    const Value& value = graph_.value(term.value);
    TensorRef mask = value.constant ? constant_mask(term) : computed_mask(term);
    if (mask.dims.empty()) return;  // it needs no tensor
    mask.dims.insert(mask.dims.begin(), term.scores.size() - mask.dims.size(), 1);
    const std::size_t rank = mask.dims.size();
    HeadMatrices heads{mask, mask.dims[rank - 2] > 1 ? p_.keys : 0, {}};
    const auto size = static_cast<std::uint64_t>(mask.dims[rank - 2] * p_.keys);
    const Dims batch(mask.dims.begin(), mask.dims.end() - 2),
        scores(term.scores.begin(), term.scores.end() - 2);
    for_each_index(scores, [&](const Dims& index, std::size_t) {
      heads.at.push_back(broadcast_offset(batch, index) * size);
    });
    step_.masks.push_back(std::move(heads));
  }

  TensorRef constant_mask(const AttentionMaskTerm& term) {
    const Value& value = graph_.value(term.value);
    const LazyArray values = [term, of = value.constant, factor = p_.factor] {
      return mask_values(term, of(), factor);
    };
    MaskKind kind = MaskKind::kFp32;
    try {
      kind = kind_of(values(), p_.queries, p_.keys);
    } catch (const base::UserError& missing) {  // timing mode needs no external data
      if (missing.code != "E-ONX-006") throw;
    }
    if (kind == MaskKind::kCausal) step_.causal = true;
    if (kind == MaskKind::kNone || kind == MaskKind::kCausal) return {};
    const isa::DType dtype = kind == MaskKind::kBf16 ? isa::DType::kBf16 : isa::DType::kFp32;
    return lowering_.constant(name() + ".mask", dtype, value.type.dims, values);
  }

  // In a step of its own, at the size that the mask has.
  TensorRef computed_mask(const AttentionMaskTerm& term) {
    const TensorRef from = lowering_.tensor(term.value);
    const double by = term.factor / p_.factor;
    int exponent = 0;
    const bool exact = term.number || (lowering_.dtype(from) == isa::DType::kBf16 &&
                                       std::fabs(std::frexp(by, &exponent)) == 0.5);
    const TensorRef to =
        lowering_.scratch(name() + ".mask", exact ? isa::DType::kBf16 : isa::DType::kFp32, from.dims);
    TileCode code(1);
    const TileOperand hidden = TileOperand::of(kHidden);
    const TileOperand result =
        term.number ? code.multiply(code.apply(term.hides ? isa::AluOp::kIsNotEqual : isa::AluOp::kIsEqual,
                                               code.input(0), TileOperand::of(0)),
                                    hidden)
                    : code.maximum(code.multiply(code.input(0), TileOperand::of(by)), hidden);
    add_tile_code(lowering_, to, {from}, code, result);
    return to;
  }

  const Graph& graph_;
  const AttentionPattern& p_;
  Lowering& lowering_;
  AttentionStep step_;
};

}  // namespace

PlanEntry attention_entry(const Graph& graph, const AttentionPattern& pattern) {
  PlanEntry entry{graph.nodes[pattern.softmax].name, "Attention", pattern.nodes,
                  [graph = &graph, pattern](Lowering& lowering) {
                    AttentionLowering(*graph, pattern, lowering).lower();
                  }};
  entry.slack = NodeSlack{pattern.product, [graph = &graph, pattern](const auto& value, isa::DType rounded) {
                            return attention_slack(*graph, pattern, value, rounded);
                          }};
  return entry;
}

}  // namespace tahoma::workloads::graph
