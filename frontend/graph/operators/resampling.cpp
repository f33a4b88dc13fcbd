// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/operators/resampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tahoma::workloads::graph {

namespace {

double nearest_of(const NodeView& node, double x) {
  const char* key = "nearest_mode";
  if (node.opset() < 11 || node.is(key, "round_prefer_floor", "floor")) return std::floor(x);
  if (node.is(key, "round_prefer_floor", "ceil")) return std::ceil(x);
  if (node.is(key, "round_prefer_floor", "round_prefer_ceil")) return std::floor(x + 0.5);
  return std::ceil(x - 0.5);
}

}  // namespace

ResizeTo resize_to(const NodeView& node) {
  const Dims& from = node.dims(0);
  const std::size_t of_scales = node.opset() < 11 ? 1 : 2;
  node.require(!node.has_attribute("axes") && !node.has_attribute("antialias"), "E-ONX-005",
               "resizes chosen axes or filters");
  ResizeTo to;
  if (node.has(3)) {
    to.dims = node.integers(3);
    for (std::size_t d = 0; d < from.size() && d < to.dims.size(); ++d)
      to.scales.push_back(static_cast<double>(to.dims[d]) / static_cast<double>(from[d]));
  } else {
    to.scales = node.constant(of_scales).values;
    for (std::size_t d = 0; d < from.size() && d < to.scales.size(); ++d)
      to.dims.push_back(static_cast<std::int64_t>(std::floor(static_cast<double>(from[d]) * to.scales[d])));
  }
  node.require(to.dims.size() == from.size() && to.scales.size() == from.size(), "E-ONX-004",
               fmt::format("has {} sizes for {} dimensions", to.dims.size(), from.size()));
  return to;
}

double source_of(const NodeView& node, std::int64_t at, std::int64_t from, std::int64_t to, double scale) {
  const char* key = "coordinate_transformation_mode";
  const auto i = static_cast<double>(at);
  if (node.opset() < 11 || node.is(key, "half_pixel", "asymmetric")) return i / scale;
  if (node.is(key, "half_pixel", "half_pixel")) return (i + 0.5) / scale - 0.5;
  if (node.is(key, "half_pixel", "pytorch_half_pixel")) return to > 1 ? (i + 0.5) / scale - 0.5 : 0;
  if (node.is(key, "half_pixel", "align_corners"))
    return to > 1 ? i * static_cast<double>(from - 1) / (static_cast<double>(from) * scale - 1) : 0;
  node.refuse("E-ONX-005", fmt::format("has coordinates of mode '{}'", node.word(key, "")));
}

BlockMove block_move(const NodeView& node) {
  const Dims& x = node.dims(0);
  const std::int64_t block = node.integer("blocksize", 0);
  const bool to_space = node.node().op == "DepthToSpace";
  node.require(x.size() == 4 && block > 0 &&
                   (to_space ? x[1] % (block * block) == 0 : x[2] % block == 0 && x[3] % block == 0),
               "E-ONX-004", fmt::format("has blocks of {} in a tensor of shape {}", block, text_of(x)));
  if (!to_space) return {{x[0], x[1], x[2] / block, block, x[3] / block, block}, {0, 3, 5, 1, 2, 4}};
  const std::int64_t depth = x[1] / (block * block);
  if (node.is("mode", "DCR", "CRD")) return {{x[0], depth, block, block, x[2], x[3]}, {0, 1, 4, 2, 5, 3}};
  return {{x[0], block, block, depth, x[2], x[3]}, {0, 3, 4, 1, 5, 2}};
}

std::vector<TensorType> infer_blocks(const NodeView& node) {
  block_move(node);
  const Dims& x = node.dims(0);
  const std::int64_t block = node.integer("blocksize", 0);
  const Dims to = node.node().op == "DepthToSpace"
                      ? Dims{x[0], x[1] / (block * block), x[2] * block, x[3] * block}
                      : Dims{x[0], x[1] * block * block, x[2] / block, x[3] / block};
  return {{node.type(0).element, to}};
}

std::vector<Wanted> define_blocks(const NodeView& node, const Inputs& in,
                                  const std::vector<TensorType>& outputs) {
  const Dims &x = in[0]->type.dims, &y = outputs[0].dims;
  const bool to_space = node.node().op == "DepthToSpace", columns_first = node.is("mode", "DCR", "CRD");
  const std::int64_t block = node.integer("blocksize", 0), depth = std::min(x[1], y[1]);
  Wanted wanted{{outputs[0], std::vector<double>(outputs[0].elements())}, {}};
  // Pixel (c, h, w) of the side with more pixels is channel `deep` of the other side.
  const bool from_pixels = !to_space;
  for_each_index(from_pixels ? x : y, [&](const Dims& at, std::size_t number) {
    const std::int64_t down = at[2] % block, right = at[3] % block;
    const std::int64_t deep = columns_first && to_space ? (at[1] * block + down) * block + right
                                                        : (down * block + right) * depth + at[1];
    const std::size_t other = offset_of(from_pixels ? y : x, {at[0], deep, at[2] / block, at[3] / block});
    if (from_pixels)
      wanted.array.values[other] = in[0]->values[number];
    else
      wanted.array.values[number] = in[0]->values[other];
  });
  return {wanted};
}

std::vector<std::vector<std::int64_t>> nearest_pixels(const NodeView& node) {
  node.require(node.is("mode", "nearest", "nearest"), "E-ONX-005",
               fmt::format("resizes in mode '{}'; supported is 'nearest'", node.word("mode", "")));
  const ResizeTo to = resize_to(node);
  const Dims& from = node.dims(0);
  std::vector<std::vector<std::int64_t>> pixels;
  for (std::size_t d = 0; d < from.size(); ++d) {
    std::vector<std::int64_t>& of = pixels.emplace_back();
    for (std::int64_t i = 0; i < to.dims[d]; ++i) {
      const double x = nearest_of(node, source_of(node, i, from[d], to.dims[d], to.scales[d]));
      of.push_back(std::clamp<std::int64_t>(static_cast<std::int64_t>(x), 0, from[d] - 1));
    }
  }
  return pixels;
}

bool repeats_evenly(const std::vector<std::int64_t>& pixels, std::int64_t from) {
  const auto to = static_cast<std::int64_t>(pixels.size());
  const std::int64_t repeats = to > from && from > 0 ? to / from : 1;
  const std::int64_t step = to > repeats ? pixels[static_cast<std::size_t>(repeats)] - pixels[0] : 1;
  for (std::int64_t i = 0; i < to; ++i)
    if (to % repeats != 0 || pixels[static_cast<std::size_t>(i)] != pixels[0] + i / repeats * step)
      return false;
  return true;
}

std::vector<TensorType> infer_resize(const NodeView& node) {
  return {{node.type(0).element, resize_to(node).dims}};
}

std::vector<Wanted> define_resize(const NodeView& node, const Inputs& in,
                                  const std::vector<TensorType>& outputs) {
  const std::vector<std::vector<std::int64_t>> pixels = nearest_pixels(node);
  Wanted wanted{{outputs[0], std::vector<double>(outputs[0].elements())}, {}};
  for_each_index(outputs[0].dims, [&](const Dims& index, std::size_t number) {
    Dims from(index.size());
    for (std::size_t d = 0; d < index.size(); ++d) from[d] = pixels[d][static_cast<std::size_t>(index[d])];
    wanted.array.values[number] = in[0]->values[offset_of(in[0]->type.dims, from)];
  });
  return {wanted};
}

}  // namespace tahoma::workloads::graph
