// SPDX-License-Identifier: Apache-2.0
#include "model/system/folding/unfolding.h"

#include <algorithm>

#include "model/base/error.h"
#include "model/system/machine/instance_params.h"

namespace tahoma::model {

namespace {

void rename_link(const Renaming& names, base::LinkMeasurement& m) {
  m.from_chip = names.chip(m.from_chip);
  m.to_chip = names.chip(m.to_chip);
  for (base::LinkFlow& flow : m.flows) {
    flow.from_chip = names.chip(flow.from_chip);
    flow.to_chip = names.chip(flow.to_chip);
  }
  std::sort(m.flows.begin(), m.flows.end(), [](const base::LinkFlow& a, const base::LinkFlow& b) {
    return std::pair(a.from_chip, a.to_chip) < std::pair(b.from_chip, b.to_chip);
  });
}

}  // namespace

Unfolding::Unfolding(const Folding& folding, const MachineParams& params, const base::Topology& topology)
    : representative_(folding.representative),
      members_(folding.representative.size()),
      folds_(folding.folds()) {
  const auto cores = static_cast<std::uint32_t>(params.chip.cores);
  for (std::uint32_t chip = 0; chip < representative_.size(); ++chip) {
    views_.push_back(std::make_unique<Renaming>(folding.view[chip], cores));
    names_.push_back(std::make_unique<Renaming>(base::inverse(folding.view[chip]), cores));
    members_[representative_[chip]].push_back(chip);
    chip_names_.push_back(chip_name(params, chip));
  }
  add_switch_links(folding, topology, cores);
}

void Unfolding::add_switch_links(const Folding& folding, const base::Topology& topology,
                                 std::uint32_t cores) {
  const auto path = [&](const base::LinkId& link) {
    return switch_link_name(topology.switch_name(link.first), topology.port(link.first, link.second).name);
  };
  for (const auto& [link, by] : folding.switch_links) {
    const SwitchLink of{by.link, path(link), Renaming(by.view, cores),
                        Renaming(base::inverse(by.view), cores)};
    members_of_[path(by.link)].push_back(&switch_links_.emplace(link, of).first->second);
  }
  for (const auto& [link, view] : folding.into_switches)
    into_switches_[link] = std::make_unique<Renaming>(view, cores);
}

FoldedLinks Unfolding::fabric_links() const {
  FoldedLinks all;
  if (!folds_) return all;
  for (std::uint32_t chip = 0; chip < views_.size(); ++chip)
    all.chips.push_back(representative_[chip] == chip ? nullptr : views_[chip].get());
  for (const auto& [link, of] : switch_links_)
    all.switch_links[link] = {of.simulated, of.simulated == link ? nullptr : &of.view};
  for (const auto& [link, names] : into_switches_) all.into_switches[link] = names.get();
  return all;
}

std::string Unfolding::path(std::uint32_t chip, const std::string& of_representative) const {
  const std::string& prefix = chip_names_[representative_[chip]];
  TAHOMA_INVARIANT(of_representative.starts_with(prefix), of_representative + ": not of " + prefix);
  return chip_names_[chip] + of_representative.substr(prefix.size());
}

void Unfolding::rename(std::uint32_t chip, base::EngineMeasurement& m) const {
  m.path = path(chip, m.path);
  m.core = names_[chip]->core(m.core);
}

void Unfolding::rename(std::uint32_t chip, base::DmaMeasurement& m) const {
  m.path = path(chip, m.path);
  m.core = names_[chip]->core(m.core);
}

void Unfolding::rename(std::uint32_t chip, base::HbmMeasurement& m) const {
  m.path = path(chip, m.path);
  for (base::ChannelMeasurement& channel : m.channels) channel.path = path(chip, channel.path);
  for (base::HbmUser& user : m.users) user.core = names_[chip]->core(user.core);
  std::sort(m.users.begin(), m.users.end(), [](const auto& a, const auto& b) { return a.core < b.core; });
}

void Unfolding::rename(std::uint32_t chip, base::CrossingMeasurement& m) const {
  m.path = path(chip, m.path);
}

void Unfolding::rename(std::uint32_t chip, base::LinkMeasurement& m) const {
  m.path = path(chip, m.path);
  rename_link(*names_[chip], m);
}

void Unfolding::rename(const SwitchLink& link, base::LinkMeasurement& m) {
  m.path = link.path;
  rename_link(link.names, m);
}

}  // namespace tahoma::model
