// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/fuse/attention_pattern.h"

#include <algorithm>

#include "frontend/graph/operators/row_operators.h"

namespace tahoma::workloads::graph {

namespace {

constexpr std::int64_t kMostFeatures = 256;
constexpr std::size_t kMostMasks = 2;

class AttentionMatch {
 public:
  AttentionMatch(const Graph& graph, const Readers& readers, const ViewTracer& tracer)
      : graph_(graph), readers_(readers), tracer_(tracer) {}

  std::optional<AttentionPattern> match(std::size_t softmax) {
    p_.softmax = softmax;
    p_.nodes.push_back(softmax);
    if (!is_last_softmax() || !find_product() || !find_scores() || !find_operands()) return {};
    find_output();
    std::sort(p_.nodes.begin(), p_.nodes.end());
    p_.nodes.erase(std::unique(p_.nodes.begin(), p_.nodes.end()), p_.nodes.end());
    return p_;
  }

 private:
  const Node& node(std::size_t n) const { return graph_.nodes[n]; }
  const Dims& dims(ValueId id) const { return graph_.value(id).type.dims; }
  bool is(std::size_t n, const char* op) const { return node(n).domain.empty() && node(n).op == op; }

  bool is_last_softmax() const {
    const NodeView view(graph_, node(p_.softmax));
    if (!is(p_.softmax, "Softmax") || view.rank(0) < 2 || !is_floating(view.type(0).element)) return false;
    const RowsOf rows = softmax_rows(view);
    return rows.count == 1 && rows.first + 1 == static_cast<std::size_t>(view.rank(0));
  }

  // Nodes that leave matrices as they are: casts between floating-point types, other leading dimensions.
  bool keeps_matrices(std::size_t n) const {
    const ValueId in = node(n).inputs[0], out = node(n).outputs[0];
    if (is(n, "Cast"))
      return is_floating(graph_.value(in).type.element) && is_floating(graph_.value(out).type.element);
    if (is(n, "Transpose") || !permutes(node(n))) return false;
    const Dims &from = dims(in), &to = dims(out);
    return from.size() >= 2 && to.size() >= 2 && std::equal(from.end() - 2, from.end(), to.end() - 2);
  }

  // From the softmax to the product with the values.
  bool find_product() {
    ValueId weights = node(p_.softmax).outputs[0];
    for (;;) {
      const std::optional<std::size_t> reader = readers_.only(weights);
      if (!reader) return false;
      p_.nodes.push_back(*reader);
      if (is(*reader, "MatMul")) {
        p_.product = *reader;
        return node(*reader).inputs[0] == weights && node(*reader).inputs[1] != weights;
      }
      if (!keeps_matrices(*reader)) return false;
      weights = node(*reader).outputs[0];
    }
  }

  // From the softmax back to the product of queries and keys.
  bool find_scores() {
    ValueId scores = node(p_.softmax).inputs[0];
    double factor = 1;
    for (;;) {
      const std::optional<std::size_t> maker = tracer_.maker(scores);
      if (!maker || !readers_.only(scores) || graph_.value(scores).constant) return false;
      p_.nodes.push_back(*maker);
      if (is(*maker, "MatMul")) {
        p_.scores = *maker;
        p_.factor = factor;
        return factor > 0;
      }
      const std::optional<ValueId> before =
          keeps_matrices(*maker) ? node(*maker).inputs[0] : score_operand(*maker, scores, factor);
      if (!before) return false;
      scores = *before;
    }
  }

  // The operand of a product with a number, of the sum with a mask, or of a choice by one, that are scores.
  std::optional<ValueId> score_operand(std::size_t n, ValueId out, double& factor) {
    const NodeView view(graph_, node(n));
    const std::vector<ValueId>& in = node(n).inputs;
    if (is(n, "Where")) {
      for (const std::size_t at : {1U, 2U}) {
        const std::optional<double> number = view.scalar(3 - at);
        if (!number || !(*number <= kHides) || dims(in[at]) != dims(out)) continue;
        return mask(in[0], {in[0], 1, number, at == 2, dims(out)}) ? std::optional(in[at]) : std::nullopt;
      }
      return {};
    }
    if (!node(n).domain.empty() || in.size() != 2 || in[0] == in[1]) return {};
    for (const std::size_t at : {0U, 1U}) {
      if (graph_.value(in[at]).constant || dims(in[at]) != dims(out)) continue;
      const std::optional<double> number = view.scalar(1 - at);
      if (number && *number != 0 && (is(n, "Mul") || (is(n, "Div") && at == 0))) {
        factor *= is(n, "Mul") ? *number : 1 / *number;
        return in[at];
      }
      // A value that the graph computes from the queries is more likely a score than a mask is.
      if (is(n, "Add") && (leads_to_product(in[at]) || !leads_to_product(in[1 - at])))
        return mask(in[1 - at], {in[1 - at], factor, {}, true, dims(out)}) ? std::optional(in[at])
                                                                           : std::nullopt;
    }
    return {};
  }

