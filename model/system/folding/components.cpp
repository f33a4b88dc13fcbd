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

std::set<std::pair<std::uint32_t, std::uint32_t>> pairs_of(
    const std::map<std::uint32_t, ProgramNames>& names) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const auto& [core, of_core] : names) pairs.insert(of_core.flows.begin(), of_core.flows.end());
  return pairs;
}

}  // namespace

bool one_class_per_link(const Fabric& fabric, const Component& component, bool adaptive) {
  if (adaptive) return false;
  std::map<std::pair<std::uint32_t, base::PortIndex>, std::uint8_t> classes;
  bool one = true;
  for (const auto& [from, to] : component.pairs)
    visit_route(fabric, from, to, adaptive, [&, end = to](std::uint32_t node) {
      if (node == end) return;
      const base::Way& way = fabric.routes.way(node, end);
      one = one && classes.try_emplace({node, way.port}, way.vc_class).first->second == way.vc_class;
    });
  return one;
}

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
