// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/waves.h"

#include <fmt/format.h>

#include <filesystem>

#include "model/base/error.h"

namespace tahoma::rtl {

void open_waves(Waves& block, const std::string& folder, const std::string& place) {
  const std::string file = fmt::format("{}/{}.fst", folder, place);
  if (!std::filesystem::is_directory(folder) || !block.open_waves(file))
    throw base::UserError("E-RTL-004", place,
                          fmt::format("cannot write '{}'; --waves names an existing folder", file));
}

}  // namespace tahoma::rtl
