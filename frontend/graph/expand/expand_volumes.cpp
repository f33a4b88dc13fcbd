// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "frontend/graph/expand/expansion.h"

namespace tahoma::workloads::graph {

namespace {

constexpr std::size_t kVolume = 5;  // samples, channels, depth, height, width

// Attributes for spatial dimensions `first` to `end` of three; one dimension has a second one of size 1.
Attributes of_dimensions(const NodeView& node, std::size_t first, std::size_t end) {
  const bool then_one = end - first == 1;
  Attributes some = node.node().attributes;
  for (const char* name : {"kernel_shape", "strides", "dilations"}) {
    const auto at = some.find(name);
    if (at == some.end()) continue;
    const std::vector<std::int64_t> all = at->second.ints;
    node.require(all.size() == 3, "E-ONX-005", fmt::format("has {} numbers in {}", all.size(), name));
    at->second.ints.assign(all.begin() + static_cast<std::ptrdiff_t>(first),
                           all.begin() + static_cast<std::ptrdiff_t>(end));
    if (then_one) at->second.ints.push_back(1);
  }
  if (const auto at = some.find("pads"); at != some.end()) {
    const std::vector<std::int64_t> all = at->second.ints;
    node.require(all.size() == 6, "E-ONX-005", fmt::format("has {} paddings", all.size()));
    at->second.ints.clear();
    for (const std::size_t side : {std::size_t{0}, std::size_t{3}}) {
      for (std::size_t d = first; d < end; ++d) at->second.ints.push_back(all[side + d]);
      if (then_one) at->second.ints.push_back(0);
    }
  }
  return some;
}

}  // namespace

// Over height and width, then over the depth: means and maxima over a box are those of the means and maxima
// over its sides, padded or not.
void expand_pool(Expansion& to) {
  const NodeView& node = to.node();
  const Dims x = to.dims(0);
  const std::string& op = node.node().op;
  if (x.size() != kVolume) return;
  if (op.starts_with("Global"))
    return to.result(0, to.reduce(op == "GlobalMaxPool" ? "ReduceMax" : "ReduceMean", node.id(0), {2, 3, 4}));
  node.require(!node.wants(1), "E-ONX-005", "wants the indices of maxima, which are not supported");
  const ValueId flat =
      to.add(op, {to.reshape(node.id(0), {x[0], x[1] * x[2], x[3], x[4]})}, of_dimensions(node, 1, 3));
  const ValueId shape = to.add("Shape", {flat}, {{"start", attribute_of(std::int64_t{2})}});
  const ValueId deep = to.add(op, {to.reshape(flat, {x[0], x[1], x[2], -1})}, of_dimensions(node, 0, 1));
  const ValueId depth = to.add(
      "Shape", {deep}, {{"start", attribute_of(std::int64_t{2})}, {"end", attribute_of(std::int64_t{3})}});
  const ValueId sizes =
      to.add("Concat", {to.integers({x[0], x[1]}), depth, shape}, {{"axis", attribute_of(std::int64_t{0})}});
  to.result(0, to.add("Reshape", {deep, sizes}));
}

// The slices of the filter's depth are further input channels of a convolution of images.
void expand_conv(Expansion& to) {
  const NodeView& node = to.node();
  const Dims x = to.dims(0), w = to.dims(1);
  if (x.size() != kVolume || w.size() != kVolume) return;
  node.require(node.word("auto_pad", "NOTSET") == "NOTSET", "E-ONX-010",
               "pads three dimensions automatically");
  const std::int64_t groups = node.integer("group", 1), channels = w[1], taps = w[2];
  node.require(groups * channels == x[1], "E-ONX-004",
               fmt::format("has filters of shape {} for {}", text_of(w), text_of(x)));
  const auto first_of = [&](const char* name, std::int64_t otherwise) {
    const std::vector<std::int64_t> all = node.list(name);
    return all.empty() ? otherwise : all.front();
  };
  const std::vector<std::int64_t> pads = node.list("pads", std::vector<std::int64_t>(6, 0));
  node.require(pads.size() == 6, "E-ONX-005", fmt::format("has {} paddings", pads.size()));
  const std::int64_t stride = first_of("strides", 1), dilation = first_of("dilations", 1);
  const std::int64_t depth = (x[2] + pads[0] + pads[3] - dilation * (taps - 1) - 1) / stride + 1;
  node.require(depth > 0, "E-ONX-004", fmt::format("has filters of shape {} for {}", text_of(w), text_of(x)));
  ValueId padded = node.id(0);
  if (pads[0] > 0 || pads[3] > 0)
    padded = to.add("Pad", {padded, to.integers({0, 0, pads[0], 0, 0, 0, 0, pads[3], 0, 0})});
  std::vector<ValueId> slices;
  for (std::int64_t k = 0; k < taps; ++k) {
    const std::int64_t begin = k * dilation, end = begin + (depth - 1) * stride + 1;
    const ValueId slice = to.add(
        "Slice", {padded, to.integers({begin}), to.integers({end}), to.integers({2}), to.integers({stride})});
    const ValueId images =
        to.reshape(to.transpose(slice, {0, 2, 1, 3, 4}), {x[0] * depth, groups, channels, x[3], x[4]});
    slices.push_back(images);
  }
  const ValueId stacked =
      slices.size() == 1 ? slices[0] : to.add("Concat", slices, {{"axis", attribute_of(std::int64_t{2})}});
  const ValueId images = to.reshape(stacked, {x[0] * depth, groups * taps * channels, x[3], x[4]}),
                filters = to.reshape(to.transpose(node.id(1), {0, 2, 1, 3, 4}),
                                     {w[0], taps * channels, w[3], w[4]});
  std::vector<ValueId> operands{images, filters};
  if (node.has(2)) operands.push_back(node.id(2));
  const ValueId flat = to.add("Conv", operands, of_dimensions(node, 1, 3));
  const ValueId image = to.add("Shape", {flat}, {{"start", attribute_of(std::int64_t{2})}});
  const ValueId sizes =
      to.add("Concat", {to.integers({x[0], depth, w[0]}), image}, {{"axis", attribute_of(std::int64_t{0})}});
  to.result(0, to.transpose(to.add("Reshape", {flat, sizes}), {0, 2, 1, 3, 4}));
}

}  // namespace tahoma::workloads::graph
