// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>

#include "frontend/graph/expand/expansion.h"

namespace tahoma::workloads::graph {

namespace {

// An activation that is an attribute, with its parameters.
struct FusedActivationRow {
  std::string_view name;
  std::size_t least;  // parameters
  std::array<const char*, 2> attributes;
};
constexpr std::array kFusedActivations{
    FusedActivationRow{"Elu", 0, {"alpha", nullptr}},
    FusedActivationRow{"HardSigmoid", 0, {"alpha", "beta"}},
    FusedActivationRow{"LeakyRelu", 0, {"alpha", nullptr}},
    FusedActivationRow{"Relu", 0, {nullptr, nullptr}},
    FusedActivationRow{"Sigmoid", 0, {nullptr, nullptr}},
    FusedActivationRow{"Tanh", 0, {nullptr, nullptr}},
    FusedActivationRow{"Clip", 2, {nullptr, nullptr}},
};

ValueId activated(Expansion& to, ValueId x, const std::vector<double>& parameters) {
  const NodeView& node = to.node();
  const std::string name = node.word("activation", "");
  if (name.empty()) return x;
  const auto row = std::find_if(kFusedActivations.begin(), kFusedActivations.end(),
                                [&](const FusedActivationRow& r) { return r.name == name; });
  node.require(row != kFusedActivations.end() && parameters.size() >= row->least, "E-ONX-005",
               fmt::format("has the activation '{}' with {} parameters, which is not supported", name,
                           parameters.size()));
  if (name == "Clip")
    return to.add("Clip", {x, to.number(parameters[0], node.type(0).element),
                           to.number(parameters[1], node.type(0).element)});
  Attributes attributes;
  for (std::size_t i = 0; i < std::min(parameters.size(), row->attributes.size()); ++i)
    if (row->attributes[i] != nullptr) attributes[row->attributes[i]] = attribute_of(parameters[i]);
  return to.add(name, {x}, std::move(attributes));
}

ValueId with_swapped_matrices(Expansion& to, ValueId value, std::size_t rank) {
  to.node().require(rank >= 2, "E-ONX-004", "transposes an operand that is no matrix");
  std::vector<std::int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[rank - 1], order[rank - 2]);
  return to.transpose(value, order);
}

// Weights of a few bits: [columns, blocks, bytes of a block], the lowest bits first, with a scale and perhaps
// a zero point for each block.
struct BitWeights {
  std::int64_t rows, columns, block, blocks, bits;
};

// Element `at` of packed numbers of up to 8 bits. Bytes are numbers in the array.
std::int64_t unpacked(const std::vector<double>& bytes, std::int64_t first_byte, std::int64_t at,
                      std::int64_t bits) {
  const std::int64_t bit = at * bits, byte = first_byte + bit / 8;
  const auto low = static_cast<std::int64_t>(bytes[static_cast<std::size_t>(byte)]);
  return (low >> (bit % 8)) & ((std::int64_t{1} << bits) - 1);
}

Array dequantised_bits(const BitWeights& w, ElementType element, const Array& packed, const Array& scales,
                       const Array* zeros) {
  Array out{{element, {w.rows, w.columns}}, {}};
  out.values.resize(static_cast<std::size_t>(w.rows * w.columns));
  const std::int64_t block_bytes = w.block * w.bits / 8, zero_bytes = (w.blocks * w.bits + 7) / 8;
  const bool zeros_packed = zeros != nullptr && !is_floating(zeros->type.element);
  for (std::int64_t c = 0; c < w.columns; ++c)
    for (std::int64_t r = 0; r < w.rows; ++r) {
      const std::int64_t b = r / w.block, number = c * w.blocks + b;
      double zero = std::exp2(w.bits - 1);
      if (zeros_packed)
        zero = static_cast<double>(unpacked(zeros->values, c * zero_bytes, b, w.bits));
      else if (zeros != nullptr)
        zero = zeros->values[static_cast<std::size_t>(number)];
      const auto q = static_cast<double>(unpacked(packed.values, number * block_bytes, r % w.block, w.bits));
      out.values[static_cast<std::size_t>(r * w.columns + c)] =
          rounded((q - zero) * scales.values[static_cast<std::size_t>(number)], element);
    }
  return out;
}

}  // namespace

