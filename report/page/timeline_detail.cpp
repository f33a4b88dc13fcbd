// SPDX-License-Identifier: Apache-2.0
// The time lines of single cores on the page. Cells are text, because as JSON values they would cost a short
// run more than its page may.
#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>
#include <map>
#include <optional>
#include <tuple>

#include "isa/table/table_names.h"
#include "report/page/detail.h"
#include "runtime/run/core_name.h"
#include "runtime/run/region_names.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

std::int64_t picoseconds(base::Time time) { return (time.fs + 500) / 1000; }

// Lists the labels of cells, each once.
class CellLabels {
 public:
  explicit CellLabels(const Programs& programs) : programs_(programs) {}

  std::size_t of(const CoreTimeline::Track& track, const TimelineCell& cell) {
    if (cell.reason != base::StallReason::kBusy) return number(base::name_of(cell.reason), "", true);
    const isa::Program& program = *programs_.at(track.core);
    const auto queue = static_cast<isa::Queue>(track.queue);
    const std::uint32_t line = program.line_at(queue, cell.index);
    const auto region =
        line == isa::kNoLine ? stretch_at(program, track.queue, cell.index).region : std::nullopt;
    const auto [known, added] =
        instructions_.try_emplace({&program, program.stream(queue)[cell.index].op, line, region}, 0);
    if (added) {
      const InstructionPlace at{track.core, track.queue, cell.index};
      const InstructionNames names{program, at};
      known->second = number(names.opcode(), names.source(), false);
    }
    return known->second;
  }
  Json json() const {
    Json list = Json::array();
    for (const auto& [name, source, stall] : labels_) list.push_back({name, source, stall});
    return list;
  }

 private:
  using Label = std::tuple<std::string, std::string, bool>;
  std::size_t number(const std::string& name, const std::string& source, bool stall) {
    const auto [known, added] = numbers_.try_emplace({name, source, stall}, labels_.size());
    if (added) labels_.push_back(known->first);
    return known->second;
  }

  const Programs& programs_;
  // By program, instruction, source line and region, which have one label together: naming each cell would
  // take longer.
  std::map<std::tuple<const isa::Program*, isa::Opcode, std::uint32_t, std::optional<std::uint16_t>>,
           std::size_t>
      instructions_;
  std::map<Label, std::size_t> numbers_;
  std::vector<Label> labels_;
};

std::string cells_text(const CoreTimeline::Track& track, CellLabels& labels) {
  std::string text;
  for (const TimelineCell& cell : track.cells)
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}{} {} {} {} {}"), text.empty() ? "" : ";",
                   picoseconds(cell.to), picoseconds(cell.busy), labels.of(track, cell), cell.index,
                   cell.instructions);
  return text;
}

}  // namespace

Json timeline_detail(const model::MachineParams& machine, const Simulated& run) {
  Json cores = Json::array();
  CellLabels labels(run.loaded);
  for (const CoreTimeline::Track& track : run.timeline) {
    const std::string name = core_path(machine, track.core);
    if (cores.empty() || cores.back()["name"] != name)
      cores.push_back({{"name", name}, {"lanes", Json::array()}});
    if (track.cells.empty()) continue;
    cores.back()["lanes"].push_back({{"queue", isa::name_of(static_cast<isa::Queue>(track.queue))},
                                     {"engine", base::name_of(engine_of_queue(track.queue))},
                                     {"cells", cells_text(track, labels)}});
  }
  return {{"labels", labels.json()}, {"cores", std::move(cores)}};
}

}  // namespace tahoma::runtime
