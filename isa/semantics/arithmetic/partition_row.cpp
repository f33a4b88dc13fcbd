// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/arithmetic/partition_row.h"

#include "isa/semantics/arithmetic/row_access.h"

namespace tahoma::isa {
namespace {

template <class T>
T read_as(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
void write_as(std::byte* at, std::uint32_t bits) {
  const auto value = static_cast<T>(bits);
  std::memcpy(at, &value, sizeof value);
}

template <class T>
void read_row(const std::byte* at, std::ptrdiff_t step, std::size_t n, std::uint32_t* out) {
  for (std::size_t i = 0; i < n; ++i, at += step) out[i] = read_as<T>(at);
}

template <class T>
void write_row(std::byte* at, std::ptrdiff_t step, std::size_t n, const std::uint32_t* in) {
  for (std::size_t i = 0; i < n; ++i, at += step) write_as<T>(at, in[i]);
}

std::size_t elements(const Walk<1>& walk) {
  std::size_t n = 1;
  for (const std::size_t count : walk.count) n *= count;
  return n;
}

}  // namespace

PartitionRow::PartitionRow(const Operand& tile, const FreeCounts& count, std::size_t partition)
    : walk_(make_walk<1>({1, count}, {tile})) {
  walk_.operand[0].at += tile.step[0] * static_cast<std::ptrdiff_t>(partition);
  walk_.merge();
}

void PartitionRow::load(std::vector<float>& values) const {
  values.clear();
  values.reserve(elements(walk_));
  ScratchRow scratch;
  walk_.for_each_piece(kScratch, [&](const std::array<std::byte*, 1>& at, std::size_t n) {
    const float* row = load_dense_row(at[0], walk_.row_step(0), walk_.operand[0].dtype, n, scratch);
    values.insert(values.end(), row, row + n);
  });
}

void PartitionRow::store(const float* values, const CoreView& core) const {
  walk_.for_each_row([&](const std::array<std::byte*, 1>& at) {
    store_row(at[0], walk_.row_step(0), walk_.operand[0].dtype, walk_.row_length(), values, core.rounding);
    values += walk_.row_length();
  });
}

void PartitionRow::read(std::vector<std::uint32_t>& bits) const {
  bits.resize(elements(walk_));
  const std::size_t size = size_of(walk_.operand[0].dtype), n = walk_.row_length();
  const auto read = size == 1   ? read_row<std::uint8_t>
                    : size == 2 ? read_row<std::uint16_t>
                                : read_row<std::uint32_t>;
  std::uint32_t* out = bits.data();
  walk_.for_each_row([&](const std::array<std::byte*, 1>& at) {
    read(at[0], walk_.row_step(0), n, out);
    out += n;
  });
}

void PartitionRow::write(const std::uint32_t* bits) const {
  const std::size_t size = size_of(walk_.operand[0].dtype), n = walk_.row_length();
  const auto write = size == 1   ? write_row<std::uint8_t>
                     : size == 2 ? write_row<std::uint16_t>
                                 : write_row<std::uint32_t>;
  walk_.for_each_row([&](const std::array<std::byte*, 1>& at) {
    write(at[0], walk_.row_step(0), n, bits);
    bits += n;
  });
}

}  // namespace tahoma::isa
