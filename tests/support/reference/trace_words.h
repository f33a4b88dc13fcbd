// SPDX-License-Identifier: Apache-2.0
// Which words of four bytes each entry of a trace reads and writes, one by one, and what follows from that
// for the order of entries. Shares no code with frontend/nki/lower. It knows the entries that TraceGenerator
// makes: memset, tensor_copy, tensor_tensor, matmul and copies by DMA, of elements of four bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/nki/record/trace.h"

namespace tahoma::tests {

// Relative to the start of the storage; HBM has one partition.
struct Word {
  std::uint32_t storage = 0, partition = 0;
  std::uint64_t byte = 0;
  bool write = false;
};
std::vector<Word> words_of(const runtime::nki::Trace& trace, const runtime::nki::Recorded& entry);

// By pairs of entries.
class Relation {
 public:
  explicit Relation(std::size_t entries) : size_(entries), holds_(entries * entries) {}
  std::size_t size() const { return size_; }
  bool holds(std::size_t earlier, std::size_t later) const { return holds_[earlier * size_ + later]; }
  void set(std::size_t earlier, std::size_t later, bool holds = true) {
    holds_[earlier * size_ + later] = holds;
  }
  Relation closed() const;  // transitively
  friend bool operator==(const Relation&, const Relation&) = default;

 private:
  std::size_t size_;
  std::vector<bool> holds_;
};

// The pairs that touch a common word that one of them writes.
Relation conflicts_of(const runtime::nki::Trace& trace);

// For each entry, by its line: the lines of the entries whose values it reads, word by word in the order of
// words_of, or kNoLine where none has written. Two orders of a kernel compute the same values if these are
// equal.
std::vector<std::vector<std::uint32_t>> values_read(const runtime::nki::Trace& trace);

}  // namespace tahoma::tests
