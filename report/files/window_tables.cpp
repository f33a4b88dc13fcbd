// SPDX-License-Identifier: Apache-2.0
#include "report/files/window_tables.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>
#include <map>

#include "isa/table/table_names.h"
#include "report/tables/column_csv.h"
#include "report/text/saturation.h"
#include "runtime/host/text/format.h"

namespace tahoma::runtime {

namespace {

void append_window(std::string& text, const std::string& name, const WindowShare& window) {
  fmt::format_to(std::back_inserter(text), FMT_COMPILE("{},{},{},{}"), name, window.start.ns(),
                 window.length.ns(), window.busy_percent);
}

}  // namespace

std::string engines_csv(const base::RunMeasurement& run, const std::vector<EngineRecorder::Engine>& engines) {
  // The engines of a core are in the order of their queues.
  std::map<std::uint32_t, std::size_t> first;
  for (std::size_t n = 0; n < run.engines.size(); ++n) first.try_emplace(run.engines[n].core, n);
  std::string text = "name,window_start_ns,window_ns,busy_percent\n";
  for (const EngineRecorder::Engine& engine : engines) {
    const std::string name = csv_field(run.engines.at(first.at(engine.core) + engine.queue).path);
    for (const WindowShare& window : windows_of(engine.series, run.elapsed)) {
      if (window.busy_percent == 0) continue;
      append_window(text, name, window);
      text += '\n';
    }
  }
  return text;
}

std::string hbm_windows_csv(const base::RunMeasurement& run) {
  std::string text = "name,window_start_ns,window_ns,busy_percent,bandwidth\n";
  for (const base::HbmMeasurement& stack : run.hbm) {
    const std::string name = csv_field(stack.path);
    for (const WindowShare& window : windows_of(stack.series, run.elapsed)) {
      if (window.busy_percent == 0) continue;
      append_window(text, name, window);
      text += ',';
      if (!stack.peak.ideal)
        text += shortest(window.busy_percent / 100 * static_cast<double>(stack.peak.bytes_per_second));
      text += '\n';
    }
  }
  return text;
}

std::string occupancy_csv(const std::vector<SpaceOccupancy>& occupancy) {
  std::string text = "space,what,footprint_bytes,window,mean_bytes\n";
  for (const SpaceOccupancy& o : occupancy)
    for (const Filling& filling : o.fillings) {
      const std::string name =
          fmt::format("{},{},{}", isa::name_of(o.space), csv_field(filling.what), filling.bytes);
      for (std::size_t w = 0; w < filling.mean_bytes.size(); ++w)
        fmt::format_to(std::back_inserter(text), FMT_COMPILE("{},{},{}\n"), name, w, filling.mean_bytes[w]);
    }
  return text;
}

}  // namespace tahoma::runtime
