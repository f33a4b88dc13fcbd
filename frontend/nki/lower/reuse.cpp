// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/reuse.h"

#include <algorithm>

namespace tahoma::runtime::nki {

std::optional<ReuseLog::Overwritten> ReuseLog::read(std::uint32_t storage, const Region& region) const {
  for (std::uint64_t block = region.byte / kBlock; block <= (region.byte + region.bytes - 1) / kBlock;
       ++block) {
    const auto at = writes_.find(key(region, block));
    if (at == writes_.end()) continue;
    std::optional<std::uint32_t> own;
    for (const Record& r : at->second)
      if (r.storage == storage && r.region.overlaps(region)) own = std::max(own.value_or(0), r.entry);
    if (!own) continue;
    for (const Record& r : at->second)
      if (r.storage != storage && r.entry > *own && r.region.overlaps(region))
        return Overwritten{r.storage, r.entry};
  }
  return std::nullopt;
}

void ReuseLog::write(std::uint32_t storage, const Region& region, std::uint32_t entry) {
  for (std::uint64_t block = region.byte / kBlock; block <= (region.byte + region.bytes - 1) / kBlock;
       ++block) {
    std::vector<Record>& records = writes_[key(region, block)];
    // Among the writes that this one covers, only those by tensors that are read again matter.
    std::erase_if(records, [&](const Record& r) {
      return (r.storage == storage || last_use_[r.storage] < entry) && region.contains(r.region);
    });
    records.push_back({storage, entry, region});
  }
}

}  // namespace tahoma::runtime::nki
