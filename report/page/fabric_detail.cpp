// SPDX-License-Identifier: Apache-2.0
// Memory stacks, links and traffic for the page.
#include <algorithm>
#include <map>
#include <numeric>

#include "model/base/shares.h"
#include "model/base/statistics_walk.h"
#include "report/links/link_summary.h"
#include "report/page/detail.h"
#include "report/text/saturation.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;
using base::HbmMeasurement, base::LinkMeasurement, base::RunMeasurement;

namespace {

constexpr std::size_t kMostFlows = 12;  // of a link; the rest is counted

Json peak_json(const base::Bandwidth& peak) {
  return peak.ideal ? Json(nullptr) : Json(peak.bytes_per_second);
}

Json stack_json(const HbmMeasurement& stack, std::uint64_t chip, base::Duration elapsed) {
  return {{"name", stack.path},
          {"chip", chip},
          {"read_bytes", stack.read_bytes},
          {"write_bytes", stack.write_bytes},
          {"peak", peak_json(stack.peak)},
          {"busy", windows_json(stack.series, elapsed)}};
}

// Merges the stacks of a chip: bytes and peaks add up, windows are means.
HbmMeasurement chip_of(const RunMeasurement& run, std::uint64_t chip, std::uint64_t stacks) {
  HbmMeasurement whole;
  const std::size_t first = chip * stacks;
  whole.path = run.hbm[first].path.substr(0, run.hbm[first].path.rfind('.'));
  for (std::size_t n = first; n < first + stacks; ++n) {
    const HbmMeasurement& stack = run.hbm[n];
    base::add_counters(whole, stack);
    whole.peak.bytes_per_second += stack.peak.bytes_per_second;
    whole.peak.ideal = whole.peak.ideal || stack.peak.ideal;
    whole.series.window = std::max(whole.series.window, stack.series.window);
  }
  for (std::size_t n = first; n < first + stacks; ++n) {
    const auto windows = windows_of(run.hbm[n].series, run.elapsed, whole.series.window);
    whole.series.busy.resize(std::max(whole.series.busy.size(), windows.size()));
    for (std::size_t w = 0; w < windows.size(); ++w)
      whole.series.busy[w].fs +=
          static_cast<std::int64_t>(static_cast<double>(windows[w].length.fs) * windows[w].busy_percent /
                                    100 / static_cast<double>(stacks));
  }
  return whole;
}

Json numbered_flows_json(const LinkMeasurement& link) {
  Json json = Json::array();
  for (const FlowShare& f : flows_of(link)) {
    if (json.size() == kMostFlows) break;
    json.push_back({f.from_chip, f.to_chip, f.payload_bytes});
  }
  return json;
}

Json link_json(const LinkMeasurement& link, base::Duration elapsed) {
  Json json{{"name", link.path},
            {"from", link.from_chip},
            {"to", link.to_chip},
            {"axis", std::string(1, link.axis)},
            {"bytes", link.payload_bytes},
            {"busy_percent", percent_of(link.busy, elapsed)},
            {"blocked_percent", percent_of(link.blocked, elapsed)},
            {"queue", link.queue_high_water},
            {"peak", peak_json(link.peak)},
            {"saturated", saturated_windows(link.series, elapsed)}};
  json["windows"] = link.packets == 0 ? Json::array() : windows_json(link.series, elapsed);
  json["flows"] = numbered_flows_json(link);
  json["more_flows"] = link.flows.size() - json["flows"].size();
  return json;
}

// The numbers of the links on the page, in the order of the measurement: all, or the busiest.
std::vector<std::size_t> shown_links(const RunMeasurement& run) {
  std::vector<std::size_t> numbers(run.links.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  if (numbers.size() <= kMostLinks) return numbers;
  std::stable_sort(numbers.begin(), numbers.end(),
                   [&](std::size_t a, std::size_t b) { return run.links[a].busy > run.links[b].busy; });
  numbers.resize(kMostLinks);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// The drawing of the fabric; links refer to the list by their positions.
class Drawing {
 public:
  Drawing(const base::Topology& topology, const RunMeasurement& run, const std::vector<std::size_t>& shown)
      : topology_(topology) {
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const LinkMeasurement& link = run.links[shown[i]];
      places_[{link.from_chip, link.path.substr(link.path.rfind('.') + 1)}] = i;
    }
  }

  Json picture(const base::FabricPicture& picture) const {
    Json nodes = Json::array(), lines = Json::array();
    for (const auto& node : picture.nodes)
      nodes.push_back({node.node, hundredth(node.column), hundredth(node.row)});
    for (const auto& line : picture.lines)
      if (const auto at = places_.find({line.node, topology_.port(line.node, line.port).name});
          at != places_.end())
        lines.push_back({at->second, hundredth(line.dx), hundredth(line.dy), line.stub ? 1 : 0});
    return {{"label", picture.label}, {"nodes", std::move(nodes)}, {"lines", std::move(lines)}};
  }

 private:
  static Json hundredth(double value) {
    const double rounded = std::round(value * 100) / 100;
    return rounded == std::round(rounded) ? Json(static_cast<int>(rounded)) : Json(rounded);
  }

  const base::Topology& topology_;
  std::map<std::pair<std::uint32_t, std::string>, std::size_t> places_;  // by (node, name of its port)
};

Json views_json(const base::Topology& topology, const RunMeasurement& run,
                const std::vector<std::size_t>& shown) {
  const Drawing drawing(topology, run, shown);
  Json views = Json::array();
  for (const base::FabricView& view : topology.views()) {
    Json pictures = Json::array();
    for (const base::FabricPicture& picture : view.pictures) pictures.push_back(drawing.picture(picture));
    views.push_back({{"name", view.name}, {"pictures", std::move(pictures)}});
  }
  return views;
}

}  // namespace

Json hbm_detail(const model::MachineParams& machine, const RunMeasurement& run) {
  const bool grouped = run.hbm.size() > kMostStacks;
  const std::uint64_t stacks = machine.chip.hbm.stacks;
  Json list = Json::array();
  for (std::size_t n = 0; n < run.hbm.size(); n += grouped ? stacks : 1) {
    const HbmMeasurement stack = grouped ? chip_of(run, n / stacks, stacks) : run.hbm[n];
    if (stack.read_bytes + stack.write_bytes > 0) list.push_back(stack_json(stack, n / stacks, run.elapsed));
  }
  return {{"grouped", grouped}, {"total", run.hbm.size()}, {"stacks", std::move(list)}};
}

Json links_detail(const model::MachineParams& machine, const RunMeasurement& run) {
  const std::vector<std::size_t> shown = shown_links(run);
  Json json{{"topology", name_of(machine.link.topology)}, {"total", run.links.size()}};
  json["views"] = views_json(*model::topology_of(machine), run, shown);
  json["names"] = Json::array();
  for (std::uint64_t chip = 0; chip < machine.chips(); ++chip)
    json["names"].push_back(model::chip_name(machine, chip));
  json["list"] = Json::array();
  for (const std::size_t n : shown) json["list"].push_back(link_json(run.links[n], run.elapsed));
  return json;
}

Json traffic_detail(const model::MachineParams& machine, const RunMeasurement& run) {
  if (run.traffic.empty()) return nullptr;
  const std::uint64_t chips = machine.chips(), block = (chips + kMatrixChips - 1) / kMatrixChips,
                      blocks = (chips + block - 1) / block;
  std::vector<std::vector<std::uint64_t>> matrix(blocks, std::vector<std::uint64_t>(blocks, 0));
  for (const base::TrafficMeasurement& t : run.traffic)
    matrix[t.from_chip / block][t.to_chip / block] += t.payload_bytes;
  Json names = Json::array();
  for (std::uint64_t chip = 0; chip < chips; chip += block) names.push_back(model::chip_name(machine, chip));
  return {{"chips_a_block", block}, {"names", std::move(names)}, {"matrix", matrix}};
}

}  // namespace tahoma::runtime
