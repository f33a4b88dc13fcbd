// SPDX-License-Identifier: Apache-2.0
#include "model/system/machine/chip.h"

#include <fmt/format.h>

#include "model/sim/wake.h"

namespace tahoma::model {

namespace {

OnChipNetwork::Place place_of(std::uint32_t chip, const MachineParams& p) {
  OnChipNetwork::Place place;
  place.chip = chip;
  place.chips = static_cast<std::uint32_t>(p.chips());
  place.cores = static_cast<std::uint32_t>(p.chip.cores);
  place.stacks = static_cast<std::uint32_t>(p.chip.hbm.stacks);
  place.dies = static_cast<std::uint32_t>(p.chip.dies);
  place.request = p.chip.noc.request;
  place.response = p.chip.noc.response;
  place.cross_die = p.chip.noc.cross_die;
  place.router = p.link.router;
  place.cross_die_bandwidth = p.chip.noc.cross_die_bandwidth;
  return place;
}

std::unique_ptr<HbmStack> stack_of(std::uint32_t chip, std::uint32_t n, const Chip::Shared& s,
                                   sim::Meter& meter) {
  const ChipParams& p = s.params.chip;
  const std::string name = fmt::format("hbm{}", n);
  const StackFaults& faults = s.params.faults_of(chip, n);
  if (s.stacks) {
    if (auto made = s.stacks({name.c_str(), chip, n, p.hbm, faults, meter})) return made;
  }
  if (s.dram == nullptr) return std::make_unique<FlatStack>(name.c_str(), p.hbm, faults);
  if (p.hbm.model == HbmModel::kBanks)
    return std::make_unique<BankStack>(name.c_str(), p.hbm, s.dram, faults);
  const DramStack::Environment around{p.hbm, s.dram, p.noc.response, meter};
  return std::make_unique<DramStack>(name.c_str(), around, faults);
}

}  // namespace

Chip::Chip(sc_core::sc_module_name name, std::uint32_t chip, const Shared& s, sim::Meter& meter)
    : sc_module(name),
      core_params_(slowed(s.params.chip.core, s.params.slowdown_of(chip))),
      network_("network", place_of(chip, s.params), s.pool, meter),
      link_(s.fabric.make_node("link", chip, meter)) {
  const ChipParams& p = s.params.chip;
  if (s.functional) network_.values(s.memory);
  for (std::uint32_t n = 0; n < p.hbm.stacks; ++n) {
    stacks_.push_back(stack_of(chip, n, s, meter));
    network_.stack(n).bind(stacks_.back()->port);
  }
  for (std::uint32_t n = 0; p.lnc == 2 && n < p.cores / 2; ++n)
    rendezvous_.push_back(std::make_unique<Rendezvous>(fmt::format("rendezvous{}", n).c_str(), core_params_,
                                                       s.functional, s.checker));
  for (const auto& rendezvous : rendezvous_) rendezvous->dies(network_);
  for (std::uint32_t n = 0; n < p.cores; ++n) {
    const NeuronCore::Place place{static_cast<std::uint32_t>(chip * p.cores + n),
                                  chip,
                                  static_cast<std::uint32_t>(s.params.cores()),
                                  s.functional,
                                  s.run_ahead,
                                  s.checker,
                                  s.peers};
    cores_.push_back(
        std::make_unique<NeuronCore>(fmt::format("core{}", n).c_str(), place, core_params_, s.pool, meter));
    NeuronCore& core = *cores_.back();
    core.bind(s.memory, p.lnc == 2 ? rendezvous_[n / 2].get() : nullptr);
    if (p.lnc == 2) rendezvous_[n / 2]->doorbells[n % 2](core.dma());
    network_.semaphores(core.semaphores());
    core.dma().network.bind(network_.dma);
  }
}

void Chip::bind_link() { link_->bind_chip(network_.inject, network_.landed); }

Server::Server(sc_core::sc_module_name name, const std::vector<std::uint32_t>& order,
               const Chip::Shared& shared, const MeterOf& meter_of)
    : sc_module(name), chips_(order.size()) {
  for (const std::uint32_t chip : order) {
    sim::Meter* meter = meter_of(chip);
    if (meter == nullptr) continue;
    sim::Agenda::of_process().number_from_zero();  // in every chip alike, whatever chips are before it
    const std::size_t n = chip % order.size();
    chips_[n] = std::make_unique<Chip>(fmt::format("chip{:02}", n).c_str(), chip, shared, *meter);
  }
}

}  // namespace tahoma::model
