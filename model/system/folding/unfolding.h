// SPDX-License-Identifier: Apache-2.0
// Reports for every chip of a folded machine what its representative did: measurements and events under the
// names of the chip. The result equals that of the whole machine, value by value.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/base/activity.h"
#include "model/base/measurements.h"
#include "model/link/renaming.h"
#include "model/system/folding/folding.h"

namespace tahoma::model {

class Unfolding {
 public:
  Unfolding(const Folding& folding, const MachineParams& params, const base::Topology& topology);

  FoldedLinks fabric_links() const;  // for Fabric::connect
  bool folds() const { return folds_; }
  std::uint32_t chips() const { return static_cast<std::uint32_t>(representative_.size()); }
  std::uint32_t representative(std::uint32_t chip) const { return representative_[chip]; }
  // Returns the chips of a representative's class, itself first.
  const std::vector<std::uint32_t>& members(std::uint32_t representative) const {
    return members_[representative];
  }
  // Returns the number by which the representative of `chip` calls another chip.
  std::uint32_t seen_from(std::uint32_t chip, std::uint32_t other) const { return views_[chip]->chip(other); }
  const Renaming& names(std::uint32_t chip) const {
    return *names_[chip];
  }  // from its representative's to its own
  // A link that leaves a switch and may carry packets, in a machine that folds.
  struct SwitchLink {
    base::LinkId simulated;  // for it, or itself
    std::string path;
    Renaming view;   // from its names to those at the simulated link
    Renaming names;  // the other way round
  };
  const std::map<base::LinkId, SwitchLink>& switch_links() const { return switch_links_; }
  // Returns the links for which the one at this path is simulated, itself included.
  const std::vector<const SwitchLink*>& members(const std::string& path) const {
    return members_of_.at(path);
  }
  // Returns the path of an instance of the chip, from that of its representative's.
  std::string path(std::uint32_t chip, const std::string& of_representative) const;

  // Give a measurement of the representative of `chip` the names of `chip`.
  void rename(std::uint32_t chip, base::EngineMeasurement& m) const;
  void rename(std::uint32_t chip, base::DmaMeasurement& m) const;
  void rename(std::uint32_t chip, base::HbmMeasurement& m) const;
  void rename(std::uint32_t chip, base::CrossingMeasurement& m) const;
  void rename(std::uint32_t chip, base::LinkMeasurement& m) const;
  static void rename(const SwitchLink& link, base::LinkMeasurement& m);

 private:
  void add_switch_links(const Folding& folding, const base::Topology& topology, std::uint32_t cores);
  std::vector<std::uint32_t> representative_;
  std::vector<std::unique_ptr<Renaming>> views_, names_;
  std::vector<std::vector<std::uint32_t>> members_;
  std::vector<std::string> chip_names_;
  bool folds_;
  std::map<base::LinkId, SwitchLink> switch_links_;
  std::map<std::string, std::vector<const SwitchLink*>> members_of_;  // by path of the simulated link
  std::map<base::LinkId, std::unique_ptr<Renaming>> into_switches_;
};

}  // namespace tahoma::model
