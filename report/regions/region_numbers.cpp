// SPDX-License-Identifier: Apache-2.0
#include "report/regions/region_numbers.h"

#include <utility>

namespace tahoma::runtime {

std::uint32_t RegionNumbers::number_of(const std::string& name) {
  const auto [known, added] = numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (added) names_.push_back(name);
  return known->second;
}

void RegionNumbers::program(std::uint32_t core, std::shared_ptr<const isa::Program> program) {
  std::shared_ptr<Labels>& labels = labels_[program.get()];
  if (!labels) {
    const std::uint32_t whole = number_of(program->name);
    labels = std::make_shared<Labels>(Labels{std::move(program), whole, {}});
    for (const std::string& name : labels->program->regions) labels->regions.push_back(number_of(name));
  }
  by_core_.at(core) = labels.get();
}

RegionNumbers::Place RegionNumbers::place(std::uint32_t core, std::uint8_t queue, std::uint32_t index) const {
  const Labels& labels = *by_core_[core];
  Place place;
  place.stretch = stretch_at(*labels.program, queue, index);
  place.region = place.stretch.region ? labels.regions[*place.stretch.region] : labels.whole;
  return place;
}

}  // namespace tahoma::runtime
