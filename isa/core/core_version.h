// SPDX-License-Identifier: Apache-2.0
// The generations of the NeuronCore: v2 is the core of Trainium1 and Inferentia2, v3 that of Trainium2 and v4
// that of Trainium3. A later core executes what an earlier one does.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tahoma::isa {

enum class CoreVersion : std::uint8_t { kV2, kV3, kV4 };
inline constexpr std::array<std::string_view, 3> kCoreVersions{"v2", "v3", "v4"};

constexpr std::string_view name_of(CoreVersion version) {
  return kCoreVersions[static_cast<std::size_t>(version)];
}
// Returns a name such as "NeuronCore-v3".
inline std::string full_name_of(CoreVersion version) { return "NeuronCore-" + std::string(name_of(version)); }

}  // namespace tahoma::isa
