// SPDX-License-Identifier: Apache-2.0
#include "studies/model/token_ids.h"

#include <cstring>

namespace tahoma::runtime {

NpyArray token_ids_array(const std::vector<std::int64_t>& ids, std::uint64_t sequences) {
  NpyArray array{
      "<i4", {sequences, ids.size() / sequences}, std::vector<std::byte>(ids.size() * sizeof(std::int32_t))};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto id = static_cast<std::int32_t>(ids[i]);
    std::memcpy(array.bytes.data() + i * sizeof id, &id, sizeof id);
  }
  return array;
}

}  // namespace tahoma::runtime
