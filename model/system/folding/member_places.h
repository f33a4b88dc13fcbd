// SPDX-License-Identifier: Apache-2.0
// Where in their stacks equal chips' transfers begin, if that is not the same place. Only the beginnings differ: what registers
// add is equal.
#pragma once

#include <cstdint>
#include <vector>

#include "model/system/folding/folding.h"

namespace tahoma::model {

class MemberPlaces {
 public:
  // The programs outlive this object.
  MemberPlaces(const LoadedPrograms& programs, std::uint32_t cores_per_chip);

  struct Distance {  // bytes
    std::int64_t read = 0, write = 0;
  };
  // From the sides of a transfer of `core` to those of the same transfer of the same core of the chip `member`; with several
  // sources, to the first one.
  Distance between(std::uint32_t core, std::uint32_t member, std::uint8_t queue, std::uint32_t index) const;

 private:
  std::vector<const LoadedProgram*> programs_;  // by core; null: none
  std::uint32_t cores_;
};

}  // namespace tahoma::model
