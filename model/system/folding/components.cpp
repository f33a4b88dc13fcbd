// SPDX-License-Identifier: Apache-2.0
#include "model/system/folding/components.h"

#include <algorithm>
#include <numeric>

namespace tahoma::model {
namespace {

// Sets of chips that are united one by one.
class Unions {
 public:
  explicit Unions(std::uint32_t chips) : above_(chips) { std::iota(above_.begin(), above_.end(), 0U); }
  std::uint32_t lowest(std::uint32_t chip) {
    while (above_[chip] != chip) chip = above_[chip] = above_[above_[chip]];
    return chip;
  }
  void unite(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t x = lowest(a), y = lowest(b);
    above_[std::max(x, y)] = std::min(x, y);
  }

 private:
  std::vector<std::uint32_t> above_;
};

// Every chip that an instruction names may send to every other: data, answers and notifications.
std::set<std::pair<std::uint32_t, std::uint32_t>> pairs_of(
    const std::map<std::uint32_t, ProgramNames>& names) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const auto& [core, of_core] : names)
    for (auto at = of_core.groups.begin(); at != of_core.groups.end();) {
      const auto first = at + 1, end = first + *at;
      for (auto a = first; a != end; ++a)
        for (auto b = first; b != end; ++b)
          if (*a != *b) pairs.emplace(*a, *b);
      at = end;
    }
  return pairs;
}

}  // namespace

Components components_of(const Fabric& fabric, const std::map<std::uint32_t, ProgramNames>& names,
                         bool adaptive) {
  const std::uint32_t chips = fabric.topology.chips();
  Unions unions(chips);
  const auto pairs = pairs_of(names);
  for (const auto& [from, to] : pairs)
    visit_route(fabric, from, to, adaptive, [&, a = from](std::uint32_t node) { unions.unite(a, node); });
  Components result;
  std::map<std::uint32_t, std::size_t> numbers;  // by lowest chip
  for (std::uint32_t chip = 0; chip < chips; ++chip) {
    const auto [known, added] = numbers.try_emplace(unions.lowest(chip), result.all.size());
    if (added) result.all.emplace_back();
    result.all[known->second].chips.push_back(chip);
    result.of.push_back(known->second);
  }
  for (const auto& pair : pairs) result.all[result.of[pair.first]].pairs.insert(pair);
  return result;
}

}  // namespace tahoma::model
