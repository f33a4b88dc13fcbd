// SPDX-License-Identifier: Apache-2.0
#include "model/system/netlist/netlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "model/base/error.h"

namespace tahoma::model {

namespace {

std::vector<std::uint32_t> by_number(std::size_t chips) {
  std::vector<std::uint32_t> order(chips);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

Netlist::Netlist(const Chip::Shared& shared, Fabric& fabric, sim::Meter& meter, Folding folding, Cut* cut,
                 std::vector<std::uint32_t> order)
    : folding_(std::move(folding)),
      unfolding_(folding_, shared.params, fabric.topology),
      fabric_(fabric),
      cores_(static_cast<std::uint32_t>(shared.params.chip.cores)),
      chips_(shared.params.chips()),
      meters_(shared.params.chips()) {
  if (order.empty()) order = by_number(chips_.size());
  build_servers(shared, meter, cut, order);
  for (std::uint32_t chip = 0; chip < chips_.size(); ++chip) {
    chips_[chip] = chips_[folding_.representative[chip]];
    meters_[chip] = meters_[folding_.representative[chip]];
  }
  std::vector<const FabricNode*> nodes;
  for (const Chip* chip : chips_) nodes.push_back(chip == nullptr ? nullptr : &chip->link());
  fabric.connect(nodes, meter, unfolding_.fabric_links(), cut);
  for_each_simulated([](Chip& chip) { chip.bind_link(); });
  if (shared.functional) stand_for_members(shared.params.chip.core);
}

void Netlist::build_servers(const Chip::Shared& shared, const sim::Meter& meter, const Cut* cut,
                            const std::vector<std::uint32_t>& order) {
  TAHOMA_INVARIANT(std::is_permutation(order.begin(), order.end(), by_number(chips_.size()).begin()),
                   "the order of construction is not that of all chips");
  const auto meter_of = [&](std::uint32_t chip) {
    if (folding_.is_simulated(chip) && (cut == nullptr || cut->is_here(chip)))
      meters_[chip] = &parts_.emplace_back(meter.part());
    return meters_[chip];
  };
  servers_.resize(shared.params.torus.z);
  const auto per_server = static_cast<std::uint32_t>(chips_.size() / servers_.size());
  for (const std::uint32_t first : order) {
    const std::uint32_t s = first / per_server;
    if (servers_[s] != nullptr) continue;
    std::vector<std::uint32_t> own;
    std::copy_if(order.begin(), order.end(), std::back_inserter(own),
                 [&](std::uint32_t chip) { return chip / per_server == s; });
    servers_[s] = std::make_unique<Server>(fmt::format("server{}", s).c_str(), own, shared, meter_of);
    for (std::size_t n = 0; n < per_server; ++n)
      chips_[std::size_t{s} * per_server + n] = servers_[s]->chips()[n].get();
  }
}

// Cores have values of their own, whichever core is simulated for them.
void Netlist::stand_for_members(const CoreParams& params) {
  for (std::uint32_t chip = 0; chip < chips_.size(); ++chip) {
    if (!folding_.is_simulated(chip) || chips_[chip] == nullptr) continue;
    for (std::uint32_t n = 0; n < cores_; ++n) {
      NeuronCore& core = chips_[chip]->core(n);
      std::vector<NeuronCore::Equal> equals;
      for (const std::uint32_t member : unfolding_.members(chip))
        if (member != chip)
          equals.push_back(
              {member * cores_ + n, unfolding_.path(member, core.name()), unfolding_.names(member).chips()});
      core.stand_for(equals, params, threads_);
    }
  }
}

void Netlist::unfold_events(sim::Meter& meter, const LoadedPrograms& programs) {
  if (!folding_.folds()) return;
  events_ = std::make_unique<UnfoldedEvents>(unfolding_, programs, cores_, meter.observer, meter.probes,
                                             meter.timeline);
  meter.redirect(*events_);
}

void Netlist::observe(const sim::Meter& meter) {
  fabric_.observe(meter);
  for (sim::Meter& part : parts_) {
    part.observe_as(meter);
    part.hook = meter.hook;
  }
}

void Netlist::check_stacks(const MachineParams& params) const {
  for_each_simulated([&params](Chip& chip) {
    for (std::uint32_t n = 0; n < params.chip.hbm.stacks; ++n) chip.stack(n).check_ended();
  });
}

std::uint64_t Netlist::instructions_done() const {
  std::uint64_t done = 0;
  for (const sim::Meter* meter : meters_)
    if (meter != nullptr) done += meter->instructions;
  return done;
}

std::uint64_t Netlist::activations() const {
  std::uint64_t all = 0;
  for (const sim::Meter* meter : meters_)
    if (meter != nullptr)
      all += meter->engine_activations + meter->dma_activations + meter->link_activations +
             meter->memory_activations;
  return all;
}

}  // namespace tahoma::model
