// SPDX-License-Identifier: Apache-2.0
// The files of assets/ and the charting library, embedded by the build (embed.cmake).
#pragma once

#include <string_view>

namespace tahoma::runtime::assets {

extern const std::string_view kTemplate;  // report.html, with {{title}}, {{style}}, {{library}}, ...
extern const std::string_view kStyle, kScript;
extern const std::string_view kLibrary;  // Chart.js, MIT licence

}  // namespace tahoma::runtime::assets
