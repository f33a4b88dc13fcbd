// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma/transfer/disputed_values.h"

#include <cstring>

#include "model/engine/dma/transfer/transfer_values.h"

namespace tahoma::model {

void move_disputed_values(const TransferRequest& request, const CoreMemories& memories,
                          check::RaceChecker& checker) {
  if (request.check_number == 0) return move_values(request, memories);
  const std::vector<check::ByteRange> disputed = checker.disputed(request.check_number);
  const auto at = [&](const check::ByteRange& range) {
    return memories.hbm.at(range.begin, range.end - range.begin);
  };
  std::vector<std::vector<std::byte>> before;
  before.reserve(disputed.size());
  for (const check::ByteRange& range : disputed)
    before.emplace_back(at(range), at(range) + (range.end - range.begin));
  move_values(request, memories);
  std::vector<bool> changed;
  for (std::size_t n = 0; n < disputed.size(); ++n)
    changed.push_back(std::memcmp(at(disputed[n]), before[n].data(), before[n].size()) != 0);
  checker.moved(request.check_number, changed);
}

}  // namespace tahoma::model
