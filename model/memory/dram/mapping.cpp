// SPDX-License-Identifier: Apache-2.0
#include "model/memory/dram/mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "model/base/error.h"
#include "model/memory/dram/mapping_text.h"

namespace tahoma::model::dram {
namespace {

using Word = std::uint64_t;
constexpr Word bit_at(unsigned n) { return Word{1} << n; }

unsigned bits_for(std::uint32_t values) { return static_cast<unsigned>(std::bit_width(values - 1)); }

// Fields of a packed location, from its lowest bit. Bank, group and sid are adjacent: together they enumerate
// the banks of a pseudo-channel.
std::vector<MappingField> fields_of(const Organisation& o) {
  std::vector<MappingField> fields{
      {"column", 0, bits_for(o.columns)},  {"row", 0, bits_for(o.rows)},
      {"bank", 0, bits_for(o.banks)},      {"group", 0, bits_for(o.groups)},
      {"sid", 0, bits_for(o.stack_ids)},   {"pseudo", 0, bits_for(o.pseudo_channels)},
      {"channel", 0, bits_for(o.channels)}};
  for (std::size_t n = 1; n < fields.size(); ++n) fields[n].low = fields[n - 1].low + fields[n - 1].width;
  return fields;
}

// Row bits from `whole` up do not take all their values: an address below the capacity must map to an
// existing row, and vice versa.
void check_rows(const MappingText& text, const MappingField& row, const Organisation& o,
                const std::string& where) {
  if (std::has_single_bit(o.rows)) return;
  const auto whole = static_cast<unsigned>(std::countr_zero(o.rows));
  const auto refuse = [&](const std::string& what) {
    throw base::UserError("E-CFG-036", where,
                          fmt::format("{}: {} rows are not a power of two, so row[{}:{}] must be the highest "
                                      "address bits and not the target of an XOR",
                                      what, o.rows, row.width - 1, whole));
  };
  for (unsigned bit = whole; bit < row.width; ++bit)
    if (text.slices[text.slices.size() - row.width + bit] != row.low + bit)
      refuse(fmt::format("row[{}] is misplaced", bit));
  for (const MappingText::Xor& x : text.xors)
    for (const unsigned target : x.target)
      if (row.low + whole <= target && target < row.low + row.width) refuse(fmt::format("'{}'", x.text));
}

// For every bit of the packed location, the address bits whose XOR it is.
std::vector<Word> sums_of(const MappingText& text) {
  std::vector<Word> sums(text.slices.size());
  for (unsigned n = 0; n < text.slices.size(); ++n) sums[text.slices[n]] = bit_at(n);
  for (const MappingText::Xor& x : text.xors) {
    const std::vector<Word> before = sums;
    for (std::size_t n = 0; n < x.target.size(); ++n) sums[x.target[n]] ^= before[x.source[n]];
  }
  return sums;
}

// Transposes a square matrix of bits.
std::vector<Word> transposed(const std::vector<Word>& rows) {
  std::vector<Word> columns(rows.size(), 0);
  for (unsigned r = 0; r < rows.size(); ++r)
    for (unsigned c = 0; c < rows.size(); ++c)
      if ((rows[r] & bit_at(c)) != 0) columns[c] |= bit_at(r);
  return columns;
}

// Inverts by Gauss-Jordan elimination over GF(2). The result is empty if the rows are linearly dependent.
std::optional<std::vector<Word>> inverted(std::vector<Word> rows) {
  const auto size = static_cast<unsigned>(rows.size());
  std::vector<Word> inverse(size);
  for (unsigned n = 0; n < size; ++n) inverse[n] = bit_at(n);
  for (unsigned c = 0; c < size; ++c) {
    unsigned pivot = c;
    while (pivot < size && (rows[pivot] & bit_at(c)) == 0) ++pivot;
    if (pivot == size) return std::nullopt;
    std::swap(rows[c], rows[pivot]);
    std::swap(inverse[c], inverse[pivot]);
    for (unsigned r = 0; r < size; ++r) {
      if (r == c || (rows[r] & bit_at(c)) == 0) continue;
      rows[r] ^= rows[c];
      inverse[r] ^= inverse[c];
    }
  }
  return inverse;
}

// Returns the first XOR after which two addresses share a location.
std::string culprit(MappingText text) {
  while (text.xors.size() > 1) {
    std::string last = text.xors.back().text;
    text.xors.pop_back();
    if (inverted(sums_of(text))) return last;
  }
  return text.xors.front().text;
}

}  // namespace

AddressMapping::Table::Table(const std::vector<std::uint64_t>& images) : bytes_((images.size() + 7) / 8) {
  for (std::size_t byte = 0; byte < bytes_.size(); ++byte) {
    bytes_[byte].fill(0);
    for (unsigned value = 1; value < 256; ++value) {
      const std::size_t lowest = byte * 8 + static_cast<std::size_t>(std::countr_zero(value));
      const std::uint64_t image = lowest < images.size() ? images[lowest] : 0;
      bytes_[byte][value] = bytes_[byte][value & (value - 1)] ^ image;
    }
  }
}

AddressMapping::AddressMapping(const std::string& expression, const Organisation& o, const std::string& where)
    : access_bits_(bits_for(o.access_bytes)) {
  const std::vector<MappingField> fields = fields_of(o);
  column_ = {fields[0].low, fields[0].width};
  row_ = {fields[1].low, fields[1].width};
  bank_ = {fields[2].low, fields[2].width + fields[3].width + fields[4].width};
  pseudo_ = {fields[5].low, fields[5].width};
  channel_ = {fields[6].low, fields[6].width};

  const MappingText text = read_mapping(expression, fields, where);
  check_rows(text, fields[1], o, where);
  const std::vector<Word> sums = sums_of(text);
  const auto inverse = inverted(sums);
  if (!inverse)
    throw base::UserError("E-CFG-035", where,
                          fmt::format("'{}' maps several addresses to one location", culprit(text)));
  const std::vector<Word> images = transposed(sums);
  forward_ = Table(images);
  inverse_ = Table(transposed(*inverse));
  const auto in_the_row = [this](Word image) { return column_.at(column_.in(image)) == image; };
  const auto leaves = std::find_if_not(images.begin(), images.end(), in_the_row);
  block_bits_ = access_bits_ + static_cast<unsigned>(leaves - images.begin());
}

}  // namespace tahoma::model::dram
