// SPDX-License-Identifier: Apache-2.0
// Times of arrival as text: seconds as a decimal number, or the timestamps of Azure's public LLM inference
// traces (github.com/Azure/AzurePublicDataset), '2023-11-16 18:15:46.6805900' in 2023 and '2024-05-10
// 00:00:00.009930+00:00' in 2024. Both are exact to the nanosecond.
//
// UserError E-SRV-003 without a place: not such a text, negative, or no such day or hour.
#pragma once

#include <string_view>

#include "studies/serving/input/nanoseconds.h"

namespace tahoma::runtime::serving {

// Refuses more than kMostSeconds, to detect times in milliseconds or nanoseconds.
inline constexpr std::int64_t kMostSeconds = 1'000'000'000;
Nanoseconds parse_seconds(std::string_view text);

// Times are since 1970, UTC. `T` may stand for the blank; a zone other than `Z` and `+00:00` is refused.
// Without a zone the times are taken as they are: only differences matter.
Nanoseconds parse_timestamp(std::string_view text);

}  // namespace tahoma::runtime::serving
