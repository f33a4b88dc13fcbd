// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/fuse/strided_view.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "frontend/graph/operators/movement.h"
#include "frontend/graph/operators/operator_definition.h"

namespace tahoma::workloads::graph {

namespace {

// Neighbours that continue each other become one; single elements vanish.
StridedDim merged(const StridedDim& dim) {
  StridedDim all;
  for (const Stride& next : dim) {
    if (next.count == 1) continue;
    if (!all.empty() && all.back().step == next.step * next.count)
      all.back() = {all.back().count * next.count, next.step};
    else
      all.push_back(next);
  }
  return all;
}

// The same elements, in order, in other dimensions.
std::optional<std::vector<StridedDim>> regrouped(const std::vector<StridedDim>& from, const Dims& to) {
  StridedDim flat;
  for (const StridedDim& dim : from) flat.insert(flat.end(), dim.begin(), dim.end());
  flat = merged(flat);
  std::vector<StridedDim> dims(to.size());
  for (std::size_t d = to.size(); d-- > 0;) {
    for (std::int64_t left = to[d]; left > 1;) {
      if (flat.empty()) return {};
      Stride& last = flat.back();
      if (last.count <= left) {
        if (left % last.count != 0) return {};
        left /= last.count;
        dims[d].insert(dims[d].begin(), last);
        flat.pop_back();
      } else {
        if (last.count % left != 0) return {};
        dims[d].insert(dims[d].begin(), {left, last.step});
        last = {last.count / left, last.step * left};
        left = 1;
      }
    }
    dims[d] = merged(dims[d]);
  }
  return flat.empty() ? std::optional(dims) : std::nullopt;
}

// Elements first, first + by, ... of a dimension.
bool cut(StridedView& view, std::size_t dim, std::int64_t first, std::int64_t by, std::int64_t count) {
  const std::optional<std::int64_t> step = view.step(dim);
  if (!step || by < 1) return false;
  view.offset += first * *step;
  view.dims[dim] = merged({{count, by * *step}});
  return true;
}

bool split(const Graph& graph, StridedView& view, const NodeView& node, ValueId out) {
  const std::size_t axis = node.axis(node.integer("axis", 0), node.rank(0));
  std::int64_t first = 0;
  for (const ValueId id : node.node().outputs) {
    if (id == kOmitted) return false;  // its size is not known
    const std::int64_t size = graph.value(id).type.dims[axis];
    if (id == out) return cut(view, axis, first, 1, size);
    first += size;
  }
  return false;
}

bool slice(StridedView& view, const NodeView& node) {
  const std::vector<SliceAxis> axes = slice_of(node);
  for (std::size_t d = 0; d < axes.size(); ++d)
    if ((axes[d].start != 0 || axes[d].step != 1 || axes[d].count != node.dims(0)[d]) &&
        !cut(view, d, axes[d].start, axes[d].step, axes[d].count))
      return false;
  return true;
}

bool gather(StridedView& view, const NodeView& node) {
  const std::size_t axis = node.axis(node.integer("axis", 0), node.rank(0));
  const std::optional<double> index = node.scalar(1);
  if (!index || node.rank(1) > 1) return false;
  const std::int64_t size = node.dims(0)[axis];
  if (!cut(view, axis, static_cast<std::int64_t>(*index) + (*index < 0 ? size : 0), 1, 1)) return false;
  if (node.rank(1) == 0) view.dims.erase(view.dims.begin() + static_cast<std::ptrdiff_t>(axis));
  return true;
}

void expand(StridedView& view, const Dims& from, const Dims& to) {
  std::vector<StridedDim> dims(to.size());
  const std::size_t lead = to.size() - from.size();
  for (std::size_t d = 0; d < to.size(); ++d)
    dims[d] = d >= lead && from[d - lead] == to[d] ? view.dims[d - lead] : StridedDim{{to[d], 0}};
  view.dims = std::move(dims);
}

bool reshapes(std::string_view op) {
  static const std::set<std::string_view> kOps{"Reshape",   "Flatten",  "Squeeze",
                                               "Unsqueeze", "Identity", "Dropout"};
  return kOps.contains(op);
}

// A number that multiplies all elements of input 0 or 1.
std::optional<double> factor_of(const NodeView& node, ValueId value) {
  const std::string& op = node.node().op;
  if (op != "Mul" && op != "Div") return {};
  const std::size_t other = node.node().inputs[0] == value ? 1 : 0;
  if (op == "Div" && other == 0) return {};
  const std::optional<double> number = node.scalar(other);
  if (!number || node.rank(other) > node.rank(1 - other) || *number == 0) return {};
  return op == "Mul" ? *number : 1 / *number;
}

}  // namespace

std::optional<std::int64_t> StridedView::step(std::size_t dim) const {
  if (dims[dim].empty()) return 0;
  return dims[dim].size() == 1 ? std::optional(dims[dim][0].step) : std::nullopt;
}

std::int64_t StridedView::size(std::size_t dim) const {
  std::int64_t all = 1;
  for (const Stride& s : dims[dim]) all *= s.count;
  return all;
}

StridedView whole_view(const Graph& graph, ValueId value) {
  StridedView view;
  view.base = value;
  const Dims& dims = graph.value(value).type.dims;
  const std::vector<std::int64_t> steps = row_major_strides(dims);
  for (std::size_t d = 0; d < dims.size(); ++d) view.dims.push_back(merged({{dims[d], steps[d]}}));
  return view;
}

bool permutes(const Node& node) {
  return node.domain.empty() && (node.op == "Transpose" || reshapes(node.op));
}

std::optional<StridedView> viewed_through(const Graph& graph, const StridedView& from, std::size_t n,
                                          ValueId out) {
  const Node& node = graph.nodes[n];
  const NodeView view_of(graph, node);
  const Dims& to = graph.value(out).type.dims;
  if (!node.domain.empty() || node.inputs.empty()) return {};
  StridedView view = from;
  view.nodes.push_back(n);
  if (reshapes(node.op)) {
    if (out != node.outputs[0]) return {};
    const auto dims = regrouped(from.dims, to);
    if (!dims) return {};
    view.dims = *dims;
    return view;
  }
  bool ok = true;
  if (node.op == "Transpose") {
    const std::vector<std::size_t> order = permutation_of(view_of);
    for (std::size_t d = 0; d < order.size(); ++d) view.dims[d] = from.dims[order[d]];
  } else if (node.op == "Expand") {
    expand(view, view_of.dims(0), to);
  } else if (node.op == "Split") {
    ok = split(graph, view, view_of, out);
  } else if (node.op == "Slice") {
    ok = slice(view, view_of);
  } else if (node.op == "Gather") {
    ok = gather(view, view_of);
  } else {
    return {};
  }
  return ok ? std::optional(view) : std::nullopt;
}

ViewTracer::ViewTracer(const Graph& graph)
    : graph_(graph), makers_(graph.values.size()), stops_(graph.nodes.size(), false) {
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    for (const ValueId id : graph.nodes[n].outputs)
      if (id != kOmitted) makers_[id] = n;
}

std::optional<std::size_t> ViewTracer::maker(ValueId value) const { return makers_.at(value); }

std::vector<StridedView> ViewTracer::views(ValueId value) const {
  if (graph_.value(value).type.elements() == 0) return {};
  std::vector<StridedView> all{whole_view(graph_, value)};
  const std::optional<std::size_t> maker = makers_[value];
  if (!maker || stops_[*maker] || graph_.value(value).constant) return all;
  const Node& node = graph_.nodes[*maker];
  const NodeView view_of(graph_, node);
  for (const ValueId id : node.inputs) {
    if (id == kOmitted || graph_.value(id).constant || !node.domain.empty()) continue;
    const std::optional<double> factor = factor_of(view_of, id);
    if (!factor && id != node.inputs[0]) break;
    for (StridedView& view : views(id)) {
      if (factor) {
        view.factor *= *factor;
        view.nodes.push_back(*maker);
        all.push_back(std::move(view));
      } else if (auto next = viewed_through(graph_, view, *maker, value)) {
        all.push_back(std::move(*next));
      }
    }
    break;
  }
  return all;
}

StridedView inverse_of(const Graph& graph, const StridedView& view, ValueId value) {
  StridedDim flat;  // strides in the base, outer ones first
  for (const StridedDim& dim : view.dims) flat.insert(flat.end(), dim.begin(), dim.end());
  std::vector<std::pair<std::int64_t, Stride>> by_base;  // the step in the base, and the stride in the value
  std::int64_t step = 1;
  for (auto s = flat.rbegin(); s != flat.rend(); ++s) {
    by_base.emplace_back(s->step, Stride{s->count, step});
    step *= s->count;
  }
  std::sort(by_base.begin(), by_base.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  StridedView inverse;
  inverse.base = value;
  inverse.nodes = view.nodes;
  StridedDim all;
  for (const auto& [of_base, stride] : by_base) all.push_back(stride);
  inverse.dims = regrouped({all}, graph.value(view.base).type.dims).value();
  return inverse;
}

std::vector<std::uint64_t> matrix_offsets(const StridedView& view, const Dims& batch) {
  const std::size_t lead = view.dims.size() - std::min<std::size_t>(view.dims.size(), 2);
  std::vector<std::uint64_t> offsets;
  for_each_index(batch, [&](const Dims& index, std::size_t) {
    std::int64_t at = view.offset;
    for (std::size_t d = 0; d < lead; ++d) {
      const StridedDim& dim = view.dims[d];
      std::int64_t left = index[index.size() - lead + d];
      if (dim.empty()) continue;  // broadcast
      for (auto s = dim.rbegin(); s != dim.rend(); ++s) {
        at += left % s->count * s->step;
        left /= s->count;
      }
    }
    offsets.push_back(static_cast<std::uint64_t>(at));
  });
  return offsets;
}

}  // namespace tahoma::workloads::graph
