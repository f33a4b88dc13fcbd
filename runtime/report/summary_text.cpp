// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/summary_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/report/format.h"

namespace tahoma::runtime {

namespace {

constexpr int kLabel = 16;  // width of the first column of every block
constexpr int kCell = 11;
constexpr std::size_t kWidth = 100;
constexpr std::size_t kMostNames = 2;  // of saturated links, of stacks with faults; summary.json has all
constexpr std::size_t kMostLoads = 4;  // of the busiest links

std::string row(const std::string& label, const std::string& text) {
  return fmt::format("{:<{}}{}\n", label, kLabel, text);
}

// Breaks at blanks; further lines are indented to the second column.
std::string wrapped_row(const std::string& label, const std::string& text) {
  std::string out, line = fmt::format("{:<{}}", label, kLabel);
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, end - start);
    if (line.size() > kLabel && line.size() + 1 + word.size() > kWidth) {
      out += line + "\n";
      line = std::string(kLabel, ' ');
    }
    if (line.size() > kLabel) line += ' ';
    line += word;
    start = end + 1;
  }
  return out + line + "\n";
}

std::string verdict(const GoldenResult& golden) {
  if (!golden.checked) return "golden not checked";
  return golden.passed ? "golden passed" : "GOLDEN FAILED";
}

std::string bound_text(const Bound& bound) {
  return bound.resource == "latency"
             ? "latency-bound"
             : fmt::format("bound by {} ({:.1f} %)", bound.resource, bound.share_percent);
}

std::string checks_text(const model::check::Findings& findings) {
  const model::check::Options& checked = findings.checked;
  if (!checked.any()) return "none (--check races,uninitialised)";
  const std::string names = checked.races && checked.uninitialised ? "races and uninitialised memory"
                            : checked.races                        ? "races"
                                                                   : "uninitialised memory";
  const std::uint64_t found = findings.total();
  return fmt::format("{}: {}", names, found == 0 ? "none found" : fmt::format("{} FOUND", found));
}

std::string head(const Summary& s) {
  const std::string achieved = si_text(s.flops.achieved_tflops * 1e12, "FLOPS");
  const std::string peak = si_text(s.flops.peak_tflops * 1e12, "FLOPS");
  std::string text = fmt::format("{}, {}, MFU {:.1f} %, {}, {}\n\n", time_text(s.elapsed), achieved,
                                 s.mfu_percent, verdict(s.facts.golden), bound_text(s.bound));
  text += wrapped_row("workload", s.facts.workload);
  text += row("machine", fmt::format("{}: {} of {} cores used, {} active", s.facts.machine,
                                     s.facts.cores_used, s.machine_cores, s.active_cores));
  text +=
      row("mode", fmt::format("{}, seed {}, {} instructions", s.facts.mode, s.facts.seed, s.instructions));
  text += row("checks", checks_text(s.facts.checks));
  text +=
      row("arithmetic", fmt::format("{} useful, {} by the tensor engines", si_text(s.flops.useful, "FLOP"),
                                    si_text(static_cast<double>(s.flops.hardware), "FLOP")));
  text += row("rate", fmt::format("{} achieved of {} peak", achieved, peak));
  return text + wrapped_row("bound by", fmt::format("{}: {}", s.bound.resource, s.bound.reason));
}

std::string table_row(const std::string& label, const std::vector<std::string>& cells) {
  std::string line = fmt::format("  {:<{}}", label, kLabel);
  for (const std::string& cell : cells) line += fmt::format("{:>{}}", cell, kCell);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

// One column per kind of engine, one row per name that any of them spent time under.
std::string engine_table(const Summary& s) {
  std::string text =
      "\nengines: percent of the time, average over the active cores; each column adds up to 100\n";
  std::vector<std::string> cells;
  for (const EngineSummary& engine : s.engines) cells.emplace_back(base::name_of(engine.kind));
  text += table_row("", cells);
  for (std::size_t i = 0; i < base::kCycleNames; ++i) {
    if (std::all_of(s.engines.begin(), s.engines.end(), [i](const auto& e) { return e.percent[i] == 0; }))
      continue;
    cells.clear();
    for (const EngineSummary& engine : s.engines) cells.push_back(percent_cell(engine.percent[i], kCell));
    text += table_row(base::name_of(static_cast<base::Cycle>(i)), cells);
  }
  cells.clear();
  for (const EngineSummary& engine : s.engines) cells.push_back(fmt::format("{:.1f}", engine.active_percent));
  text += table_row("(active)", cells);
  cells.clear();
  for (const EngineSummary& engine : s.engines) cells.push_back(std::to_string(engine.instructions));
  return text + table_row("(instructions)", cells);
}

std::string latency_text(const std::string& kind, const LatencySummary& l) {
  const auto time = [](double ns) { return time_text({static_cast<std::int64_t>(ns * 1e6)}); };
  return fmt::format("{} p50 {}, p99 {}", kind, time(l.p50), time(l.p99));
}

// What stood behind the bandwidth; nothing of flat stacks.
std::string dram_rows(const HbmSummary& hbm) {
  std::string text;
  if (hbm.dram) {
    const RowShares& rows = hbm.dram->rows;
    const PinShares& pins = hbm.dram->pins;
    text += row("  rows", fmt::format("hit {:.1f} %, miss {:.1f} %, conflict {:.1f} % of {} accesses",
                                      rows.hit, rows.miss, rows.conflict, rows.accesses));
    text += row("  pins", fmt::format("data {:.1f} %; lost to refresh {:.1f} %, turnaround {:.1f} %, banks "
                                      "{:.1f} %; idle {:.1f} %",
                                      pins.data, pins.refresh, pins.turnaround, pins.bank, pins.idle));
    text +=
        row("  queues", fmt::format("{:.1f} reads, {:.1f} writes in a channel on average; at most {} and {}",
                                    hbm.dram->reads.mean, hbm.dram->writes.mean, hbm.dram->reads.most,
                                    hbm.dram->writes.most));
  }
  if (hbm.reads.count + hbm.writes.count > 0)
    text += row("  latency", latency_text("reads", hbm.reads) + "; " + latency_text("writes", hbm.writes) +
                                 "; of the slowest stack");
  return text;
}

std::string fault_rows(const HbmSummary& hbm) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostNames, hbm.faults.size()); ++i) {
    const model::StackFaults& f = hbm.faults[i].faults;
    text += wrapped_row(i == 0 ? "  faults" : "",
                        fmt::format("{} at {:.4g} of its rate, {} channels failed{}", hbm.faults[i].stack,
                                    f.rate, f.failed().size(),
                                    i + 1 == kMostNames && hbm.faults.size() > kMostNames
                                        ? fmt::format(", and {} more", hbm.faults.size() - kMostNames)
                                        : ""));
  }
  if (hbm.events > 0)
    text += wrapped_row(
        "  events",
        fmt::format("{}; first in {} at {}: {}", hbm.events, hbm.first_events.front().stack,
                    time_text(hbm.first_events.front().event.when), hbm.first_events.front().event.what));
  return text;
}

