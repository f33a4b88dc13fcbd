// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <numeric>

#include "frontend/graph/expand/fused_parts.h"

namespace tahoma::workloads::graph {

namespace {

// Angles [batch or 1, tokens, pairs] with a dimension for heads.
Dims with_heads(const Dims& angles, bool heads_first) {
  return heads_first ? Dims{angles[0], 1, angles[1], angles[2]} : Dims{angles[0], angles[1], 1, angles[2]};
}

struct RotatedInput {
  Dims dims;         // as given
  bool heads_first;  // [batch, heads, tokens, size]; else [batch, tokens, heads, size]
  Dims apart;        // with four dimensions
};

// `size`: of a head, if the number of heads is not given.
RotatedInput rotated_input(const NodeView& node, const Dims& dims, std::int64_t size) {
  if (dims.size() == 4) return {dims, true, dims};
  const std::int64_t given = node.integer("num_heads", 0);
  node.require(dims.size() == 3 && (given > 0 || size > 0), "E-ONX-004",
               fmt::format("has an input of shape {} and {} heads", text_of(dims), given));
  const std::int64_t heads = given > 0 ? given : dims[2] / size;
  node.require(heads > 0 && dims[2] % heads == 0, "E-ONX-004",
               fmt::format("has {} heads for an input of shape {}", heads, text_of(dims)));
  return {dims, false, {dims[0], dims[1], heads, dims[2] / heads}};
}

void add_rotation(Expansion& to, const RotatedInput& in, Rotation rotation, const Dims& angles) {
  rotation.angles = with_heads(angles, in.heads_first);
  rotation.cosines = to.reshape(rotation.cosines, rotation.angles);
  rotation.sines = to.reshape(rotation.sines, rotation.angles);
  const ValueId x = in.dims == in.apart ? to.node().id(0) : to.reshape(to.node().id(0), in.apart);
  const ValueId out = rotated(to, x, in.apart, rotation);
  to.result(0, in.dims == in.apart ? out : to.reshape(out, in.dims));
}

ValueId rows_at(Expansion& to, ValueId table, ValueId places) {
  return to.add("Gather", {table, places}, {{"axis", attribute_of(std::int64_t{0})}});
}

}  // namespace

void expand_rotary(Expansion& to) {
  const NodeView& node = to.node();
  const Dims dims = to.dims(0), table = to.dims(1);
  Rotation rotation{node.id(1),
                    node.id(2),
                    {},
                    node.integer("rotary_embedding_dim", 0),
                    node.integer("interleaved", 0) != 0};
  const RotatedInput in = rotated_input(node, dims, 0);
  const std::int64_t tokens = in.heads_first ? dims[2] : dims[1];
  node.require(table == to.dims(2) && table.size() == (node.has(3) ? 2U : 3U), "E-ONX-004",
               fmt::format("has tables of shapes {} and {}", text_of(table), text_of(to.dims(2))));
  if (!node.has(3)) return add_rotation(to, in, rotation, table);
  rotation.cosines = rows_at(to, rotation.cosines, node.id(3));
  rotation.sines = rows_at(to, rotation.sines, node.id(3));
  add_rotation(to, in, rotation, {dims[0], tokens, table[1]});
}

// Positions are of each token, or that of the first.
void expand_contributed_rotary(Expansion& to) {
  const NodeView& node = to.node();
  node.require(node.integer("is_packed_batching", 0) == 0, "E-ONX-005",
               "has packed batches, which are not supported");
  const Dims dims = to.dims(0), places = to.dims(1), table = to.dims(2);
  node.require(table.size() == 2 && table == to.dims(3), "E-ONX-004",
               fmt::format("has tables of shapes {} and {}", text_of(table), text_of(to.dims(3))));
  Rotation rotation{node.id(2),
                    node.id(3),
                    {},
                    node.integer("rotary_embedding_dim", 0),
                    node.integer("interleaved", 0) != 0};
  const RotatedInput in = rotated_input(node, dims, rotation.rotated == 0 ? 2 * table[1] : 0);
  const std::int64_t tokens = in.heads_first ? dims[2] : dims[1];
  Dims angles{dims[0], tokens, table[1]};
  ValueId at = node.id(1);
  if (elements_of(places) == 1 && places.size() == 1) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(tokens));
    std::iota(numbers.begin(), numbers.end(), node.integers(1)[0]);
    at = to.integers(numbers);
    angles[0] = 1;
  } else {
    node.require(places == Dims{dims[0], tokens}, "E-ONX-004",
                 fmt::format("has positions of shape {} for {}", text_of(places), text_of(dims)));
  }
  rotation.cosines = rows_at(to, rotation.cosines, at);
  rotation.sines = rows_at(to, rotation.sines, at);
  add_rotation(to, in, rotation, angles);
}

}  // namespace tahoma::workloads::graph
