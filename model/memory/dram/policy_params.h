// SPDX-License-Identifier: Apache-2.0
// The policies of a controller for rows and requests, as parameters choose them.
#pragma once

#include <cstdint>

#include "model/base/param_choice.h"

namespace tahoma::model::dram {

// Selects when the controller closes a row without requests.
enum class PagePolicy : std::uint8_t { kOpen, kClosed, kTimeout };
inline constexpr base::Named<PagePolicy> kPagePolicies[] = {
    {PagePolicy::kOpen, "open"}, {PagePolicy::kClosed, "closed"}, {PagePolicy::kTimeout, "timeout"}};

enum class Refresh : std::uint8_t { kNone, kAllBank, kPerBank };
inline constexpr base::Named<Refresh> kRefreshes[] = {
    {Refresh::kNone, "none"}, {Refresh::kAllBank, "all_bank"}, {Refresh::kPerBank, "per_bank"}};

enum class Scheduler : std::uint8_t { kFrFcfs, kFrFcfsRowHit };
inline constexpr base::Named<Scheduler> kSchedulers[] = {{Scheduler::kFrFcfs, "fr_fcfs"},
                                                         {Scheduler::kFrFcfsRowHit, "fr_fcfs_row_hit"}};

// Selects which pseudo-channel uses the column bus in a cycle.
enum class ColumnBus : std::uint8_t { kSlots, kArbitrated };
inline constexpr base::Named<ColumnBus> kColumnBuses[] = {{ColumnBus::kSlots, "slots"},
                                                          {ColumnBus::kArbitrated, "arbitrated"}};

// Selects when a request leaves its queue and releases its space.
enum class QueueExit : std::uint8_t { kLastCommand, kActivate };
inline constexpr base::Named<QueueExit> kQueueExits[] = {{QueueExit::kLastCommand, "last_command"},
                                                         {QueueExit::kActivate, "activate"}};

}  // namespace tahoma::model::dram
