// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/trace_words.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

namespace tahoma::tests {

using namespace runtime::nki;  // nearly every name of this reference is from there

namespace {

constexpr std::int64_t kWord = 4;

void add_tile(const Trace& trace, std::uint32_t id, const isa::Tile& tile, std::uint32_t partitions,
              const isa::Shape& shape, bool write, std::vector<Word>& words) {
  const Place start = trace.storages[id]->place.value_or(Place{});
  for (std::uint32_t p = 0; p < partitions; ++p)
    for (std::int64_t i = 0; i < shape.count[0]; ++i)
      for (std::int64_t j = 0; j < shape.count[1]; ++j)
        for (std::int64_t k = 0; k < shape.count[2]; ++k)
          for (std::int64_t l = 0; l < shape.count[3]; ++l) {
            const std::int64_t element =
                i * tile.stride[0] + j * tile.stride[1] + k * tile.stride[2] + l * tile.stride[3];
            words.push_back({id, tile.partition + p - start.partition,
                             static_cast<std::uint64_t>(tile.offset - start.byte + element * kWord), write});
          }
}

void add_side(const Side& side, bool write, std::vector<Word>& words) {
  std::vector<std::int64_t> at(side.axes.size(), 0);
  for (;;) {
    std::int64_t partition = side.partition, byte = side.offset;
    for (std::size_t a = 0; a < at.size(); ++a)
      (side.axes[a].partition ? partition : byte) +=
          at[a] * side.axes[a].stride * (side.axes[a].partition ? 1 : kWord);
    words.push_back(
        {side.storage, static_cast<std::uint32_t>(partition), static_cast<std::uint64_t>(byte), write});
    std::size_t a = 0;
    while (a < at.size() && ++at[a] == side.axes[a].count) at[a++] = 0;
    if (a == at.size()) return;
  }
}

void add_operand(const Trace& trace, const Recorded& entry, const Operand& operand,
                 std::vector<Word>& words) {
  const isa::Instruction& i = entry.instruction;
  switch (operand.field) {
    case isa::FieldKind::kDst:
      return add_tile(trace, operand.storage, i.dst, i.shape.partitions, i.shape, true, words);
    case isa::FieldKind::kMatrixDst:
      return add_tile(trace, operand.storage, i.dst, i.columns, i.shape, true, words);
    case isa::FieldKind::kSrc0:
    case isa::FieldKind::kMoving:
      return add_tile(trace, operand.storage, i.src0, i.shape.partitions, i.shape, false, words);
    case isa::FieldKind::kSrc1:
      return add_tile(trace, operand.storage, i.src1, i.shape.partitions, i.shape, false, words);
    case isa::FieldKind::kStationary:
      return add_tile(trace, operand.storage, entry.weights->src0, entry.weights->shape.partitions,
                      entry.weights->shape, false, words);
    default:
      throw std::logic_error("words of a trace: an operand that random traces do not have");
  }
}

using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;
Key key_of(const Word& word) { return {word.storage, word.partition, word.byte}; }

}  // namespace

std::vector<Word> words_of(const Trace& trace, const Recorded& entry) {
  std::vector<Word> words;
  if (entry.transfer) {
    for (const Side& side : entry.transfer->sources) add_side(side, false, words);
    add_side(entry.transfer->dst, true, words);
  }
  for (const Operand& operand : entry.operands) add_operand(trace, entry, operand, words);
  return words;
}

Relation Relation::closed() const {
  Relation all = *this;
  for (std::size_t later = 0; later < size_; ++later)
    for (std::size_t between = later; between-- > 0;)
      if (all.holds(between, later))
        for (std::size_t earlier = 0; earlier < between; ++earlier)
          if (all.holds(earlier, between)) all.set(earlier, later);
  return all;
}

Relation conflicts_of(const Trace& trace) {
  struct Touched {
    std::vector<std::size_t> readers, writers;
  };
  std::map<Key, Touched> touched;
  Relation conflicts(trace.entries.size());
  for (std::size_t e = 0; e < trace.entries.size(); ++e)
    for (const Word& word : words_of(trace, trace.entries[e])) {
      Touched& by = touched[key_of(word)];
      const auto meet = [&](const std::vector<std::size_t>& earlier) {
        for (const std::size_t other : earlier)
          if (other != e) conflicts.set(other, e);
      };
      meet(by.writers);
      if (word.write) meet(by.readers);
      (word.write ? by.writers : by.readers).push_back(e);
    }
  return conflicts;
}

std::vector<std::vector<std::uint32_t>> values_read(const Trace& trace) {
  std::vector<std::vector<std::uint32_t>> values(trace.lines.size());
  std::map<Key, std::uint32_t> writer;  // line
  for (const Recorded& entry : trace.entries) {
    const std::vector<Word> words = words_of(trace, entry);
    for (const Word& word : words) {
      if (word.write) continue;
      const auto at = writer.find(key_of(word));
      values[entry.line].push_back(at == writer.end() ? isa::kNoLine : at->second);
    }
    for (const Word& word : words)
      if (word.write) writer[key_of(word)] = entry.line;
  }
  return values;
}

}  // namespace tahoma::tests
