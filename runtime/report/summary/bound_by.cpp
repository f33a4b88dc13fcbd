// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/summary/bound_by.h"

#include <fmt/format.h>

#include <algorithm>

namespace tahoma::runtime {

using base::StallReason, base::EngineKind;

namespace {

constexpr std::size_t number_of(StallReason name) { return static_cast<std::size_t>(name); }

static_assert(number_of(StallReason::kBusy) == 0 && number_of(StallReason::kIdle) + 1 == base::kStallReasons);

double busy(const EngineSummary& engine) { return engine.percent[number_of(StallReason::kBusy)]; }

std::vector<Bound> candidates(const Summary& s) {
  std::vector<Bound> all;
  for (const EngineSummary& engine : s.engines) {
    if (engine.kind == EngineKind::kSync || engine.kind == EngineKind::kCollective) continue;
    const std::string name = base::name_of(engine.kind);
    all.push_back({name, busy(engine),
                   fmt::format("the {} engines are busy {:.1f} % of the time", name, busy(engine))});
  }
  all.push_back({"dma", s.dma.busy_percent,
                 fmt::format("the DMA engines move data {:.1f} % of the time", s.dma.busy_percent)});
  all.push_back(
      {"hbm", s.hbm.busiest_percent,
       fmt::format("HBM stack {} is busy {:.1f} % of the time", s.hbm.busiest_stack, s.hbm.busiest_percent)});
  if (!s.links.busiest.empty()) {
    const LinkLoad& link = s.links.busiest.front();
    all.push_back({"link", link.busy_percent,
                   fmt::format("link {} is busy {:.1f} % of the time", link.name, link.busy_percent)});
  }
  return all;
}

struct Stall {
  double percent = 0;
  const char* name = "";
};

Stall longest_stall(const EngineSummary& engine, bool count_idle) {
  const auto first = engine.percent.begin() + 1;  // behind busy
  const auto end = engine.percent.end() - (count_idle ? 0 : 1);
  const auto longest = std::max_element(first, end);
  return {*longest, base::name_of(static_cast<StallReason>(longest - engine.percent.begin()))};
}

// The engine that has work for most of the run: its waits are the waits of the run.
const EngineSummary* least_idle_engine(const Summary& s) {
  const EngineSummary* least = nullptr;
  for (const EngineSummary& engine : s.engines) {
    if (engine.instructions == 0) continue;
    const std::size_t idle = number_of(StallReason::kIdle);
    if (least == nullptr || engine.percent[idle] < least->percent[idle]) least = &engine;
  }
  return least;
}

Bound latency_bound(const Summary& s) {
  const EngineSummary* engine = least_idle_engine(s);
  if (engine == nullptr) return {"latency", 0, "no engine ran an instruction"};
  const auto tensor = std::find_if(s.engines.begin(), s.engines.end(),
                                   [](const EngineSummary& e) { return e.kind == EngineKind::kTensor; });
  std::string reason = fmt::format("no resource is busy {:.0f} % of the time", kBoundPercent);
  if (tensor != s.engines.end() && tensor->instructions > 0) {
    const Stall stall = longest_stall(*tensor, true);
    reason += fmt::format("; the tensor engine's longest stall is {} ({:.1f} %)", stall.name, stall.percent);
    if (tensor->percent[number_of(StallReason::kIdle)] < stall.percent || engine == &*tensor)
      return {"latency", stall.percent, reason};
  }
  const Stall stall = longest_stall(*engine, false);
  reason += fmt::format("; the {} engine is idle least and waits longest in {} ({:.1f} %)",
                        base::name_of(engine->kind), stall.name, stall.percent);
  return {"latency", stall.percent, reason};
}

}  // namespace

Bound find_bound(const Summary& summary) {
  const std::vector<Bound> all = candidates(summary);
  const auto largest = std::max_element(all.begin(), all.end(), [](const Bound& a, const Bound& b) {
    return a.share_percent < b.share_percent;
  });
  return largest->share_percent >= kBoundPercent ? *largest : latency_bound(summary);
}

}  // namespace tahoma::runtime
