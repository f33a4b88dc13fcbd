// SPDX-License-Identifier: Apache-2.0
// Tells about every chip of a folded machine what its representative did: measurements and events under the names of the chip.
// What results is that of the whole machine, value by value.
#pragma once

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
  Unfolding(const Folding& folding, const MachineParams& params);

  // By chip: from its names to those of its representative; null for a simulated chip. For Fabric::connect.
  std::vector<const Renaming*> views() const;
  std::uint32_t representative(std::uint32_t chip) const { return representative_[chip]; }
  // By representative: the chips of its class, itself first.
  const std::vector<std::uint32_t>& members(std::uint32_t representative) const {
    return members_[representative];
  }
  // How the representative of `chip` calls another chip.
  std::uint32_t seen_from(std::uint32_t chip, std::uint32_t other) const { return views_[chip]->chip(other); }
  const Renaming& names(std::uint32_t chip) const {
    return *names_[chip];
  }  // from its representative's to its own
  // The path of an instance of the chip, from that of its representative's.
  std::string path(std::uint32_t chip, const std::string& of_representative) const;

  // Give a measurement of the representative of `chip` the names of `chip`.
  void rename(std::uint32_t chip, base::EngineMeasurement& m) const;
  void rename(std::uint32_t chip, base::DmaMeasurement& m) const;
  void rename(std::uint32_t chip, base::HbmMeasurement& m) const;
  void rename(std::uint32_t chip, base::CrossingMeasurement& m) const;
  void rename(std::uint32_t chip, base::LinkMeasurement& m) const;

 private:
  std::vector<std::uint32_t> representative_;
  std::vector<std::unique_ptr<Renaming>> views_, names_;
  std::vector<std::vector<std::uint32_t>> members_;
  std::vector<std::string> chip_names_;
};

}  // namespace tahoma::model
