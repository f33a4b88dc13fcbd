// SPDX-License-Identifier: Apache-2.0
// The SystemC kernel's clock in Tahoma's units. The SystemC resolution is one femtosecond, so
// conversions are exact.
#pragma once

#include <systemc>

#include "model/base/units.h"

namespace tahoma::sim {

inline sc_core::sc_time to_systemc(base::Duration d) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(d.fs));
}
inline base::Time from_systemc(const sc_core::sc_time& t) { return {static_cast<std::int64_t>(t.value())}; }
inline base::Time now() { return from_systemc(sc_core::sc_time_stamp()); }

// Notifies `event` at absolute time `when` (not in the past). An earlier notification of the same event wins.
inline void notify_at(sc_core::sc_event& event, base::Time when) { event.notify(to_systemc(when - now())); }

}  // namespace tahoma::sim
