// SPDX-License-Identifier: Apache-2.0
// Finds where in their stacks the transfers of equal chips begin if the places differ. Only the beginnings
// differ: registers add the same.
#pragma once

#include <cstdint>
#include <vector>

#include "model/system/folding/folding.h"

namespace tahoma::model {

class MemberPlaces {
 public:
  // The programs must outlive this object.
  MemberPlaces(const LoadedPrograms& programs, std::uint32_t cores_per_chip);

  // A transfer of `core`, and the same one of the same core of the chip `member`.
  struct Pair {
    std::uint32_t core = 0, member = 0;
    std::uint8_t queue = 0;
    std::uint32_t index = 0;
  };
  // Returns the bytes from a side of the first to that of the second. Operands are numbered: the sources,
  // then the destination.
  std::int64_t between(const Pair& pair, std::uint32_t operand) const;
  std::int64_t between_destinations(const Pair& pair) const;
  std::int64_t between_first_reads(const Pair& pair) const;  // the first sides in HBM

 private:
  std::vector<const LoadedProgram*> programs_;  // by core; null: none
  std::uint32_t cores_;
};

}  // namespace tahoma::model
