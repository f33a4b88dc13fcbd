// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "frontend/graph/expand/expansion.h"
#include "frontend/graph/operators/movement.h"
#include "frontend/graph/operators/resampling.h"

namespace tahoma::workloads::graph {

namespace {

// The weights of the pixels from floor(x) - 1 to floor(x) + 2 in the value at x.
std::array<double, 4> weights_at(const NodeView& node, double x, std::int64_t size) {
  const double t = x - std::floor(x);
  if (node.is("mode", "", "linear")) return {0, 1 - t, t, 0};
  const double a = node.number("cubic_coeff_a", -0.75);
  const auto near = [a](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  const auto far = [a](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  std::array<double, 4> weights{far(1 + t), near(t), near(1 - t), far(2 - t)};
  if (node.integer("exclude_outside", 0) == 0) return weights;
  const auto first = static_cast<std::int64_t>(std::floor(x)) - 1;
  double sum = 0;
  for (std::int64_t k = 0; k < 4; ++k) {
    double& weight = weights[static_cast<std::size_t>(k)];
    if (first + k < 0 || first + k >= size) weight = 0;
    sum += weight;
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// One column for each pixel of the output.
std::vector<double> weight_matrix(const NodeView& node, std::int64_t from, std::int64_t to, double scale) {
  std::vector<double> matrix(static_cast<std::size_t>(from * to), 0);
  for (std::int64_t i = 0; i < to; ++i) {
    const double x = source_of(node, i, from, to, scale);
    const std::array<double, 4> weights = weights_at(node, x, from);
    for (std::int64_t k = 0; k < 4; ++k) {
      const std::int64_t pixel =
          std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(x)) - 1 + k, 0, from - 1);
      matrix[static_cast<std::size_t>(pixel * to + i)] += weights[static_cast<std::size_t>(k)];
    }
  }
  return matrix;
}

ValueId gathered(Expansion& to, ValueId value, std::size_t axis, const std::vector<std::int64_t>& indices) {
  return to.add("Gather", {value, to.integers(indices)},
                {{"axis", attribute_of(static_cast<std::int64_t>(axis))}});
}

std::int64_t wrapped(std::int64_t at, std::int64_t size) { return (at % size + size) % size; }

}  // namespace

void expand_resize(Expansion& to) {
  const NodeView& node = to.node();
  const Dims from = to.dims(0);
  ValueId x = node.id(0);
  if (node.is("mode", "nearest", "nearest")) {
    const std::vector<std::vector<std::int64_t>> pixels = nearest_pixels(node);
    bool even = true;
    for (std::size_t d = 0; d < from.size(); ++d) even = even && repeats_evenly(pixels[d], from[d]);
    if (even) return;
    for (std::size_t d = 0; d < from.size(); ++d)
      if (static_cast<std::int64_t>(pixels[d].size()) != from[d]) x = gathered(to, x, d, pixels[d]);
    return to.result(0, x);
  }
  node.require(
      node.is("mode", "", "linear") || node.is("mode", "", "cubic"), "E-ONX-005",
      fmt::format("resizes in mode '{}'; supported are nearest, linear and cubic", node.word("mode", "")));
  const ResizeTo sizes = resize_to(node);
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (sizes.dims[d] == from[d] && sizes.scales[d] == 1) continue;
    const ValueId matrix = to.constant(node.type(0).element, {from[d], sizes.dims[d]},
                                       weight_matrix(node, from[d], sizes.dims[d], sizes.scales[d]));
    x = to.times_along(x, from.size(), d, matrix);
  }
  to.result(0, x);
}

void expand_upsample(Expansion& to) {
  const NodeView& node = to.node();
  const std::vector<double> given = node.has(1) ? node.constant(1).values
                                    : node.has_attribute("scales")
                                        ? node.node().attributes.at("scales").floats
                                        : std::vector<double>();
  const ValueId scales = to.constant(ElementType::kFloat, {static_cast<std::int64_t>(given.size())}, given);
  Attribute mode;
  mode.s = node.word("mode", "nearest");
  to.result(0, to.add("Resize", {node.id(0), scales}, {{"mode", mode}}));
}

void expand_pad(Expansion& to) {
  const NodeView& node = to.node();
  if (node.is("mode", "constant", "constant")) return;
  const std::string mode = node.word("mode", "");
  node.require(mode == "reflect" || mode == "edge" || mode == "wrap", "E-ONX-005",
               fmt::format("pads in mode '{}'; supported are constant, reflect, edge and wrap", mode));
  const Padding padding = padding_of(node);
  const Dims from = to.dims(0);
  ValueId x = node.id(0);
  for (std::size_t d = 0; d < from.size(); ++d) {
    const std::int64_t before = padding.before[d], after = padding.after[d], size = from[d];
    if (before == 0 && after == 0) continue;
    node.require(size > 0 && size + before + after >= 0, "E-ONX-004", fmt::format("pads {}", text_of(from)));
    std::vector<std::int64_t> indices;
    for (std::int64_t at = -before; at < size + after; ++at) {
      const std::int64_t turn = std::max<std::int64_t>(1, 2 * (size - 1)), there = wrapped(at, turn);
      indices.push_back(mode == "edge"   ? std::clamp<std::int64_t>(at, 0, size - 1)
                        : mode == "wrap" ? wrapped(at, size)
                                         : std::min(there, turn - there) * (size > 1 ? 1 : 0));
    }
    x = gathered(to, x, d, indices);
  }
  to.result(0, x);
}

}  // namespace tahoma::workloads::graph
