// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/cost/loads.h"

#include <algorithm>

#include "isa/core/instruction.h"

namespace tahoma::runtime::collective {

namespace {

double most_of(const std::vector<double>& bytes) {
  return bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
}

void sum(std::vector<double>& to, const std::vector<double>& from) {
  std::transform(to.begin(), to.end(), from.begin(), to.begin(), std::plus<>());
}

}  // namespace

RankRates rates_of(const model::MachineParams& machine, std::size_t cores, std::size_t channels) {
  constexpr double kIdeal = 1e18;
  const model::DmaParams& dma = machine.chip.core.dma;
  const model::HbmParams& hbm = machine.chip.hbm;
  const std::size_t queues = std::min(channels, 2 * cores);
  const std::uint64_t engines =
      std::min<std::uint64_t>(isa::kDmaEngines * cores, queues * dma.collective_engines);
  const double share = static_cast<double>(cores) / static_cast<double>(machine.chip.cores);
  const double stack = hbm.bandwidth.ideal ? kIdeal : static_cast<double>(hbm.bandwidth.bytes_per_second);
  return {static_cast<double>(engines * dma.bytes_per_cycle.count * dma.clock.hz),
          stack * static_cast<double>(hbm.stacks) * share};
}

Loads::Loads(const model::FabricWays& ways, const std::vector<std::uint32_t>& chips, const RankRates& rates)
    : ways_(&ways),
      chips_(&chips),
      rates_(rates),
      links_(ways.links().size()),
      moved_(chips.size()),
      stacks_(chips.size()),
      more_(chips.size()) {}

void Loads::add(const Transfer& t, const Hop& hop, double bytes) {
  if (t.kind == TransferKind::kLend) return;  // a token
  const double sources = static_cast<double>(hop.staged.size()) + (hop.from_input || hop.from_output ? 1 : 0);
  moved_[t.from] += bytes * sources;
  more_[t.from] += bytes * (sources - 1);
  stacks_[t.from] += bytes * sources;
  stacks_[t.to] += bytes;
  ways_->along((*chips_)[t.from], (*chips_)[t.to], [&](std::uint32_t link) { links_[link] += bytes; });
}

void Loads::add(const Loads& other) {
  sum(links_, other.links_);
  sum(moved_, other.moved_);
  sum(stacks_, other.stacks_);
  sum(more_, other.more_);
}

double Loads::link_seconds() const {
  double most = 0;
  for (std::size_t l = 0; l < links_.size(); ++l) most = std::max(most, links_[l] / ways_->links()[l].rate);
  return most;
}

double Loads::engine_seconds() const { return most_of(moved_) / rates_.engines; }

double Loads::more_source_seconds() const { return most_of(more_) / rates_.engines; }

std::pair<double, std::string> Loads::busiest() const {
  std::pair<double, std::string> most{0, "nothing to move"};
  const auto consider = [&](double seconds, const std::string& name) {
    if (seconds > most.first) most = {seconds, name};
  };
  for (std::size_t l = 0; l < links_.size(); ++l)
    consider(links_[l] / ways_->links()[l].rate, "link " + ways_->links()[l].name);
  consider(engine_seconds(), "DMA engines");
  consider(most_of(stacks_) / rates_.hbm, "HBM");
  return most;
}

}  // namespace tahoma::runtime::collective
