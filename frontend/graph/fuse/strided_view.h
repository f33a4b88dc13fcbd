// SPDX-License-Identifier: Apache-2.0
// A value that consists of elements of another one, which a kernel can read where they are: through
// transposes, reshapes, broadcasts, splits, slices, and products with a number.
#pragma once

#include <optional>
#include <vector>

#include "frontend/graph/operators/node_view.h"

namespace tahoma::workloads::graph {

// Some elements at equal distances.
struct Stride {
  std::int64_t count = 1, step = 0;
};
// A dimension: outer strides first. Neighbours that are one run are one.
using StridedDim = std::vector<Stride>;

struct StridedView {
  ValueId base = 0;
  std::int64_t offset = 0;  // of the first element in the base, which is row-major
  std::vector<StridedDim> dims;
  double factor = 1;               // of all elements
  std::vector<std::size_t> nodes;  // from the base to the value

  // The distance of the elements of a dimension, if all are equally far apart; 0: it has one.
  std::optional<std::int64_t> step(std::size_t dim) const;
  std::int64_t size(std::size_t dim) const;
};

class ViewTracer {
 public:
  explicit ViewTracer(const Graph& graph);
  // All ways to see the value, from itself to the most distant base.
  std::vector<StridedView> views(ValueId value) const;
  // Views do not pass the node: what is before it is not stored.
  void stop_at(std::size_t node) { stops_.at(node) = true; }
  // The node that computes the value.
  std::optional<std::size_t> maker(ValueId value) const;

 private:
  const Graph& graph_;
  std::vector<std::optional<std::size_t>> makers_;  // by value
  std::vector<bool> stops_;                         // by node
};

StridedView whole_view(const Graph& graph, ValueId value);
// The view after one more node; none if the node computes, or has strides that are not even.
std::optional<StridedView> viewed_through(const Graph& graph, const StridedView& view, std::size_t node,
                                          ValueId out);
// Whether a node only moves all elements, each once.
bool permutes(const Node& node);

// `view` shows all elements of its base, each once: the base as a view of the value, which then is row-major.
StridedView inverse_of(const Graph& graph, const StridedView& view, ValueId value);

// The offsets of the matrices in the last two dimensions, for leading dimensions that are broadcast to
// `batch`.
std::vector<std::uint64_t> matrix_offsets(const StridedView& view, const Dims& batch);

}  // namespace tahoma::workloads::graph
