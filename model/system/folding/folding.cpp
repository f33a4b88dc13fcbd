// SPDX-License-Identifier: Apache-2.0
#include "model/system/folding/folding.h"

#include <algorithm>
#include <optional>
#include <set>

#include "model/link/renaming.h"
#include "model/system/folding/components.h"
#include "model/system/folding/obstacles.h"
#include "model/system/folding/switch_links.h"

namespace tahoma::model {

using base::NodeMap;

namespace {

bool same_faults(const LinkFaults& a, const LinkFaults& b) { return a.rate == b.rate && a.dead == b.dead; }

class Search {
 public:
  Search(const MachineParams& params, const Fabric& fabric, const LoadedPrograms& programs,
         const std::vector<ControlValues>& control, AddressLaw law, Foldable foldable)
      : params_(params),
        fabric_(fabric),
        programs_(programs),
        law_(law),
        foldable_(foldable),
        cores_(static_cast<std::uint32_t>(params.chip.cores)) {
    for (const auto& [core, loaded] : programs)
      names_.emplace(core, names_of(loaded, core, cores_, params.chip.hbm.capacity));
    for (const ControlValues& values : control) control_[values.address] = &values.bytes;
  }

  Folding find() {
    for (const auto& [core, names] : names_)
      if (names.leaves_stack || names_unknown_chip(names))
        return unfolded(fabric_.topology, "a transfer leaves its stack");
    components_ = components_of(fabric_, names_, params_.link.adaptive());
    for (const Component& component : components_.all)
      one_class_.push_back(law_ != AddressLaw::kWhole &&
                           one_class_per_link(fabric_, component, params_.link.adaptive()));
    Folding folding = unfolded(fabric_.topology);
    const std::vector<NodeMap> shifts = base::shifts_of(fabric_.topology);
    std::vector<std::size_t> representatives;
    for (std::size_t c = 0; c < components_.all.size(); ++c) {
      folded_.push_back({c, shifts.front(), {shifts.front()}});
      if (foldable_ == Foldable::kIdle && !is_idle(components_.all[c])) continue;
      if (fold_onto_earlier(c, representatives, shifts, folding)) continue;
      fold_in_itself(c, shifts, folding);
      representatives.push_back(c);
    }
    if (folding.folds()) fold_switch_links(fabric_, components_, folded_, folding);
    return folding;
  }

 private:
  bool names_unknown_chip(const ProgramNames& names) const {
    const std::uint32_t chips = fabric_.topology.chips();
    return std::any_of(names.addresses.begin(), names.addresses.end(),
                       [&](std::uint64_t a) { return isa::GlobalAddress::from(a).chip >= chips; }) ||
           std::any_of(names.cores.begin(), names.cores.end(),
                       [&](std::uint32_t c) { return c / cores_ >= chips; });
  }

  // A chip that packets reach has a pair, even if it is the sender.
  bool is_idle(const Component& component) const {
    const auto idle = [&](std::uint32_t chip) {
      const auto first = programs_.lower_bound(chip * cores_);
      return first == programs_.end() || first->first / cores_ != chip;
    };
    return component.pairs.empty() && std::all_of(component.chips.begin(), component.chips.end(), idle);
  }

  bool fold_onto_earlier(std::size_t c, const std::vector<std::size_t>& earlier,
                         const std::vector<NodeMap>& shifts, Folding& folding) {
    for (const std::size_t e : earlier)
      for (const NodeMap& shift : shifts) {
        if (!is_symmetry(c, e, shift)) continue;
        for (const std::uint32_t chip : components_.all[c].chips) {
          const std::uint32_t there = shift[chip];
          folding.representative[chip] = folding.representative[there];
          folding.view[chip] = base::composed(shift, folding.view[there]);
        }
        folded_[c].onto = e;
        folded_[c].shift = shift;
        return true;
      }
    return false;
  }

