// SPDX-License-Identifier: Apache-2.0
// Compares local_gather, gather_columns, scatter_columns and n_gather with their formulas, and tests indices
// out of range.
#include "isa/core/program_error.h"
#include "tests/support/bench/partition_fixture.h"

namespace {

using namespace tahoma;
using isa::DType, isa::Instruction, isa::Opcode, isa::Shape, isa::Tile;
using test::counts_of, test::instruction_of, test::kTileForms, test::PartitionFixture, test::TileForm;

constexpr std::uint32_t kDstAt = 9216, kSrcAt = 4096, kIndexAt = 512;

std::string error_of(PartitionFixture& f, const Instruction& i) {
  try {
    isa::execute(i, f.view());
  } catch (const isa::ProgramError& e) {
    return e.what();
  }
  return "";
}

// Index number j of the group of partition p, by the published description.
std::uint32_t index_of(PartitionFixture& f, const Instruction& i, unsigned p, unsigned j) {
  const auto column = f.bits(i.src1, i.shape.count, p / 16 * 16 + j % 16);
  return column[j / 16];
}

Instruction local_gather(PartitionFixture& f, unsigned partitions, const test::Counts& indices,
                         unsigned extent, unsigned per_index) {
  Instruction i = instruction_of(Opcode::kLocalGather, {static_cast<std::uint8_t>(partitions), indices},
                                 f.tile(DType::kBf16, 0, kDstAt), f.tile(DType::kBf16, 0, kSrcAt));
  i.src1 = f.tile(DType::kUint16, 0, kIndexAt, {24, 6, 2, 1});
  i.extent = extent;
  i.per_index = static_cast<std::uint8_t>(per_index);
  i.valid = 16 * test::product(indices);
  return i;
}

void fill(PartitionFixture& f, const Instruction& i) {
  f.fill_bits(i.src0, {i.shape.partitions, counts_of(i.extent)});
  test::for_each_element(i.shape, [&](unsigned p, const auto& at) {
    const auto index = static_cast<std::uint16_t>(f.numbers.below(i.extent - i.per_index + 1));
    std::memcpy(f.memory.at(i.src1, p, at), &index, sizeof index);
  });
}

void check_local(PartitionFixture& f, const Instruction& i) {
  const unsigned n = i.valid * i.per_index;
  f.run(i, {{i.dst, {i.shape.partitions, counts_of(n)}}});
  std::size_t wrong = 0;
  for (unsigned p = 0; p < i.shape.partitions; ++p) {
    const auto src = f.bits(i.src0, counts_of(i.extent), p), dst = f.bits(i.dst, counts_of(n), p);
    for (unsigned j = 0; j < i.valid; ++j)
      for (unsigned e = 0; e < i.per_index; ++e)
        wrong += dst[j * i.per_index + e] != src[index_of(f, i, p, j) + e];
  }
  CAPTURE(i.valid, int(i.per_index));
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("local_gather: each group by its own list, for all dtypes", "[isa]") {
  PartitionFixture f(341);
  for (const DType dtype : test::all_dtypes()) {
    for (const unsigned partitions : {16U, 48U, 128U}) {
      Instruction i = local_gather(f, partitions, {1, 1, 1, 4}, 300, 1);
      i.dst.dtype = i.src0.dtype = dtype;
      fill(f, i);
      check_local(f, i);
    }
  }
}

TEST_CASE("local_gather: several elements per index, and lists that end inside a column", "[isa]") {
  PartitionFixture f(342);
  for (const unsigned per_index : {1U, 2U, 4U, 8U, 16U, 32U}) {
    for (const unsigned valid : {1U, 15U, 16U, 17U, 63U}) {
      Instruction i = local_gather(f, 32, {1, 2, 1, 2}, 64 + per_index, per_index);
      i.valid = valid;
      i.src0.stride[3] = 3;
      i.dst.stride[3] = 2;
      i.src0.partition = 96;
      i.dst.partition = 32;
      fill(f, i);
      check_local(f, i);
    }
  }
}

TEST_CASE("local_gather: the least and the most that it takes", "[isa]") {
  PartitionFixture f(343);
  Instruction least = local_gather(f, 16, {1, 1, 1, 1}, 32, 32);
  least.valid = 1;
  fill(f, least);
  check_local(f, least);
  Instruction most = local_gather(f, 16, {1, 1, 1, 256}, 4096, 1);
  most.dst.dtype = most.src0.dtype = DType::kUint8;
  most.src0.offset = kSrcAt;
  fill(f, most);
  check_local(f, most);
}

TEST_CASE("local_gather: an index is checked against its last element, surplus ones are not", "[isa]") {
  PartitionFixture f(344);
  Instruction i = local_gather(f, 32, {1, 1, 1, 2}, 40, 8);
  i.valid = 18;  // the first two of the second column
  i.src1.partition = 64;
  fill(f, i);
  const auto put = [&](unsigned p, unsigned column, std::uint16_t index) {
    std::memcpy(f.memory.at(i.src1, p, {0, 0, 0, column}), &index, sizeof index);
  };
  put(17, 1, 32);
  put(18, 1, 60000);
  check_local(f, i);
  put(17, 1, 33);
  CHECK(error_of(f, i) == "local_gather: error[E-ISA-402]: partition 81 holds index 33; expected below 33");
}

TEST_CASE("gather_columns and scatter_columns: lists of 16 and of 32 partitions, which end inside a column",
          "[isa]") {
  PartitionFixture f(346);
  for (const unsigned groups : {1U, 2U})
    for (const unsigned valid : {1U, 17U, 63U})
      for (const bool gathers : {true, false}) {
        Instruction i = local_gather(f, 64, {1, 2, 1, 2}, 40, 1);
        i.op = gathers ? Opcode::kGatherColumns : Opcode::kScatterColumns;
        i.per_index = static_cast<std::uint8_t>(groups);
        i.valid = valid;
        (gathers ? i.src0 : i.dst).stride[3] = 3;
        const Shape all{64, counts_of(i.extent)}, listed{64, counts_of(valid)};
        f.fill_bits(i.src0, gathers ? all : listed);
        f.fill_bits(i.dst, gathers ? listed : all);
        test::for_each_element(i.shape, [&](unsigned p, const auto& at) {
          const auto index = static_cast<std::uint16_t>(f.numbers.below(i.extent));
          std::memcpy(f.memory.at(i.src1, p, at), &index, sizeof index);
        });
        std::vector<std::vector<std::uint32_t>> want;
        for (unsigned p = 0; p < 64; ++p) {
          const auto src = f.bits(i.src0, (gathers ? all : listed).count, p);
          auto dst = f.bits(i.dst, (gathers ? listed : all).count, p);
          for (unsigned j = 0; j < valid; ++j) {
            const unsigned width = 16 * groups;
            const auto column = f.bits(i.src1, i.shape.count, p / width * width + j % width);
            (gathers ? dst[j] : dst[column[j / width]]) = src[gathers ? column[j / width] : j];
          }
          want.emplace_back(dst.begin(), dst.end());
        }
        f.run(i, {{i.dst, gathers ? listed : all}});
        std::size_t wrong = 0;
        for (unsigned p = 0; p < 64; ++p) {
          const auto got = f.bits(i.dst, (gathers ? listed : all).count, p);
          wrong += !std::equal(got.begin(), got.end(), want[p].begin());
        }
        CAPTURE(groups, valid, gathers);
        CHECK(wrong == 0);
      }
}

TEST_CASE("n_gather: each element by its own index, for all dtypes and forms", "[isa]") {
  PartitionFixture f(345);
  for (const TileForm& form : kTileForms) {
    for (const DType dtype : test::all_dtypes()) {
      Instruction i = instruction_of(Opcode::kNGather, form.shape, f.tile(dtype, 0, kDstAt, form.dst),
                                     f.tile(dtype, 0, kSrcAt, {0, 0, 0, -2}));
      i.src1 = f.tile(DType::kUint32, 0, kIndexAt, form.src);
      i.extent = 1 + f.numbers.below(100);
      f.fill_bits(i.src0, {form.shape.partitions, counts_of(i.extent)});
      test::for_each_element(form.shape, [&](unsigned p, const auto& at) {
        const std::uint32_t index = f.numbers.below(i.extent);
        std::memcpy(f.memory.at(i.src1, p, at), &index, sizeof index);
      });
      f.run(i, {{i.dst, form.shape}});
      std::size_t wrong = 0;
      for (unsigned p = 0; p < form.shape.partitions; ++p) {
        const auto src = f.bits(i.src0, counts_of(i.extent), p);
        const auto index = f.bits(i.src1, form.shape.count, p), dst = f.bits(i.dst, form.shape.count, p);
        for (std::size_t k = 0; k < dst.size(); ++k) wrong += dst[k] != src[index[k]];
      }
      CAPTURE(isa::name_of(dtype));
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("n_gather: reverses a row in place, and refuses the index after the last", "[isa]") {
  PartitionFixture f(346);
  const Tile data = f.tile(DType::kFp32, 0, 0), index = f.tile(DType::kUint32, 0, 1024);
  Instruction i = instruction_of(Opcode::kNGather, test::row_shape(1, 50), data, data);
  i.src1 = index;
  i.extent = 50;
  std::vector<float> row(50);
  for (unsigned k = 0; k < 50; ++k) {
    row[k] = static_cast<float>(k);
    const std::uint32_t other = 49 - k;
    std::memcpy(f.memory.at(index, 0, {0, 0, 0, k}), &other, sizeof other);
  }
  f.put(data, counts_of(50), 0, row);
  isa::execute(i, f.view());
  for (unsigned k = 0; k < 50; ++k) CHECK(f.memory.get(data, 0, {0, 0, 0, k}) == static_cast<float>(49 - k));
  i.extent = 49;
  CHECK(error_of(f, i) == "n_gather: error[E-ISA-402]: partition 0 holds index 49; expected below 49");
}
