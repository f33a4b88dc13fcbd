// SPDX-License-Identifier: Apache-2.0
// The policies of a controller for rows and requests, as parameters choose them.
#pragma once

#include <cstdint>

#include "model/base/param_choice.h"

namespace tahoma::model::dram {

// When the controller closes a row without requests.
enum class PagePolicy : std::uint8_t { kOpen, kClosed, kTimeout };
inline constexpr base::Named<PagePolicy> kPagePolicies[] = {
    {PagePolicy::kOpen, "open"}, {PagePolicy::kClosed, "closed"}, {PagePolicy::kTimeout, "timeout"}};

enum class Refresh : std::uint8_t { kNone, kAllBank, kPerBank };
inline constexpr base::Named<Refresh> kRefreshes[] = {
    {Refresh::kNone, "none"}, {Refresh::kAllBank, "all_bank"}, {Refresh::kPerBank, "per_bank"}};

enum class Scheduler : std::uint8_t { kFrFcfs, kFrFcfsRowHit };
inline constexpr base::Named<Scheduler> kSchedulers[] = {{Scheduler::kFrFcfs, "fr_fcfs"},
                                                         {Scheduler::kFrFcfsRowHit, "fr_fcfs_row_hit"}};

}  // namespace tahoma::model::dram
