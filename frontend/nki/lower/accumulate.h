// SPDX-License-Identifier: Apache-2.0
// Whether a matmul overwrites PSUM or adds to it, where the kernel leaves that open. The rule (policy; AWS
// NKI says that the first write to a place overwrites and later ones add):
//   - it adds if matmuls have written the whole destination since the tensor was declared and since anything
//     else wrote there;
//   - it overwrites if none of the destination holds results of matmuls;
//   - a destination of which only a part holds results is refused (E-NKI-021).
// Where the kernel asks a matmul to add to zeros of a memset, it overwrites them: the sum is the same, and
// what Trainium2 would add there is undefined.
// If another tensor takes a part of a matmul's bytes, by hand-given addresses, none of that matmul's results
// count any more: the next matmul of the first tensor overwrites them. Reading a result does not end its
// accumulation.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/builder/scheduler.h"

namespace tahoma::runtime::nki {

class AccumulationGroups {
 public:
  struct Group {
    std::uint32_t storage = 0;
    Region region;
    std::uint32_t last = 0;  // operation of its last matmul
    bool read = false;       // something has read it since
    // Something else than a matmul has written it: a matmul overwrites, with a warning.
    bool filled = false;
    bool zeros = false;          // a memset of 0
    std::vector<Region> left{};  // rectangles: the bytes of the region that nothing has written since
    bool cut = false;            // these are not all
  };
  struct Decision {
    bool accumulate = false;
    bool over_fill = false;                // overwrites what another instruction has filled, or adds to it
    std::vector<std::uint32_t> continued;  // operations whose groups stay open
  };
  // Throws UserError E-NKI-021 if a part of the destination holds results.
  Decision choose_accumulation(std::uint32_t storage, const Region& dst, std::optional<bool> asked) const;

  void matmul(std::uint32_t storage, const Region& dst, bool accumulate, std::uint32_t operation);
  void write(std::uint32_t storage, const Region& region, bool zeros);  // by anything else
  void read(const Region& region);
  // Operations before this point cannot be changed any more: no group is continued across it.
  void boundary() {
    for (Group& group : groups_) group.read = true;
  }
  void forget() { groups_.clear(); }

 private:
  // The newest write of these bytes is that of `group`.
  void replace(Group group);

  std::vector<Group> groups_;  // no two of them have a byte left in common
};

}  // namespace tahoma::runtime::nki
