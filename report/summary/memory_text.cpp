// SPDX-License-Identifier: Apache-2.0
#include "report/summary/memory_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/text/saturation.h"
#include "report/text/text_layout.h"
#include "runtime/host/text/format.h"

namespace tahoma::runtime {

namespace {

constexpr std::size_t kMostNames = 2;  // of stacks with faults; summary.json has all

std::string latency_text(const std::string& kind, const LatencySummary& l) {
  const auto time = [](double ns) { return time_text({static_cast<std::int64_t>(ns * 1e6)}); };
  return fmt::format("{} p50 {}, p99 {}", kind, time(l.p50_ns), time(l.p99_ns));
}

// Describes the DRAM behind the bandwidth; empty for flat stacks.
std::string dram_rows(const HbmSummary& hbm) {
  std::string text;
  if (hbm.dram) {
    const RowShares& rows = hbm.dram->rows;
    const PinShares& pins = hbm.dram->pins;
    text +=
        row("  rows", fmt::format("hit {:.1f} %, miss {:.1f} %, conflict {:.1f} % of {} accesses",
                                  rows.hit_percent, rows.miss_percent, rows.conflict_percent, rows.accesses));
    text += row("  pins", fmt::format("data {:.1f} %; lost to refresh {:.1f} %, turnaround {:.1f} %, banks "
                                      "{:.1f} %; idle {:.1f} %",
                                      pins.data_percent, pins.refresh_percent, pins.turnaround_percent,
                                      pins.bank_percent, pins.idle_percent));
    text +=
        row("  queues", fmt::format("{:.1f} reads, {:.1f} writes in a channel on average; at most {} and {}",
                                    hbm.dram->reads.mean, hbm.dram->writes.mean, hbm.dram->reads.most,
                                    hbm.dram->writes.most));
  }
  if (hbm.reads.count + hbm.writes.count > 0)
    text += row("  latency", latency_text("reads", hbm.reads) + "; " + latency_text("writes", hbm.writes) +
                                 " (slowest stack)");
  return text;
}

std::string fault_text(const StackFault& fault) {
  const model::StackFaults& f = fault.faults;
  std::vector<std::string> parts;
  if (f.rate < 1) parts.push_back(fmt::format("{:.4g} of its rate", f.rate));
  if (!f.failed().empty())
    parts.push_back(
        fmt::format("channel{} {} failed", f.failed().size() > 1 ? "s" : "", fmt::join(f.failed(), ", ")));
  if (f.correctable_errors > 0)
    parts.push_back(fmt::format("correctable errors at {:.4g} an access", f.correctable_errors));
  return fmt::format("{}: {}", fault.stack,
                     parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, "; ")));
}

std::string fault_rows(const HbmSummary& hbm) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostNames, hbm.faults.size()); ++i)
    text += wrapped_row(i == 0 ? "  faults" : "", fault_text(hbm.faults[i]));
  if (hbm.faults.size() > kMostNames)
    text += row("", fmt::format("and those of {} other stacks", hbm.faults.size() - kMostNames));
  if (hbm.events > 0)
    text += wrapped_row(
        "  events",
        fmt::format("{}; first in {} at {}: {}", hbm.events, hbm.first_events.front().stack,
                    time_text(hbm.first_events.front().event.when), hbm.first_events.front().event.what));
  return text;
}

}  // namespace

std::string memory_text(const Summary& s) {
  const HbmSummary& hbm = s.hbm;
  std::string text = "\nmemory\n";
  text += row("  HBM", fmt::format("{} read, {} written over {} stacks",
                                   si_text(static_cast<double>(hbm.read_bytes), "B"),
                                   si_text(static_cast<double>(hbm.write_bytes), "B"), hbm.stacks_used));
  const std::optional<double> mbu = s.mbu_estimated_percent(s.elapsed);
  const std::string peak = hbm.peak_bandwidth ? si_text(*hbm.peak_bandwidth, "B/s") : "ideal";
  text += row("", fmt::format("{} of {} peak{}", si_text(hbm.achieved_bandwidth(s.elapsed), "B/s"), peak,
                              mbu ? fmt::format(", MBU {:.1f} %", *mbu) : ""));
  if (!hbm.busiest_stack.empty())
    text += row("", fmt::format("busiest {} {:.1f} %, {} saturated ({})", hbm.busiest_stack,
                                hbm.busiest_percent, hbm.saturated_stacks, saturation_text(s.elapsed)));
  text += dram_rows(hbm) + fault_rows(hbm);
  return text + row("  DMA",
                    fmt::format("{} moved in {} transfers; engines busy {:.1f} %, any of 16 active {:.1f} %",
                                si_text(static_cast<double>(s.dma.bytes), "B"), s.dma.transfers,
                                s.dma.busy_percent, s.dma.active_percent));
}

}  // namespace tahoma::runtime
