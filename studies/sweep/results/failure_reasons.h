// SPDX-License-Identifier: Apache-2.0
// Why points failed or are refused, as lines of a text: reasons that differ only in their numbers are one
// line, with the first point and its own numbers. The most frequent comes first.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tahoma::runtime {

// `verb`: "failed" or "refused". Points by number, with their reasons.
std::string reasons_text(const std::string& verb,
                         const std::vector<std::pair<std::uint64_t, std::string>>& points);

}  // namespace tahoma::runtime
