// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/fuse/fusion.h"

#include <algorithm>

#include "frontend/graph/fuse/attention_entry.h"
#include "frontend/graph/fuse/chains.h"
#include "frontend/graph/fuse/patterns.h"
#include "frontend/graph/lower/product_steps.h"
#include "frontend/graph/lower/row_steps.h"
#include "frontend/graph/table/operator_table.h"

namespace tahoma::workloads::graph {

namespace {

class EntryPlanner {
 public:
  EntryPlanner(const Graph& graph, Fusion fusion)
      : graph_(graph), readers_(graph), taken_(graph.nodes.size(), false), fusion_(fusion) {}

  std::vector<PlanEntry> plan() {
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      taken_[n] = std::all_of(graph_.nodes[n].outputs.begin(), graph_.nodes[n].outputs.end(),
                              [&](ValueId id) { return id == kOmitted || graph_.value(id).constant; });
    if (fusion_ == Fusion::kOn) {
      fuse_attention();
      for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
        if (!taken_[n]) fuse_from(n);
      for (PlanEntry& entry : elementwise_chains(graph_, readers_, taken_)) take(std::move(entry));
    }
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
      if (!taken_[n]) single(n);
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const PlanEntry& a, const PlanEntry& b) { return a.nodes.back() < b.nodes.back(); });
    return std::move(entries_);
  }

 private:
  const Node& node(std::size_t n) const { return graph_.nodes[n]; }

  void take(PlanEntry entry) {
    std::sort(entry.nodes.begin(), entry.nodes.end());
    for (const std::size_t n : entry.nodes) taken_[n] = true;
    entries_.push_back(std::move(entry));
  }