std::string memory_block(const Summary& s) {
  const HbmSummary& hbm = s.hbm;
  std::string text = "\nmemory\n";
  text += row("  HBM", fmt::format("{} read, {} written over {} stacks",
                                   si_text(static_cast<double>(hbm.read_bytes), "B"),
                                   si_text(static_cast<double>(hbm.write_bytes), "B"), hbm.stacks_used));
  const std::string peak = hbm.peak_bandwidth ? si_text(*hbm.peak_bandwidth, "B/s") : "ideal";
  text += row("", fmt::format("{} of {} peak{}", si_text(hbm.achieved_bandwidth, "B/s"), peak,
                              s.mbu_percent ? fmt::format(", MBU {:.1f} %", *s.mbu_percent) : ""));
  if (!hbm.busiest_stack.empty())
    text += row("", fmt::format("busiest stack {} {:.1f} %, {} saturated", hbm.busiest_stack,
                                hbm.busiest_percent, hbm.saturated_stacks));
  text += dram_rows(hbm) + fault_rows(hbm);
  return text + row("  DMA",
                    fmt::format("{} moved in {} transfers; engines busy {:.1f} %, any of 16 active {:.1f} %",
                                si_text(static_cast<double>(s.dma.bytes), "B"), s.dma.transfers,
                                s.dma.busy_percent, s.dma.active_percent));
}

std::string saturated_text(const LinkSummary& links) {
  if (links.saturated.empty()) return fmt::format("0 of {}", links.count);
  std::string text = fmt::format("{} of {}:", links.saturated.size(), links.count);
  for (std::size_t i = 0; i < std::min(kMostNames, links.saturated.size()); ++i)
    text += " " + links.saturated[i];
  return links.saturated.size() > kMostNames ? text + " ..." : text;
}

std::string link_block(const LinkSummary& links) {
  if (links.count == 0) return "";
  std::string text = "\nlinks: one direction each\n";
  for (const AxisSummary& axis : links.axes)
    text += row(fmt::format("  axis {}", axis.axis),
                fmt::format("{} links, {} carried, busy {:.1f} % on average", axis.links,
                            si_text(static_cast<double>(axis.payload_bytes), "B"), axis.mean_busy_percent));
  for (std::size_t i = 0; i < std::min(kMostLoads, links.busiest.size()); ++i) {
    const LinkLoad& link = links.busiest[i];
    text +=
        row(i == 0 ? "  busiest" : "", fmt::format("{:<28} {:5.1f} % {:>12}", link.name, link.busy_percent,
                                                   si_text(static_cast<double>(link.payload_bytes), "B")));
  }
  return text + wrapped_row("  saturated", saturated_text(links));
}

std::string golden_block(const GoldenResult& golden) {
  if (!golden.checked) return golden.rule.empty() ? "" : "\n" + wrapped_row("golden", golden.rule);
  std::string text = "\ngolden reference\n";
  text +=
      row("  verdict",
          golden.passed ? fmt::format("passed: {} elements within tolerance", golden.elements)
                        : fmt::format("FAILED: {} of {} elements wrong", golden.mismatches, golden.elements));
  text += row("  errors", fmt::format("largest absolute {:.4g}, largest relative {:.4g}, tolerance {:.4g}",
                                      golden.max_abs_error, golden.max_rel_error, golden.tolerance));
  text += wrapped_row("  rule", golden.rule);
  if (!golden.passed && !golden.first_mismatch.empty()) text += "\n" + golden.first_mismatch + "\n";
  return text;
}

}  // namespace

std::string summary_text(const Summary& s) {
  return head(s) + engine_table(s) + memory_block(s) + link_block(s.links) + golden_block(s.facts.golden);
}

}  // namespace tahoma::runtime
