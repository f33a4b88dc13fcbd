// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/partition/rank_placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "model/base/error.h"
#include "model/base/quantity.h"

namespace tahoma::workloads {

namespace {

constexpr std::array<std::string_view, 4> kAxes{"core", "x", "y", "z"};

}  // namespace

void Seating::check_order(const std::string& order) {
  std::vector<std::string_view> names = base::split(order, ",");
  std::sort(names.begin(), names.end());
  if (!std::equal(names.begin(), names.end(), kAxes.begin(), kAxes.end()))
    throw base::UserError(
        "E-MDL-003", "workload.placement",
        fmt::format("'{}' is not an order of the axes; expected core, x, y and z once each, as in core,x,y,z",
                    order));
}

Seating::Seating(const model::MachineParams& machine, const std::string& order, std::uint64_t tensor)
    : tensor_(tensor), lnc_(machine.chip.lnc) {
  const std::uint64_t per_chip = machine.chip.cores / lnc_;
  const auto& torus = machine.torus;
  const std::array<Axis, 4> all{{{per_chip, 1},
                                 {torus.x, per_chip},
                                 {torus.y, per_chip * torus.x},
                                 {torus.z, per_chip * torus.x * torus.y}}};
  for (const std::string_view name : base::split(order, ","))
    axes_.push_back(
        all.at(static_cast<std::size_t>(std::find(kAxes.begin(), kAxes.end(), name) - kAxes.begin())));
}

std::vector<std::uint32_t> Seating::cores(std::uint64_t replica, std::uint64_t rank) const {
  std::uint64_t number = replica * tensor_ + rank, logical = 0;
  for (const Axis& axis : axes_) {
    logical += number % axis.size * axis.stride;
    number /= axis.size;
  }
  std::vector<std::uint32_t> cores;
  for (std::uint64_t c = 0; c < lnc_; ++c) cores.push_back(static_cast<std::uint32_t>(logical * lnc_ + c));
  return cores;
}

}  // namespace tahoma::workloads
