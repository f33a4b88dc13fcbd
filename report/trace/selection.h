// SPDX-License-Identifier: Apache-2.0
// The part of a run that a timeline shows. Omitted events are counted and reported. A slice is shown
// completely if any part of it is in the window.
//
// UserError, place = the option: E-TRC-001 option without --trace, E-TRC-002 an invalid time, E-TRC-003 an
// unknown core, E-TRC-004 an unknown kind, E-TRC-005 an invalid limit.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/base/units.h"
#include "model/system/machine/machine_params.h"
#include "report/trace/kind.h"

namespace tahoma::runtime {

// The options of the command line; "" and empty lists select everything.
struct TraceRequest {
  bool wanted = false;
  std::string from, until;         // "10 us"
  std::vector<std::string> cores;  // "3", "8-15", "server0.chip03", "server0.chip03.core5"
  std::vector<std::string> kinds;
  std::string limit;  // maximum number of events
  bool flows = false;
};

struct TraceSelection {
  base::Time from{0}, until = base::kNever;
  std::vector<bool> cores;  // by global number
  std::array<bool, kTraceKinds> kinds{};
  std::uint64_t limit = UINT64_MAX;
  bool flows = false;

  bool has(TraceKind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
  bool every_core() const;
};

// Also refuses the options without --trace.
TraceSelection trace_selection(const TraceRequest& request, const model::MachineParams& machine);

enum class TraceFate : std::uint8_t { kWritten, kOtherKinds, kOtherCores, kOutsideWindow, kBeyondLimit };
inline constexpr std::size_t kTraceFates = 5;

// Counts slices and values, written and omitted.
class TraceTally {
 public:
  explicit TraceTally(const TraceSelection& selection) : selection_(selection) {}

  // Returns whether an event is written, and counts it in either case.
  bool admits(TraceKind kind, bool of_selected_core, base::Time start, base::Time end) {
    const TraceFate fate = fate_of(kind, of_selected_core, start, end);
    ++counts_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(fate)];
    if (fate != TraceFate::kWritten) return false;
    ++written_;
    return true;
  }
  std::uint64_t count(TraceKind kind, TraceFate fate) const {
    return counts_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(fate)];
  }
  std::uint64_t total(TraceFate fate) const;

 private:
  TraceFate fate_of(TraceKind kind, bool of_selected_core, base::Time start, base::Time end) const {
    if (!selection_.has(kind)) return TraceFate::kOtherKinds;
    if (!of_selected_core) return TraceFate::kOtherCores;
    if (end < selection_.from || start >= selection_.until) return TraceFate::kOutsideWindow;
    return written_ < selection_.limit ? TraceFate::kWritten : TraceFate::kBeyondLimit;
  }
  const TraceSelection& selection_;
  std::array<std::array<std::uint64_t, kTraceFates>, kTraceKinds> counts_{};
  std::uint64_t written_ = 0;
};

// "1,234 events, omitted: 5 of other cores, 3 outside the window"
std::string tally_text(const TraceTally& tally);

}  // namespace tahoma::runtime
