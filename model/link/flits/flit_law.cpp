// SPDX-License-Identifier: Apache-2.0
#include "model/link/flits/flit_law.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "model/base/error.h"

namespace tahoma::model {

using base::Duration, base::Time;

namespace {

constexpr Time kStart{0};

std::int64_t cycles_of(const WordClock& clock, Duration d) { return clock.at_or_after(kStart + d).count; }

void refuse_flits(const std::string& path, const std::string& text) {
  throw base::UserError("E-CFG-020", path, text + " (machine.link.port.model: flits)");
}

void check_whole_cycles(const WordClock& clock, const char* path, Duration d) {
  if (clock.edge({cycles_of(clock, d)}) != kStart + d)
    refuse_flits(path,
                 fmt::format("expected whole cycles of {} ns, got {} ns", clock.edge({1}).ns(), d.ns()));
}

void check_equal_rates(const LinkParams& params, const base::Topology& topology) {
  if (params.local.ideal)
    refuse_flits("machine.link.local", "expected a rate, at which a chip and its router exchange flits");
  for (base::PortIndex p = 0; p < topology.ports(0); ++p) {
    const base::PortKind port = topology.port(0, p);
    if (topology.neighbour(0, p) && params.rate_of(port.rate) != params.local)
      refuse_flits(fmt::format("machine.link.{}", port.axis),
                   "expected the rate of machine.link.local: every link carries one flit per cycle");
  }
}

}  // namespace

FlitLaw::FlitLaw(const LinkParams& params)
    : clock(params.local, params.word()),
      flit(params.word()),
      router(params.router),
      wire(cycles_of(clock, params.wire)),
      local_wire(cycles_of(clock, params.port.local_wire)),
      vcs(static_cast<std::uint32_t>(params.vcs)),
      room(static_cast<std::uint32_t>(params.buffer.count / params.word().count)) {}

std::int64_t FlitLaw::cycle_at(Time t) const {
  const std::int64_t next = clock.at_or_after(t).count;
  return start_of(next) == t ? next : next - 1;
}

void check_flits(const LinkParams& params, const base::Topology& topology) {
  if (topology.switches() > 0)
    refuse_flits("machine.link.topology",
                 fmt::format("{} has switches; expected links between chips", name_of(params.topology)));
  if (params.adaptive()) refuse_flits("machine.link.routing", "expected dimension_order");
  check_equal_rates(params, topology);
  const WordClock clock(params.local, params.word());
  check_whole_cycles(clock, "machine.link.wire", params.wire);
  check_whole_cycles(clock, "machine.link.port.local_wire", params.port.local_wire);
  if (kStart + params.router != clock.edge({FlitLaw::kStages}))
    refuse_flits(
        "machine.link.router",
        fmt::format("expected {} ns: {} stages of a cycle each, route, virtual channel, switch, traversal",
                    clock.edge({FlitLaw::kStages}).ns(), FlitLaw::kStages));
}

}  // namespace tahoma::model
