// SPDX-License-Identifier: Apache-2.0
// The instructions of one queue, in order. Copies share their instructions until one copy is changed (copy on
// write), because most cores of a machine run the same instructions and an instruction is large.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "isa/core/instruction.h"

namespace tahoma::isa {

struct Program;

class Stream {
 public:
  using List = std::vector<Instruction>;

  Stream() = default;
  Stream(List instructions) : list_(std::make_shared<List>(std::move(instructions))) {}

  const List& list() const { return list_ ? *list_ : none(); }
  operator const List&() const { return list(); }
  std::size_t size() const { return list().size(); }
  bool empty() const { return list().empty(); }
  const Instruction& operator[](std::size_t i) const { return list()[i]; }
  const Instruction& at(std::size_t i) const { return list().at(i); }
  const Instruction& front() const { return list().front(); }
  const Instruction& back() const { return list().back(); }
  List::const_iterator begin() const { return list().begin(); }
  List::const_iterator end() const { return list().end(); }

  // Returns the list for editing; other copies are unaffected.
  List& edit() {
    if (!list_)
      list_ = std::make_shared<List>();
    else if (list_.use_count() > 1)
      list_ = std::make_shared<List>(*list_);
    return *list_;
  }
  Instruction& operator[](std::size_t i) { return edit()[i]; }
  Instruction& at(std::size_t i) { return edit().at(i); }
  Instruction& front() { return edit().front(); }
  Instruction& back() { return edit().back(); }
  List::iterator begin() { return edit().begin(); }
  List::iterator end() { return edit().end(); }
  void push_back(const Instruction& instruction) { edit().push_back(instruction); }

  bool shares(const Stream& other) const { return list_ == other.list_; }
  friend bool operator==(const Stream& a, const Stream& b) { return a.shares(b) || a.list() == b.list(); }

 private:
  static const List& none() {
    static const List kNone;
    return kNone;
  }
  std::shared_ptr<List> list_;
};

// Deduplicates equal streams of successive programs. Several threads may use it.
class StreamPool {
 public:
  void share(Program& program);

 private:
  Stream one_of(const Stream& stream);

  std::mutex mutex_;
  std::unordered_multimap<std::uint64_t, Stream> known_;  // by hash
};

}  // namespace tahoma::isa
