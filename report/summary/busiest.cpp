// SPDX-License-Identifier: Apache-2.0
#include "report/summary/busiest.h"

#include <fmt/format.h>

#include <algorithm>

namespace tahoma::runtime {

using base::EngineKind;

namespace {

double busy(const EngineSummary& engine) {
  return engine.percent[static_cast<std::size_t>(base::StallReason::kBusy)];
}

std::vector<Busiest> candidates(const Summary& s) {
  std::vector<Busiest> all;
  for (const EngineSummary& engine : s.engines) {
    if (engine.kind == EngineKind::kSync || engine.kind == EngineKind::kCollective) continue;
    const std::string name = base::name_of(engine.kind);
    all.push_back({name, busy(engine), fmt::format("the {} engines", name)});
  }
  all.push_back({"dma", s.dma.busy_percent, "the DMA engines"});
  all.push_back({"hbm", s.hbm.busiest_percent, fmt::format("HBM stack {}", s.hbm.busiest_stack)});
  if (!s.links.busiest.empty())
    all.push_back(
        {"link", s.links.busiest.front().busy_percent, fmt::format("link {}", s.links.busiest.front().name)});
  return all;
}

}  // namespace

Busiest find_busiest(const Summary& summary) {
  const std::vector<Busiest> all = candidates(summary);
  return *std::max_element(all.begin(), all.end(), [](const Busiest& a, const Busiest& b) {
    return a.share_percent < b.share_percent;
  });
}

}  // namespace tahoma::runtime
