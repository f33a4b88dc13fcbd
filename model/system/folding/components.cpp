// SPDX-License-Identifier: Apache-2.0
#include "model/system/folding/components.h"

#include <algorithm>
#include <numeric>

namespace tahoma::model {
namespace {

// Sets of elements that are united one by one.
class Unions {
 public:
  explicit Unions(std::uint32_t elements) : above_(elements) { std::iota(above_.begin(), above_.end(), 0U); }
  std::uint32_t lowest(std::uint32_t element) {
    while (above_[element] != element) element = above_[element] = above_[above_[element]];
    return element;
  }
  void unite(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t x = lowest(a), y = lowest(b);
    above_[std::max(x, y)] = std::min(x, y);
  }

 private:
  std::vector<std::uint32_t> above_;
};

// Elements of Unions: the chips, then the links that leave switches.
class SwitchElements {
 public:
  explicit SwitchElements(const base::Topology& topology)
      : chips_(topology.chips()), count_(topology.chips()) {
    for (std::uint32_t node = chips_; node < topology.nodes(); ++node) {
      first_.push_back(count_);
      count_ += topology.ports(node);
    }
  }
  std::uint32_t count() const { return count_; }
  std::uint32_t of(const LinkId& link) const { return first_[link.first - chips_] + link.second; }

 private:
  std::uint32_t chips_, count_;
  std::vector<std::uint32_t> first_;  // by switch
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
  const SwitchElements elements(fabric.topology);
  Unions unions(elements.count());
  const auto pairs = pairs_of(names);
  std::map<LinkId, std::uint32_t> links;  // of switches, that are used: the chip that sends
  for (const auto& [from, to] : pairs)
    visit_route(fabric, from, to, adaptive, [&, a = from, end = to](std::uint32_t node) {
      if (node < chips) return unions.unite(a, node);
      const LinkId link{node, fabric.routes.way(node, end).port};
      links.emplace(link, a);
      unions.unite(a, elements.of(link));
    });
  Components result;
  std::map<std::uint32_t, std::size_t> numbers;  // by lowest chip
  for (std::uint32_t chip = 0; chip < chips; ++chip) {
    const auto [known, added] = numbers.try_emplace(unions.lowest(chip), result.all.size());
    if (added) result.all.emplace_back();
    result.all[known->second].chips.push_back(chip);
    result.of.push_back(known->second);
  }
  for (const auto& pair : pairs) result.all[result.of[pair.first]].pairs.insert(pair);
  for (const auto& [link, chip] : links) {
    result.of_link[link] = result.of[chip];
    result.all[result.of[chip]].switch_links.push_back(link);
  }
  return result;
}

}  // namespace tahoma::model