  // Views that only attention passes are entries no more.
  void fuse_attention() {
    ViewTracer tracer(graph_);
    std::vector<bool> passed(graph_.nodes.size(), false);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const auto pattern = match_attention(graph_, readers_, tracer, n);
      if (!pattern) continue;
      std::vector<bool> views(graph_.nodes.size(), false);
      for (const StridedView* view : {&pattern->q, &pattern->k, &pattern->v})
        for (const std::size_t node : view->nodes) views[node] = passed[node] = true;
      for (const std::size_t node : pattern->nodes) {
        if (views[node]) continue;
        taken_[node] = true;
        tracer.stop_at(node);
      }
      entries_.push_back(attention_entry(graph_, *pattern));
    }
    for (std::size_t n = graph_.nodes.size(); n-- > 0;)
      if (passed[n] && only_passed(n, passed)) taken_[n] = true;
  }

  // All readers are part of an entry, which reads what is before the node.
  bool only_passed(std::size_t n, const std::vector<bool>& passed) const {
    const auto unread = [&](ValueId id) {
      if (id == kOmitted) return true;
      const std::vector<std::size_t>& of = readers_.of(id);
      return !readers_.is_output(id) &&
             std::all_of(of.begin(), of.end(), [&](std::size_t reader) { return taken_[reader]; });
    };
    return passed[n] && std::all_of(node(n).outputs.begin(), node(n).outputs.end(), unread);
  }

  void single(std::size_t n) {
    take({node(n).name, node(n).op, {n}, [this_graph = &graph_, n](Lowering& lowering) {
            const Node& of = this_graph->nodes[n];
            operator_row(of)->lower(NodeView(*this_graph, of), lowering);
          }});
  }

  void fuse_from(std::size_t n) {
    if (!node(n).domain.empty()) return;
    if (node(n).op == "MatMul" || node(n).op == "Gemm") return fuse_product(n);
    if (node(n).op == "Conv") return fuse_convolution(n);
    const std::optional<NormPattern> norm = match_norm(graph_, readers_, n);
    if (norm &&
        std::none_of(norm->nodes.begin(), norm->nodes.end(), [&](std::size_t of) { return taken_[of]; }))
      fuse_norm(n, *norm);
  }

  // The other operand of an Add that alone reads the value.
  std::optional<std::pair<std::size_t, ValueId>> added(ValueId value) const {
    const std::optional<std::size_t> reader = readers_.only(value);
    if (!reader || taken_[*reader] || node(*reader).op != "Add") return {};
    const std::vector<ValueId>& in = node(*reader).inputs;
    const ValueId other = in[0] == value ? in[1] : in[0];
    if (other == value) return {};
    return std::pair(*reader, other);
  }

  void fuse_product(std::size_t n) {
    ProductEnd end{node(n).outputs[0], {}, isa::ActFn::kCopy, {}};
    const Dims& dims = graph_.value(end.out).type.dims;
    if (dims.empty() || !product_can_fuse(NodeView(graph_, node(n)))) return;
    std::vector<std::size_t> nodes{n};
    std::string op = node(n).op;
    const auto grow = [&](const std::vector<std::size_t>& more, ValueId out, const std::string& as) {
      nodes.insert(nodes.end(), more.begin(), more.end());
      end.out = out;
      op += "+" + as;
    };
    if (const auto sum = added(end.out); sum && node(n).op == "MatMul") {
      const Value& other = graph_.value(sum->second);
      if (other.constant && other.type.elements() == static_cast<std::uint64_t>(dims.back()) &&
          !other.type.dims.empty() && other.type.dims.back() == dims.back()) {
        end.bias = sum->second;
        grow({sum->first}, node(sum->first).outputs[0], "bias");
      }
    }
    const auto activation = match_activation(graph_, readers_, end.out);
    if (activation && !taken_[activation->nodes.front()]) {
      end.activation = activation->fn;
      grow(activation->nodes, activation->out, node(activation->nodes.front()).op);
    }
    if (const auto sum = added(end.out); sum && adds_tensor(sum->first, sum->second, dims)) {
      end.residual = sum->second;
      grow({sum->first}, node(sum->first).outputs[0], "residual");
    }
    if (nodes.size() == 1) return;
    take({node(n).name, op, nodes, [graph = &graph_, n, end](Lowering& lowering) {
            add_node_product(NodeView(*graph, graph->nodes[n]), lowering, end);
          }});
  }

  void fuse_convolution(std::size_t n) {
    ConvolutionEnd end{node(n).outputs[0], false, {}};
    const Dims dims = graph_.value(end.out).type.dims;
    std::vector<std::size_t> nodes{n};
    std::string op = "Conv";
    if (const auto sum = added(end.out); sum && adds_tensor(sum->first, sum->second, dims)) {
      end.residual = sum->second;
      end.out = node(sum->first).outputs[0];
      nodes.push_back(sum->first);
      op += "+residual";
    }
    const std::optional<std::size_t> reader = readers_.only(end.out);
    if (reader && !taken_[*reader] && node(*reader).op == "Relu") {
      end.relu = true;
      end.out = node(*reader).outputs[0];
      nodes.push_back(*reader);
      op += "+Relu";
    }
    if (nodes.size() == 1) return;
    take({node(n).name, op, nodes, [graph = &graph_, n, end](Lowering& lowering) {
            add_node_convolution(NodeView(*graph, graph->nodes[n]), lowering, end);
          }});
  }

  // The sum has the size of both operands, of which one is computed in the run.
  bool adds_tensor(std::size_t sum, ValueId other, const Dims& dims) const {
    const Value& value = graph_.value(other);
    return !value.constant && value.type.dims == dims && graph_.value(node(sum).outputs[0]).type.dims == dims;
  }

  void fuse_norm(std::size_t n, const NormPattern& norm) {
    const char* op = norm.centred ? "LayerNormalization" : "RMSNormalization";
    take({node(n).name, op, norm.nodes, [graph = &graph_, n, norm](Lowering& lowering) {
            const TensorRef in = lowering.tensor(norm.x), out = lowering.result(norm.out);
            const auto columns = static_cast<std::uint64_t>(in.dims.back());
            const Dims row{1, in.dims.back()};
            const std::string& name = graph->nodes[n].name;
            const auto filled = [&](const char* what, double value) {
              return lowering.filled(name + what, isa::DType::kFp32, row, value);
            };
            const TensorRef gain =
                norm.gain ? bias_in_fp32(lowering, name + ".gain", *norm.gain, row) : filled(".ones", 1);
            const std::uint64_t rows = elements_of(in.dims) / columns;
            if (!norm.centred) return add_rms_norm(lowering, {out, in, rows, columns}, gain, norm.epsilon);
            add_layer_norm(lowering, {out, in, rows, columns},
                           {.gain = gain,
                            .bias = norm.bias ? bias_in_fp32(lowering, name + ".bias", *norm.bias, row)
                                              : filled(".zeros", 0),
                            .epsilon = norm.epsilon});
          }});
  }

  const Graph& graph_;
  Readers readers_;
  std::vector<bool> taken_;
  Fusion fusion_;
  std::vector<PlanEntry> entries_;
};

}  // namespace

std::vector<PlanEntry> plan_entries(const Graph& graph, Fusion fusion) {
  return EntryPlanner(graph, fusion).plan();
}

}  // namespace tahoma::workloads::graph
