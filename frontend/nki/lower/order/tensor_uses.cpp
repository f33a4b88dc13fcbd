// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/order/tensor_uses.h"

#include <algorithm>

#include "frontend/nki/lower/memory/tensor_regions.h"

namespace tahoma::runtime::nki {

TensorUses::TensorUses(const Trace& trace) {
  for (const auto& storage : trace.storages) size_.push_back(units_of(*storage, trace.limits()));
  const auto counts = [&](std::uint32_t s) {
    const Storage& storage = *trace.storages[s];
    return storage.on_chip() && !(storage.implicit && storage.buffer == Buffer::kSbuf);
  };
  users_.first.assign(size_.size() + 1, 0);
  std::vector<std::uint32_t> used;
  for (const Recorded& entry : trace.entries) {
    used.clear();
    for_storages(entry, [&](std::uint32_t s) {
      if (counts(s)) used.push_back(s);
    });
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (const std::uint32_t s : used) ++users_.first[s + 1];
    tensors_.list.insert(tensors_.list.end(), used.begin(), used.end());
    tensors_.first.push_back(tensors_.list.size());
  }
  for (std::size_t s = 0; s < size_.size(); ++s) users_.first[s + 1] += users_.first[s];
  users_.list.resize(tensors_.list.size());
  std::vector<std::size_t> next(users_.first.begin(), users_.first.end() - 1);
  for (std::uint32_t e = 0; e < trace.entries.size(); ++e)
    for (const std::uint32_t s : of(e)) users_.list[next[s]++] = e;
}

}  // namespace tahoma::runtime::nki
