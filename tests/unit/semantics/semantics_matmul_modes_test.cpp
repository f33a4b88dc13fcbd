// SPDX-License-Identifier: Apache-2.0
// Other modes of matmul: double_row, and sparse weights with tags.
#include <catch2/catch.hpp>

#include "isa/table/table.h"
#include "tests/support/bench/tile_memory.h"
#include "tests/support/program/tensor_programs.h"
#include "tests/support/reference/reference_matmul.h"

namespace {

using namespace tahoma;
using isa::DType, isa::Instruction, isa::MatmulMode, isa::Shape, isa::Space, isa::Tile;
using test::in_mode, test::load_weights, test::matmul, test::TileMemory;

constexpr float kInf = std::numeric_limits<float>::infinity();

constexpr MatmulMode kSparseModes[] = {
    MatmulMode::kSparse4of16, MatmulMode::kSparse4of12, MatmulMode::kSparse4of8, MatmulMode::kSparse2of8,
    MatmulMode::kSparse2of4,  MatmulMode::kSparse1of4,  MatmulMode::kSparse1of2};

// M and N of the mode's name.
std::pair<unsigned, unsigned> ratio(MatmulMode mode) {
  switch (mode) {
    case MatmulMode::kSparse4of16:
      return {4, 16};
    case MatmulMode::kSparse4of12:
      return {4, 12};
    case MatmulMode::kSparse4of8:
      return {4, 8};
    case MatmulMode::kSparse2of8:
      return {2, 8};
    case MatmulMode::kSparse2of4:
      return {2, 4};
    case MatmulMode::kSparse1of4:
      return {1, 4};
    default:
      return {1, 2};
  }
}

Tile in_sbuf(DType dtype, std::uint32_t offset, const Shape& shape) {
  return {Space::kSbuf, dtype, 0, offset, test::dense_strides(shape)};
}

void fill(TileMemory& memory, const Tile& tile, const Shape& shape, test::Numbers& numbers) {
  test::for_each_element(shape,
                         [&](unsigned p, const auto& i) { memory.set(tile, p, i, numbers.ordinary()); });
}

// Sparse weights: compressed, and as the full matrix that they represent, [k][m] over the whole contraction.
struct SparseCase {
  MatmulMode mode;
  unsigned partitions, columns, moving;
  DType dtype;
  Shape weight_shape, tag_shape, moving_shape;
  Tile weights, tags, x, dst;
  unsigned kept, group;