void expand_fused_matmul(Expansion& to) {
  const NodeView& node = to.node();
  node.require(node.integer("transBatchA", 0) == 0 && node.integer("transBatchB", 0) == 0, "E-ONX-005",
               "transposes batches, which is not supported");
  std::array<ValueId, 2> operands{node.id(0), node.id(1)};
  const std::array transposed{node.integer("transA", 0) != 0, node.integer("transB", 0) != 0};
  for (const std::size_t i : {0U, 1U})
    if (transposed[i]) operands[i] = with_swapped_matrices(to, operands[i], to.dims(i).size());
  const double alpha = node.number("alpha", 1);
  const ElementType element = node.type(0).element;
  const ValueId product = to.add("MatMul", {operands[0], operands[1]});
  to.result(0, alpha == 1 ? product : to.add("Mul", {product, to.number(alpha, element)}));
}

void expand_fused_conv(Expansion& to) {
  const NodeView& node = to.node();
  Attributes attributes = node.node().attributes;
  std::vector<double> parameters;
  if (const auto given = attributes.find("activation_params"); given != attributes.end())
    parameters = given->second.floats;
  attributes.erase("activation");
  attributes.erase("activation_params");
  std::vector<ValueId> operands{node.id(0), node.id(1)};
  if (node.has(2)) operands.push_back(node.id(2));
  ValueId out = to.add("Conv", operands, std::move(attributes));
  if (node.has(3)) out = to.add("Add", {out, node.id(3)});
  to.result(0, activated(to, out, parameters));
}

void expand_fused_gemm(Expansion& to) {
  const NodeView& node = to.node();
  Attributes attributes;
  std::vector<double> parameters;
  for (const auto& [name, attribute] : node.node().attributes)
    if (!name.starts_with("activation")) attributes[name] = attribute;
  for (const char* name : {"activation_alpha", "activation_beta"})
    if (node.has_attribute(name)) parameters.push_back(node.number(name, 0));
  std::vector<ValueId> operands{node.id(0), node.id(1)};
  if (node.has(2)) operands.push_back(node.id(2));
  to.result(0, activated(to, to.add("Gemm", operands, std::move(attributes)), parameters));
}

void expand_matmul_of_bits(Expansion& to) {
  const NodeView& node = to.node();
  BitWeights w{node.integer("K", 0), node.integer("N", 0), node.integer("block_size", 0), 0,
               node.integer("bits", 4)};
  node.require(w.bits == 2 || w.bits == 4 || w.bits == 8, "E-ONX-005",
               fmt::format("has weights of {} bits; supported are 2, 4 and 8", w.bits));
  node.require(w.rows > 0 && w.columns > 0 && w.block >= 16, "E-ONX-005",
               fmt::format("has K = {}, N = {}, block_size = {}", w.rows, w.columns, w.block));
  w.blocks = (w.rows + w.block - 1) / w.block;
  node.require(!node.has(4), "E-ONX-005", "reorders its weights by g_idx, which is not supported");
  for (const std::size_t i : {1U, 2U, 3U})
    node.require(!node.has(i) || node.is_constant(i), "E-ONX-010",
                 fmt::format("has weights, scales or zero points (input {}) that are no constants", i));
  const auto blocks = static_cast<std::uint64_t>(w.columns * w.blocks);
  node.require(node.type(1).element == ElementType::kUint8 &&
                   node.type(1).elements() == blocks * static_cast<std::uint64_t>(w.block * w.bits / 8) &&
                   node.type(2).elements() == blocks,
               "E-ONX-004",
               fmt::format("has weights {} and scales {} for K = {}, N = {} in blocks of {}",
                           text_of(node.type(1)), text_of(node.type(2)), w.rows, w.columns, w.block));
  if (node.has(3)) {
    const bool plain = is_floating(node.type(3).element);
    const std::uint64_t packed = static_cast<std::uint64_t>(w.columns * ((w.blocks * w.bits + 7) / 8));
    node.require(
        node.type(3).elements() == (plain ? blocks : packed), "E-ONX-004",
        fmt::format("has zero points {}; expected {}", text_of(node.type(3)), plain ? blocks : packed));
  }
  const ElementType element = node.type(0).element;
  const ValueId weights = to.constant(
      {element, {w.rows, w.columns}},
      [w, element, packed = to.lazy(1), scales = to.lazy(2), zeros = node.has(3) ? to.lazy(3) : LazyArray()] {
        const Array points = zeros ? zeros() : Array{};
        return dequantised_bits(w, element, packed(), scales(), zeros ? &points : nullptr);
      });
  const ValueId product = to.add("MatMul", {node.id(0), weights});
  to.result(0, node.has(5) ? to.add("Add", {product, node.id(5)}) : product);
}

}  // namespace tahoma::workloads::graph
