// SPDX-License-Identifier: Apache-2.0
// AddressSpace against its definition: every place is examined, unit by unit.
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <random>
#include <vector>

#include "frontend/nki/lower/memory/address_space.h"

namespace tahoma::tests {

namespace {

using runtime::nki::AddressSpace;
using runtime::nki::Fit;

constexpr std::int64_t kNever = -1;

struct Memory {
  std::int64_t unit, bank;  // bytes; units
  std::vector<std::int64_t> last_use;
};

std::optional<std::int64_t> defined(const Memory& memory, std::int64_t need, std::int64_t now, Fit fit) {
  const auto count = static_cast<std::int64_t>(memory.last_use.size());
  std::optional<std::int64_t> best;
  std::int64_t best_use = now;
  for (std::int64_t at = 0; at + need <= count; ++at) {
    const bool crosses = at % memory.bank != 0 && at / memory.bank != (at + need - 1) / memory.bank;
    const std::int64_t use =
        *std::max_element(memory.last_use.begin() + at, memory.last_use.begin() + at + need);
    if (crosses || use >= (fit == Fit::kLongestUnused ? best_use : now)) continue;
    if (fit == Fit::kLowest && best) continue;
    best = at * memory.unit;
    best_use = use;
  }
  return best;
}

class Random {
 public:
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(n));
  }

 private:
  std::mt19937_64 engine_{62};
};

}  // namespace

TEST_CASE("places on chip: the definition's, whatever was placed before", "[nki]") {
  Random random;
  for (int round = 0; round < 400; ++round) {
    const std::int64_t unit = 1 + random.below(4), count = 1 + random.below(60);
    const std::int64_t bank = random.below(2) == 0 ? 0 : 1 + random.below(20);
    AddressSpace space(count * unit, unit, bank * unit);
    Memory memory{unit, bank == 0 ? count : bank, std::vector(static_cast<std::size_t>(count), kNever)};
    struct Hand {
      std::int64_t begin, end, first, last;
    };
    std::vector<Hand> by_hand;
    for (std::int64_t n = random.below(4); n > 0; --n) {
      const std::int64_t begin = random.below(count), size = 1 + random.below(count - begin);
      const std::int64_t first = random.below(50), last = first + random.below(50);
      space.place(begin * unit, size * unit, first, last);
      by_hand.push_back({begin, begin + size, first, last});
    }
    for (std::int64_t now = 0; now < 50; ++now) {
      const std::int64_t need = 1 + random.below(std::max<std::int64_t>(1, count / (1 + random.below(8))));
      const std::int64_t until = now + random.below(30);
      const auto fit = static_cast<Fit>(random.below(3));
      Memory seen = memory;
      for (const Hand& h : by_hand)
        if (h.first <= until && now <= h.last)
          std::fill(seen.last_use.begin() + h.begin, seen.last_use.begin() + h.end, INT64_MAX);
      const auto found = space.find(need * unit, now, until, fit);
      REQUIRE(found == defined(seen, need, now, fit));
      if (!found) continue;
      space.reserve(*found, need * unit, until);
      std::fill_n(memory.last_use.begin() + *found / unit, need, until);
    }
  }
}

}  // namespace tahoma::tests
