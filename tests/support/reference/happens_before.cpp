// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/happens_before.h"

#include <algorithm>
#include <bitset>
#include <stdexcept>

namespace tahoma::tests {

namespace {

constexpr std::size_t kMost = 1024;
using Set = std::bitset<kMost>;

struct Node {
  const isa::Instruction* instruction;
  std::size_t queue, place;
  bool dma;
  Set complete;   // nodes that must be complete when this one starts
  Set over = {};  // sem_waits that must be over then; what stands before them may still be under way
};

class Judge {
 public:
  explicit Judge(const isa::Program& program) {
    for (std::size_t q = 0; q < isa::kQueueCount; ++q)
      for (std::size_t i = 0; i < program.streams[q].size(); ++i) {
        const isa::Instruction& instruction = program.streams[q][i];
        nodes_.push_back({&instruction, q, i, instruction.op == isa::Opcode::kDmaCopy, {}});
      }
    if (nodes_.size() > kMost) throw std::length_error("happens-before judge: program too long");
    while (grow()) {
    }
  }

  // Returns whether `first` must be complete, or ahead on the same in-order engine, when `second` starts.
  bool ordered(std::size_t first, std::size_t second) const {
    const Node &a = nodes_[first], &b = nodes_[second];
    if (!a.dma && !b.dma && a.queue == b.queue) return a.place < b.place;
    return b.complete[first];
  }

  std::size_t find(std::size_t op, bool dma) const {
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const isa::Instruction& i = *nodes_[n].instruction;
      if (i.op == isa::Opcode::kSemWait || nodes_[n].dma != dma) continue;
      if (dma ? i.descriptor == op : i.imm == static_cast<std::int32_t>(op) + 1) return n;
    }
    throw std::logic_error("happens-before judge: operation not in the streams");
  }

 private:
  bool grow() {
    bool grew = false;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      Set now = nodes_[n].complete, over = nodes_[n].over;
      if (nodes_[n].place > 0) {  // same queue: starts in order, and a wait is over when the next one starts
        now |= nodes_[n - 1].complete;
        over |= nodes_[n - 1].over;
        over.set(n - 1, nodes_[n - 1].instruction->op == isa::Opcode::kSemWait);
      }
      const isa::Wait& wait = nodes_[n].instruction->wait;
      if (wait.kind != isa::Wait::Kind::kNone)
        for (std::size_t x = 0; x < nodes_.size(); ++x)
          if (!now[x] && x != n && raises(x, wait.semaphore) &&
              value_without(x, n, wait.semaphore) < wait.value)
            now.set(x);
      for (std::size_t x = 0; x < nodes_.size(); ++x)
        if (now[x]) now |= completed_by(x);
      for (std::size_t x = 0; x < nodes_.size(); ++x)
        if (now[x]) over |= nodes_[x].over;
      if (now != nodes_[n].complete || over != nodes_[n].over) grew = true;
      nodes_[n].complete = now;
      nodes_[n].over = over;
    }
    return grew;
  }

  bool raises(std::size_t n, unsigned semaphore) const {
    const isa::Update& u = nodes_[n].instruction->update;
    return u.kind != isa::Update::Kind::kNone && u.semaphore == semaphore;
  }

  // The largest value of the semaphore that `waiter` can see while x is not complete.
  std::uint64_t value_without(std::size_t x, std::size_t waiter, unsigned semaphore) const {
    std::uint64_t value = nodes_[x].dma ? isa::kDmaEngines - 1U : 0U;  // all but its last engine
    for (std::size_t y = 0; y < nodes_.size(); ++y) {
      if (y == x || y == waiter || !raises(y, semaphore)) continue;
      const bool needs_x =
          nodes_[y].complete[x] || (!nodes_[x].dma && !nodes_[y].dma && nodes_[x].queue == nodes_[y].queue &&
                                    nodes_[x].place < nodes_[y].place);
      const bool behind = nodes_[y].queue == nodes_[waiter].queue && nodes_[y].place > nodes_[waiter].place;
      // It cannot start while the waiter waits.
      const bool after_waiter = behind || nodes_[y].complete[waiter] || nodes_[y].over[waiter];
      if (!needs_x && !after_waiter) value += nodes_[y].dma ? isa::kDmaEngines : 1U;
    }
    return value;
  }

  // All nodes that are complete when x is: those that had to be complete when it started, x itself, and, for
  // an engine, all nodes before it.
  Set completed_by(std::size_t x) const {
    Set set = nodes_[x].complete;
    set.set(x);
    if (nodes_[x].dma) return set;
    for (std::size_t y = 0; y < nodes_.size(); ++y)
      if (!nodes_[y].dma && nodes_[y].queue == nodes_[x].queue && nodes_[y].place < nodes_[x].place)
        set.set(y);
    return set;
  }

  std::vector<Node> nodes_;
};

bool touches(const runtime::Region& r, std::uint64_t byte) {
  return byte >= r.byte && byte < r.byte + r.bytes && (r.step == 0 || (byte - r.byte) % r.step < r.width);
}

// Byte by byte.
bool share_bytes(const runtime::Region& r, const runtime::Region& s) {
  const std::uint64_t end = std::min(r.byte + r.bytes, s.byte + s.bytes);
  for (std::uint64_t byte = std::max(r.byte, s.byte); byte < end; ++byte)
    if (touches(r, byte) && touches(s, byte)) return true;
  return false;
}

bool conflict(const runtime::Op& a, const runtime::Op& b) {
  for (std::size_t i = 0; i < a.accesses.size(); ++i)
    for (std::size_t j = 0; j < b.accesses.size(); ++j) {
      const runtime::Region &r = a.accesses[i].region, &s = b.accesses[j].region;
      const bool apart =
          r.buffer != s.buffer || r.row + r.rows <= s.row || s.row + s.rows <= r.row || !share_bytes(r, s);
      if (!apart && (a.accesses[i].write || b.accesses[j].write)) return true;
    }
  return false;
}

}  // namespace

std::optional<std::string> find_race(const std::vector<runtime::Op>& ops, const isa::Program& program) {
  const Judge judge(program);
  for (std::size_t b = 0; b < ops.size(); ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (conflict(ops[a], ops[b]) &&
          !judge.ordered(judge.find(a, ops[a].is_dma()), judge.find(b, ops[b].is_dma())))
        return "operation " + std::to_string(b) + " may start before operation " + std::to_string(a) +
               " is complete";
  return std::nullopt;
}

}  // namespace tahoma::tests
