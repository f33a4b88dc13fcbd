// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/symbolic.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tahoma::test {

namespace {

using namespace runtime::collective;

// A second, literal form of the definition of the operations: the contributors of a chunk and its consumers.
bool contributes(const Problem& p, std::uint32_t rank, std::uint32_t chunk) {
  switch (p.operation) {
    case Operation::kAllReduce:
    case Operation::kReduceScatter:
    case Operation::kReduce:
      return true;
    case Operation::kBroadcast:
    case Operation::kScatter:
      return rank == p.root;
    case Operation::kAllToAll:
      return chunk / p.ranks == rank;
    case Operation::kSendRecv:
    case Operation::kPermute:
      return chunk == rank && p.to.at(rank) != kNowhere;
    default:
      return chunk == rank;
  }
}
bool needs(const Problem& p, std::uint32_t rank, std::uint32_t chunk) {
  switch (p.operation) {
    case Operation::kReduceScatter:
    case Operation::kScatter:
      return chunk == rank;
    case Operation::kReduce:
    case Operation::kGather:
      return rank == p.root;
    case Operation::kAllToAll:
      return chunk % p.ranks == rank;
    case Operation::kSendRecv:
    case Operation::kPermute:
      return p.to.at(chunk) == rank;
    default:
      return true;
  }
}

struct Held {
  std::vector<std::uint16_t> list;  // contributors, folded or not
  bool final = false;               // in the output: settled here, or a copy of a settled chunk
};

class Interpreter {
 public:
  explicit Interpreter(const Schedule& s) : s_(s), held_(std::size_t{s.problem.ranks} * s.chunks) {
    for (std::uint32_t r = 0; r < s.problem.ranks; ++r)
      for (std::uint32_t c = 0; c < s.chunks; ++c)
        if (contributes(s.problem, r, c)) at(r, c).list = {static_cast<std::uint16_t>(r)};
  }

  std::string run() {
    std::size_t next = 0;
    while (next < s_.transfers.size() && fault_.empty()) {
      std::size_t end = next;
      while (end < s_.transfers.size() && s_.transfers[end].round == s_.transfers[next].round) ++end;
      if (end < s_.transfers.size() && s_.transfers[end].round < s_.transfers[next].round)
        return "rounds go back";
      round(next, end);
      next = end;
    }
    if (fault_.empty() && s_.transfers.back().round >= s_.rounds) return "more rounds than it says";
    return fault_.empty() ? verdict() : fault_;
  }

 private:
  struct Arrival {
    std::uint32_t rank, chunk;
    TransferKind kind;
    Held what;
  };

  void round(std::size_t first, std::size_t end) {
    std::vector<Arrival> arrivals;
    for (std::size_t i = first; i < end; ++i) {
      const Transfer& t = s_.transfers[i];
      if ((t.kind == TransferKind::kSettle) != (t.from == t.to)) return fail(t, "goes to its own sender");
      t.chunks.for_each([&](std::uint32_t c) {
        if (c >= s_.chunks) return fail(t, "has a chunk that does not exist");
        const Held& from = at(t.from, c);
        if (from.list.empty()) fail(t, "sends what its sender does not hold");
        arrivals.push_back({t.to, c, t.kind, from});
      });
    }
    for (const Arrival& a : arrivals) {
      Held& to = at(a.rank, a.chunk);
      if (to.final) fault_ = fmt::format("rank {} receives chunk {}, which is finished", a.rank, a.chunk);
      if (combines(a.kind))
        to.list.insert(to.list.end(), a.what.list.begin(), a.what.list.end());
      else
        to = {a.what.list, true};
    }
  }

  void fail(const Transfer& t, const char* what) {
    if (fault_.empty()) fault_ = fmt::format("round {}, {} to {}: {}", t.round, t.from, t.to, what);
  }

  std::string verdict() {
    for (std::uint32_t c = 0; c < s_.chunks; ++c) {
      std::vector<std::uint16_t> want;
      for (std::uint32_t r = 0; r < s_.problem.ranks; ++r)
        if (contributes(s_.problem, r, c)) want.push_back(static_cast<std::uint16_t>(r));
      for (std::uint32_t r = 0; r < s_.problem.ranks; ++r) {
        if (!needs(s_.problem, r, c)) continue;
        Held& got = at(r, c);
        std::sort(got.list.begin(), got.list.end());
        if (!got.final) return fmt::format("rank {} has not finished chunk {}", r, c);
        if (got.list != want)
          return fmt::format("rank {} has {} of {} in chunk {}", r, got.list.size(), want.size(), c);
      }
    }
    return "";
  }

  Held& at(std::uint32_t rank, std::uint32_t chunk) { return held_[std::size_t{rank} * s_.chunks + chunk]; }

  const Schedule& s_;
  std::vector<Held> held_;
  std::string fault_;
};

}  // namespace

std::string fault_of(const Schedule& schedule) { return Interpreter(schedule).run(); }

}  // namespace tahoma::test
