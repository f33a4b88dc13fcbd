// SPDX-License-Identifier: Apache-2.0
// Numbers the regions of all programs of a run: equal names of different programs are one region. A program's
// own name is the region of what stands before its first mark.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "isa/core/program.h"
#include "runtime/run/region_names.h"

namespace tahoma::runtime {

class RegionNumbers {
 public:
  explicit RegionNumbers(std::uint64_t cores) : by_core_(cores, nullptr) {}

  // Sets the program of a core; must be called before the run.
  void program(std::uint32_t core, std::shared_ptr<const isa::Program> program);
  const isa::Program& program_of(std::uint32_t core) const { return *by_core_[core]->program; }
  const std::vector<std::string>& names() const { return names_; }  // by number

  struct Place {  // a range of a queue, and the number of its region
    RegionStretch stretch;
    std::uint32_t region = 0;
  };
  Place place(std::uint32_t core, std::uint8_t queue, std::uint32_t index) const;

 private:
  struct Labels {
    std::shared_ptr<const isa::Program> program;
    std::uint32_t whole = 0;             // before the first mark
    std::vector<std::uint32_t> regions;  // by the program's region number
  };
  std::uint32_t number_of(const std::string& name);

  std::vector<std::string> names_;
  std::map<std::string, std::uint32_t> numbers_;
  std::map<const isa::Program*, std::shared_ptr<Labels>> labels_;
  std::vector<const Labels*> by_core_;
};

// The latest place of each queue, because most records belong to the same range as the previous one.
class RegionCursor {
 public:
  RegionCursor(const RegionNumbers& numbers, std::uint64_t cores)
      : numbers_(numbers), places_(cores * isa::kQueueCount) {}

  const RegionNumbers::Place& at(std::uint32_t core, std::uint8_t queue, std::uint32_t index) {
    RegionNumbers::Place& place = places_[core * isa::kQueueCount + queue];
    if (!place.stretch.contains(index)) place = numbers_.place(core, queue, index);
    return place;
  }

 private:
  const RegionNumbers& numbers_;
  std::vector<RegionNumbers::Place> places_;
};

}  // namespace tahoma::runtime