  SparseCase(MatmulMode m, unsigned p, unsigned c, unsigned n, DType d)
      : mode(m), partitions(p), columns(c), moving(n), dtype(d) {
    std::tie(kept, group) = ratio(mode);
    weight_shape = test::row_shape(p, c);
    tag_shape = test::row_shape(p, (c + 3) / 4);
    moving_shape = {static_cast<std::uint8_t>(p),
                    {1, static_cast<std::uint16_t>(group / kept), 1, static_cast<std::uint16_t>(n)}};
    weights = in_sbuf(d, 0, weight_shape);
    tags = in_sbuf(DType::kUint16, 1024, tag_shape);
    x = in_sbuf(d, 2048, moving_shape);
    dst = {Space::kPsum, DType::kFp32, 0, 64, {0, 0, 0, 1}};
  }
  void set_tag(TileMemory& memory, unsigned p, unsigned m, unsigned tag) const {
    std::byte* at = memory.at(tags, p, {0, 0, 0, m / 4});
    std::uint16_t element = 0;
    std::memcpy(&element, at, sizeof element);
    const unsigned shift = 4 * (m % 4);
    element = static_cast<std::uint16_t>((element & ~(0xFU << shift)) | (tag << shift));
    std::memcpy(at, &element, sizeof element);
  }
  Instruction load() const {
    Instruction i = in_mode(load_weights(weights, weight_shape), mode);
    i.src1 = tags;
    return i;
  }
  Instruction multiply(bool accumulate) const {
    return in_mode(matmul(dst, x, moving_shape, columns, accumulate), mode);
  }
  // Element k of the contraction is in slice k mod slices of partition k / slices.
  float moving_at(TileMemory& memory, unsigned k, unsigned n) const {
    const unsigned slices = group / kept;
    return memory.get(x, k / slices, {0, k % slices, 0, n});
  }
};

// Tags of each group and column in ascending order, as a compiler would write them.
std::vector<std::vector<unsigned>> random_tags(const SparseCase& c, TileMemory& memory,
                                               test::Numbers& numbers) {
  std::vector<std::vector<unsigned>> position(c.partitions, std::vector<unsigned>(c.columns));
  for (unsigned m = 0; m < c.columns; ++m)
    for (unsigned first = 0; first < c.partitions; first += c.kept) {
      unsigned tag = 0;
      for (unsigned j = 0; j < c.kept; ++j) {
        const unsigned room = c.group - (c.kept - j);  // the highest that leaves space for the others
        tag += numbers.below(room - tag + 1);
        position[first + j][m] = first / c.kept * c.group + tag;
        c.set_tag(memory, first + j, m, tag++);
      }
    }
  return position;
}

void check_sparse(const SparseCase& c, test::Numbers& numbers) {
  CAPTURE(isa::name_of(c.mode), isa::name_of(c.dtype), c.partitions, c.columns, c.moving);
  TileMemory memory;
  fill(memory, c.weights, c.weight_shape, numbers);
  fill(memory, c.x, c.moving_shape, numbers);
  fill(memory, c.dst, test::row_shape(c.columns, c.moving), numbers);
  const auto position = random_tags(c, memory, numbers);
  const unsigned contraction = c.partitions / c.kept * c.group;
  for (const bool accumulate : {true, false}) {
    TileMemory before = memory;
    isa::execute(c.load(), memory.view());
    isa::execute(c.multiply(accumulate), memory.view());
    std::size_t wrong = 0;
    for (unsigned m = 0; m < c.columns; ++m) {
      std::vector<float> full(contraction, 0.0F);  // decompressed: the kept weights at their positions
      for (unsigned p = 0; p < c.partitions; ++p)
        full[position[p][m]] = before.get(c.weights, p, {0, 0, 0, m});
      for (unsigned n = 0; n < c.moving; ++n) {
        test::ProductTerms terms{full, {}};
        for (unsigned k = 0; k < contraction; ++k) terms.moving.push_back(c.moving_at(before, k, n));
        wrong += memory.get(c.dst, m, {0, 0, 0, n}) !=
                 test::matmul_element(terms, accumulate, before.get(c.dst, m, {0, 0, 0, n}));
      }
    }
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("double row: 256 rows in one ascending pass, slices side by side", "[isa]") {
  test::Numbers numbers(51);
  for (const DType dtype : {DType::kFp8E4M3, DType::kFp8E5M2}) {
    for (const auto& [p, m, n] : {std::array{128U, 128U, 40U}, std::array{3U, 7U, 17U}}) {
      CAPTURE(isa::name_of(dtype), p, m, n);
      TileMemory memory;
      const Shape weight_shape{static_cast<std::uint8_t>(p), {1, 2, 1, static_cast<std::uint16_t>(m)}};
      const Shape moving_shape{static_cast<std::uint8_t>(p), {1, 2, 1, static_cast<std::uint16_t>(n)}};
      const Tile weights = in_sbuf(dtype, 0, weight_shape), x = in_sbuf(dtype, 1024, moving_shape);
      const Tile dst{Space::kPsum, DType::kFp32, 0, 0, {0, 0, 0, 1}};
      fill(memory, weights, weight_shape, numbers);
      fill(memory, x, moving_shape, numbers);
      isa::execute(in_mode(load_weights(weights, weight_shape), MatmulMode::kDoubleRow), memory.view());
      const Instruction multiply = in_mode(matmul(dst, x, moving_shape, m, false), MatmulMode::kDoubleRow);
      isa::execute(multiply, memory.view());
      std::size_t wrong = 0;
      for (unsigned c = 0; c < m; ++c)
        for (unsigned e = 0; e < n; ++e) {
          test::ProductTerms terms;
          for (unsigned k = 0; k < 2 * p; ++k) {
            terms.weights.push_back(memory.get(weights, k / 2, {0, k % 2, 0, c}));
            terms.moving.push_back(memory.get(x, k / 2, {0, k % 2, 0, e}));
          }
          wrong += memory.get(dst, c, {0, 0, 0, e}) != test::matmul_element(terms, false, 0.0F);
        }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("sparsity: every ratio equals the dense product of the decompressed weights", "[isa]") {
  test::Numbers numbers(52);
  for (const MatmulMode mode : kSparseModes) {
    check_sparse({mode, 128, 20, 24, DType::kBf16}, numbers);
    check_sparse({mode, 8, 7, 17, DType::kFp16}, numbers);
    check_sparse({mode, 4, 1, 1, DType::kFp8E4M3}, numbers);
    check_sparse({mode, 12, 5, 33, DType::kTf32}, numbers);
  }
}

TEST_CASE("sparsity: omitted elements take no part, not even with infinities", "[isa]") {
  TileMemory memory;
  const SparseCase c(MatmulMode::kSparse1of2, 1, 1, 1, DType::kBf16);
  memory.set(c.weights, 0, {}, 3.0F);
  c.set_tag(memory, 0, 0, 1);
  memory.set(c.x, 0, {0, 0, 0, 0}, kInf);
  memory.set(c.x, 0, {0, 1, 0, 0}, 5.0F);
  isa::execute(c.load(), memory.view());
  isa::execute(c.multiply(false), memory.view());
  CHECK(memory.get(c.dst, 0, {}) == 15.0F);
}

TEST_CASE("sparsity: a tag beyond its group is E-ISA-403, the last one inside is not", "[isa]") {
  for (const MatmulMode mode : kSparseModes) {
    CAPTURE(isa::name_of(mode));
    TileMemory memory;
    const SparseCase c(mode, 8, 6, 4, DType::kBf16);
    c.set_tag(memory, 5, 3, c.group - 1);
    CHECK(test::execution_error(c.load(), memory.view()) == "none");
    if (c.group == 16) continue;  // a tag has four bits
    c.set_tag(memory, 5, 3, c.group);
    CHECK(test::execution_error(c.load(), memory.view()) == "E-ISA-403");
  }
}