  bool leads_to_product(ValueId value) const {
    for (;;) {
      const std::optional<std::size_t> maker = tracer_.maker(value);
      if (!maker || graph_.value(value).constant) return false;
      if (is(*maker, "MatMul")) return readers_.only(value).has_value();
      if (node(*maker).inputs.empty()) return false;
      value = node(*maker).inputs[0];
    }
  }

  // A mask has a key in each column, and the same rows for all queries or one for each.
  bool mask(ValueId value, AttentionMaskTerm term) {
    Dims of = dims(value);
    const std::size_t rank = term.scores.size();
    if (of.size() > rank || rank < 2 || p_.masks.size() == kMostMasks) return false;
    of.insert(of.begin(), rank - of.size(), 1);
    if (of[rank - 1] != term.scores[rank - 1]) return false;
    p_.masks.push_back(std::move(term));
    return true;
  }

  // The deepest view whose last dimension is dense, and whose rows are equally far apart.
  std::optional<StridedView> best(ValueId value, std::size_t row_dim, std::size_t column_dim,
                                  bool scaled = true) const {
    std::optional<StridedView> found;
    for (StridedView& view : tracer_.views(value)) {
      const auto row = view.step(row_dim), column = view.step(column_dim);
      if (!row || !column || *row < 0 || (*column != 1 && view.size(column_dim) > 1)) continue;
      if (view.size(row_dim) > 1 && *row < view.size(column_dim)) continue;
      if (!scaled && view.factor != 1) continue;
      if (!found || view.nodes.size() > found->nodes.size()) found = std::move(view);
    }
    return found;
  }

  bool find_operands() {
    const ValueId q = node(p_.scores).inputs[0], k = node(p_.scores).inputs[1],
                  v = node(p_.product).inputs[1], o = node(p_.product).outputs[0];
    const std::size_t rank_q = dims(q).size(), rank_k = dims(k).size(), rank_v = dims(v).size();
    if (rank_q < 2 || rank_k < 2 || rank_v < 2) return false;
    p_.queries = dims(q)[rank_q - 2];
    p_.features = dims(q)[rank_q - 1];
    p_.keys = dims(k)[rank_k - 1];
    p_.values = dims(v)[rank_v - 1];
    p_.batch = Dims(dims(o).begin(), dims(o).end() - 2);
    if (graph_.value(o).type.elements() == 0 || p_.keys == 0 || p_.features == 0) return false;
    if (p_.features > kMostFeatures || p_.values > kMostFeatures) return false;
    const Dims& scores = dims(node(p_.scores).outputs[0]);
    const auto stored = [&](ValueId id) { return element_row(graph_.value(id).type.element).stored; };
    if (stored(q) != stored(v) || stored(q) != stored(o) || isa::size_of(stored(q)) < 2) return false;
    // Batches of the scores may have other dimensions than those of the result, in the same order.
    p_.score_batch = Dims(scores.begin(), scores.end() - 2);
    if (elements_of(p_.score_batch) != elements_of(p_.batch)) return false;
    const auto q_view = best(q, rank_q - 2, rank_q - 1), v_view = best(v, rank_v - 2, rank_v - 1, false);
    auto k_view = best(k, rank_k - 1, rank_k - 2);
    if (!q_view || !v_view) return false;
    p_.k_across = !k_view;
    p_.q = *q_view;
    p_.v = *v_view;
    if (k_view) std::swap(k_view->dims[rank_k - 2], k_view->dims[rank_k - 1]);
    p_.k = k_view ? *k_view : whole_view(graph_, k);
    for (const StridedView* view : {&p_.q, &p_.k, &p_.v})
      p_.nodes.insert(p_.nodes.end(), view->nodes.begin(), view->nodes.end());
    p_.factor *= p_.q.factor * p_.k.factor;
    return p_.factor > 0;
  }

  // What follows and only moves elements, as far as the values stay side by side.
  void find_output() {
    const ValueId o = node(p_.product).outputs[0];
    StridedView view = whole_view(graph_, o);
    p_.out = view;
    std::vector<std::size_t> passed;
    for (ValueId at = o;;) {
      const std::optional<std::size_t> reader = readers_.only(at);
      if (!reader || !permutes(node(*reader)) || node(*reader).inputs[0] != at ||
          NodeView(graph_, node(*reader)).wants(1))
        break;
      const ValueId next = node(*reader).outputs[0];
      const auto moved = viewed_through(graph_, view, *reader, next);
      if (!moved) break;
      view = *moved;
      at = next;
      const StridedView stored = inverse_of(graph_, view, at);
      const std::size_t rank = stored.dims.size();
      const auto row = stored.step(rank - 2), column = stored.step(rank - 1);
      if (row && column && (*column == 1 || p_.values == 1)) p_.out = stored;
    }
    p_.nodes.insert(p_.nodes.end(), p_.out.nodes.begin(), p_.out.nodes.end());
  }

  const Graph& graph_;
  const Readers& readers_;
  const ViewTracer& tracer_;
  AttentionPattern p_;
};

}  // namespace

std::optional<AttentionPattern> match_attention(const Graph& graph, const Readers& readers,
                                                const ViewTracer& tracer, std::size_t softmax) {
  return AttentionMatch(graph, readers, tracer).match(softmax);
}

}  // namespace tahoma::workloads::graph
