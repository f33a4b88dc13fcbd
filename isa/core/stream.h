// SPDX-License-Identifier: Apache-2.0
// The instructions of one queue, in order. Copies share their instructions until one copy is changed (copy on
// write), because most cores of a machine run the same instructions and an instruction is large. Streams of
// one StreamPool that differ share the instructions that are equal.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "isa/core/distinct_instructions.h"
#include "isa/core/instruction.h"

namespace tahoma::isa {

struct Program;

class Stream {
 public:
  using List = std::vector<Instruction>;

  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Instruction;
    using difference_type = std::ptrdiff_t;
    using pointer = const Instruction*;
    using reference = const Instruction&;

    Iterator() = default;
    Iterator(const Stream& stream, std::size_t index) : stream_(&stream), index_(index) {}
    reference operator*() const { return (*stream_)[index_]; }
    pointer operator->() const { return &**this; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) { return {*stream_, index_++}; }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const Stream* stream_ = nullptr;
    std::size_t index_ = 0;
  };

  Stream() = default;
  Stream(List instructions) : list_(std::make_shared<List>(std::move(instructions))) {}

  std::size_t size() const { return pooled_ ? pooled_->at.size() : list_ ? list_->size() : 0; }
  bool empty() const { return size() == 0; }
  const Instruction& operator[](std::size_t i) const { return pooled_ ? *pooled_->at[i] : (*list_)[i]; }
  const Instruction& front() const { return (*this)[0]; }
  const Instruction& back() const { return (*this)[size() - 1]; }
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

  // Returns the list for editing; other copies are unaffected.
  List& edit();
  Instruction& operator[](std::size_t i) { return edit()[i]; }
  Instruction& at(std::size_t i) { return edit().at(i); }
  Instruction& front() { return edit().front(); }
  Instruction& back() { return edit().back(); }
  List::iterator begin() { return edit().begin(); }
  List::iterator end() { return edit().end(); }
  void push_back(const Instruction& instruction) { edit().push_back(instruction); }

  bool shares(const Stream& other) const { return list_ == other.list_ && pooled_ == other.pooled_; }
  friend bool operator==(const Stream& a, const Stream& b);

 private:
  friend class StreamPool;
  struct Pooled {
    std::shared_ptr<const DistinctInstructions> instructions;  // that `at` points into
    std::vector<const Instruction*> at;
  };
  std::shared_ptr<List> list_;            // at most one of the two is set
  std::shared_ptr<const Pooled> pooled_;  // of a stream that a pool has shared
};

// Deduplicates equal streams of successive programs, and equal instructions of different streams. Several
// threads may use it.
class StreamPool {
 public:
  void share(Program& program);

 private:
  Stream one_of(const Stream& stream);
  Stream pooled(const Stream& stream, const std::vector<std::uint64_t>& hashes);

  std::mutex mutex_;
  std::shared_ptr<DistinctInstructions> instructions_ = std::make_shared<DistinctInstructions>();
  std::unordered_multimap<std::uint64_t, Stream> known_;  // by hash
};

}  // namespace tahoma::isa
