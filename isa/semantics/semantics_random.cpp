// SPDX-License-Identifier: Apache-2.0
// Random numbers: rng, rand2, dropout, rand_seed, rand_set_state, rand_get_state. A lane is the partition of
// the destination (for rand_set_state, of the source); it draws once per element, in ascending index order.
// Without a LaneState every instruction uses the initial generator states.
#include <algorithm>
#include <optional>

#include "isa/semantics/arithmetic/integer_alu.h"
#include "isa/semantics/arithmetic/partition_row.h"
#include "isa/semantics/semantics_ops.h"
#include "isa/table/table_fields.h"

namespace tahoma::isa {
namespace {

class LanesOf {
 public:
  explicit LanesOf(const CoreView& core) : lanes_(core.lanes != nullptr ? core.lanes : &fresh_.emplace()) {}
  LanesOf(const LanesOf&) = delete;
  LanesOf& operator=(const LanesOf&) = delete;
  GeneratorState& operator[](std::size_t partition) { return lanes_->generator[partition]; }

 private:
  std::optional<LaneState> fresh_;  // of a core without lanes
  LaneState* lanes_;
};

void draw(GeneratorState& generator, std::size_t n, std::vector<std::uint32_t>& bits) {
  bits.resize(n);
  for (std::uint32_t& word : bits) word = next_random(generator);
}

}  // namespace

void do_rng(const Instruction& i, const CoreView& core) {
  LanesOf lane(core);
  const Operand dst = tile_operand(core, i.dst);
  std::vector<std::uint32_t> bits;
  for (std::size_t p = 0; p < i.shape.partitions; ++p) {
    draw(lane[i.dst.partition + p], free_elements(i.shape), bits);
    PartitionRow(dst, i.shape.count, p).write(bits.data());
  }
}

// The 24 highest bits are exact in fp32.
void do_rand2(const Instruction& i, const CoreView& core) {
  LanesOf lane(core);
  const Operand dst = tile_operand(core, i.dst), low = scalar_operand(core, i.scalar0),
                high = scalar_operand(core, i.scalar1);
  const auto bound = [](const Operand& scalar, std::size_t p) {
    return load_as_fp32(scalar.at + scalar.step[0] * static_cast<std::ptrdiff_t>(p), DType::kFp32);
  };
  std::vector<std::uint32_t> bits;
  std::vector<float> values;
  for (std::size_t p = 0; p < i.shape.partitions; ++p) {
    draw(lane[i.dst.partition + p], free_elements(i.shape), bits);
    const float first = bound(low, p), range = bound(high, p) - first;
    values.resize(bits.size());
    for (std::size_t e = 0; e < bits.size(); ++e)
      values[e] = first + range * (static_cast<float>(bits[e] >> 8) * 0x1p-24F);
    PartitionRow(dst, i.shape.count, p).store(values.data(), core);
  }
}

// Compares random bits / 2^32 with the probability: both are exact in double.
void do_dropout(const Instruction& i, const CoreView& core) {
  LanesOf lane(core);
  const Operand dst = tile_operand(core, i.dst), src = tile_operand(core, i.src0),
                probability = scalar_operand(core, i.scalar0);
  std::vector<std::uint32_t> bits, random;
  for (std::size_t p = 0; p < i.shape.partitions; ++p) {
    const std::byte* at = probability.at + probability.step[0] * static_cast<std::ptrdiff_t>(p);
    const double limit = static_cast<double>(load_as_fp32(at, DType::kFp32)) * 0x1p32;
    PartitionRow(src, i.shape.count, p).read(bits);
    draw(lane[i.dst.partition + p], bits.size(), random);
    for (std::size_t e = 0; e < bits.size(); ++e)
      if (static_cast<double>(random[e]) < limit) bits[e] = 0;
    PartitionRow(dst, i.shape.count, p).write(bits.data());
  }
}

void do_rand_seed(const Instruction& i, const CoreView& core) {
  if (core.lanes == nullptr) return;
  core.lanes->generator = seeded_generators(load_bits(tile_operand(core, i.src0).at, size_of(i.src0.dtype)));
}

void do_rand_set_state(const Instruction& i, const CoreView& core) {
  LanesOf lane(core);
  const Operand src = tile_operand(core, i.src0);
  std::vector<std::uint32_t> words;
  for (std::size_t p = 0; p < i.shape.partitions; ++p) {
    PartitionRow(src, i.shape.count, p).read(words);
    GeneratorState& state = lane[i.src0.partition + p];
    std::copy_n(words.begin(), state.size(), state.begin());
  }
}

void do_rand_get_state(const Instruction& i, const CoreView& core) {
  LanesOf lane(core);
  const Operand dst = tile_operand(core, i.dst);
  for (std::size_t p = 0; p < i.shape.partitions; ++p)
    PartitionRow(dst, i.shape.count, p).write(lane[i.dst.partition + p].data());
}

}  // namespace tahoma::isa