  // The symmetries of a component are a group, so every chip is in one class, and compositions of symmetries
  // need not be examined.
  std::vector<NodeMap> symmetries_of(std::size_t c, const std::vector<NodeMap>& shifts) const {
    std::vector<NodeMap> group{shifts.front()};
    std::set<NodeMap> known(group.begin(), group.end());
    for (const NodeMap& shift : shifts) {
      if (known.contains(shift) || !is_symmetry(c, c, shift)) continue;
      for (std::size_t n = 0; n < group.size(); ++n)
        if (NodeMap next = base::composed(group[n], shift); known.insert(next).second)
          group.push_back(std::move(next));
    }
    return group;
  }

  void fold_in_itself(std::size_t c, const std::vector<NodeMap>& shifts, Folding& folding) {
    const std::vector<NodeMap>& own = folded_[c].group = symmetries_of(c, shifts);
    std::set<std::uint32_t> done;
    for (const std::uint32_t chip : components_.all[c].chips) {
      if (!done.insert(chip).second) continue;
      for (const NodeMap& shift : own) {
        const std::uint32_t there = shift[chip];
        if (!done.insert(there).second) continue;
        folding.representative[there] = chip;
        folding.view[there] = base::inverse(shift);
      }
    }
  }

  bool is_symmetry(std::size_t from, std::size_t to, const NodeMap& shift) const {
    const Component &a = components_.all[from], &b = components_.all[to];
    if (a.chips.size() != b.chips.size() || a.pairs.size() != b.pairs.size() ||
        a.switch_links.size() != b.switch_links.size())
      return false;
    const auto all = [](const auto& range, auto&& holds) {
      return std::all_of(range.begin(), range.end(), holds);
    };
    if (!all(a.chips, [&](std::uint32_t chip) { return components_.of[shift[chip]] == to; })) return false;
    return all(a.chips, [&](std::uint32_t chip) { return same_parts(chip, shift[chip]); }) &&
           all(a.switch_links, [&](const LinkId& link) { return same_switch_link(link, to, shift); }) &&
           all(a.chips, [&](std::uint32_t chip) { return same_programs(chip, shift); }) &&
           all(a.pairs,
               [&](const auto& pair) {
                 return same_route(pair, shift, one_class_[from] && one_class_[to]);
               }) &&
           keeps_order(a, shift);
  }

  bool same_parts(std::uint32_t a, std::uint32_t b) const {
    if (params_.slowdown_of(a) != params_.slowdown_of(b) || params_.is_dead(a) != params_.is_dead(b))
      return false;
    for (std::uint64_t s = 0; s < params_.chip.hbm.stacks; ++s) {
      const StackFaults x = params_.faults_of(a, s), y = params_.faults_of(b, s);
      if (x.rate != y.rate || x.failed_channels != y.failed_channels) return false;
      if (a != b && (x.correctable_errors != 0 || y.correctable_errors != 0))
        return false;  // drawn for each stack
    }
    for (base::PortIndex port = 0; port < fabric_.topology.ports(a); ++port)
      if (!same_faults(link(a, port), link(b, port))) return false;
    return true;
  }

  bool same_switch_link(const LinkId& link, std::size_t to, const NodeMap& shift) const {
    const LinkId image{shift[link.first], fabric_.switch_ports.image(shift, link.first, link.second)};
    const auto known = components_.of_link.find(image);
    return known != components_.of_link.end() && known->second == to &&
           same_faults(this->link(link.first, link.second), this->link(image.first, image.second));
  }

  LinkFaults link(std::uint32_t node, base::PortIndex port) const {
    const auto known = fabric_.faults.find({node, port});
    return known == fabric_.faults.end() ? LinkFaults{} : known->second;
  }

  bool same_programs(std::uint32_t chip, const NodeMap& shift) const {
    for (std::uint32_t n = 0; n < cores_; ++n) {
      const auto a = programs_.find(chip * cores_ + n), b = programs_.find(shift[chip] * cores_ + n);
      if ((a == programs_.end()) != (b == programs_.end())) return false;
      if (a == programs_.end()) continue;
      if (a->second.start != b->second.start) return false;
      if (!same_but_for_names(*a->second.program, *b->second.program)) return false;
      if (!same_names(names_.at(a->first), names_.at(b->first), Renaming(shift, cores_))) return false;
    }
    return true;
  }

  bool same_names(const ProgramNames& a, const ProgramNames& b, const Renaming& shifted) const {
    return std::equal(a.addresses.begin(), a.addresses.end(), b.addresses.begin(), b.addresses.end(),
                      [&](std::uint64_t x, std::uint64_t y) {
                        return same_place(shifted.address(x), y) && same_values(x, y);
                      }) &&
           std::equal(a.cores.begin(), a.cores.end(), b.cores.begin(), b.cores.end(),
                      [&](std::uint32_t x, std::uint32_t y) { return shifted.core(x) == y; });
  }

  bool same_place(std::uint64_t x, std::uint64_t y) const {
    if (law_ == AddressLaw::kWhole) return x == y;
    const auto a = isa::GlobalAddress::from(x), b = isa::GlobalAddress::from(y);
    return a.chip == b.chip && a.stack == b.stack;
  }

  // A control tensor that contains an address.
  std::optional<std::pair<std::uint64_t, const std::vector<std::byte>*>> values_at(
      std::uint64_t address) const {
    auto known = control_.upper_bound(address);
    if (known == control_.begin()) return std::nullopt;
    --known;
    if (address - known->first >= known->second->size()) return std::nullopt;
    return std::pair(address - known->first, known->second);
  }
  bool same_values(std::uint64_t x, std::uint64_t y) const {
    if (control_.empty()) return true;
    const auto a = values_at(x), b = values_at(y);
    if (a.has_value() != b.has_value()) return false;
    return !a || (a->first == b->first && *a->second == *b->second);
  }

  bool same_route(const std::pair<std::uint32_t, std::uint32_t>& pair, const NodeMap& shift,
                  bool any_class) const {
    bool same = true;
    visit_route(fabric_, pair.first, pair.second, params_.link.adaptive(), [&](std::uint32_t node) {
      if (node == pair.second) return;
      const base::Way a = fabric_.routes.way(node, pair.second),
                      b = fabric_.routes.way(shift[node], shift[pair.second]);
      same = same && fabric_.switch_ports.image(shift, node, a.port) == b.port &&
             (any_class || a.vc_class == b.vc_class) && (!params_.link.adaptive() || a.minimal == b.minimal);
    });
    return same;
  }

  // Virtual channels follow from core numbers, and DRAM orders simultaneous requests by them.
  bool keeps_order(const Component& component, const NodeMap& shift) const {
    const std::uint64_t share = std::max<std::uint64_t>(1, params_.link.vcs / fabric_.routes.vc_classes());
    std::map<std::uint32_t, std::vector<std::uint32_t>> senders;
    for (const std::uint32_t chip : component.chips) {
      senders[chip].push_back(chip);
      if ((std::uint64_t{chip} * cores_) % share != (std::uint64_t{shift[chip]} * cores_) % share)
        return false;
    }
    if (law_ != AddressLaw::kWhole) return true;
    for (const auto& [from, to] : component.pairs) senders[to].push_back(from);
    for (auto& [to, from] : senders) {
      std::sort(from.begin(), from.end());
      if (!std::is_sorted(from.begin(), from.end(),
                          [&](std::uint32_t a, std::uint32_t b) { return shift[a] < shift[b]; }))
        return false;
    }
    return true;
  }

  const MachineParams& params_;
  const Fabric& fabric_;
  const LoadedPrograms& programs_;
  AddressLaw law_;
  Foldable foldable_;
  std::uint32_t cores_;
  std::map<std::uint32_t, ProgramNames> names_;
  std::map<std::uint64_t, const std::vector<std::byte>*> control_;
  Components components_;
  std::vector<bool> one_class_;          // by component: on each of its links
  std::vector<FoldedComponent> folded_;  // by component
};

}  // namespace

Folding find_folding(const MachineParams& params, const Fabric& fabric, const LoadedPrograms& programs,
                     const std::vector<ControlValues>& control, AddressLaw law, Foldable foldable) {
  if (fabric.topology.chips() == 1) return unfolded(fabric.topology);
  if (std::string why = obstacle_to_folding(params, fabric); !why.empty())
    return unfolded(fabric.topology, std::move(why));
  return Search(params, fabric, programs, control, law, foldable).find();
}

}  // namespace tahoma::model
