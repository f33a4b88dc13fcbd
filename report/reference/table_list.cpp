// SPDX-License-Identifier: Apache-2.0
#include "report/reference/table_list.h"

#include "report/area/chip_area.h"
#include "report/cost/priced_run.h"
#include "report/energy/energy_summary.h"
#include "report/energy/energy_tables.h"
#include "report/energy/power_windows.h"
#include "report/files/collective_report.h"
#include "report/lines/line_tables.h"
#include "report/links/link_tables.h"
#include "report/memory/channel_table.h"
#include "report/path/path_summary.h"
#include "report/summary/engine_columns.h"
#include "report/summary/summary.h"

namespace tahoma::runtime {

namespace {

template <class Record>
DeclaredTable table(const base::Columns<Record>& columns) {
  return {columns.csv(), columns.json(), columns.texts()};
}

// The object at that place of summary.json has the statistics and figures that T declares.
template <class T>
DeclaredTable object(const std::string& json) {
  DeclaredTable table{"", json, {}};
  base::for_each_declaration<T>([&](const auto& declared) {
    table.columns.push_back({"", declared.name, base::name_of(declared.unit), declared.doc, declared.better});
  });
  return table;
}

// The same columns at another place of summary.json.
DeclaredTable also_at(const std::string& json, DeclaredTable table) {
  table.csv.clear();
  table.json = json;
  for (base::ColumnText& column : table.columns) column.csv.clear();
  return table;
}

// The vendor's names of what `engine_columns` declares.
DeclaredTable active_times() {
  DeclaredTable table{"", "", {}};
  for (std::size_t kind = 0; kind < base::kEngineKinds; ++kind)
    if (const auto engine = static_cast<base::EngineKind>(kind); engine != base::EngineKind::kCollective)
      table.columns.push_back({"", std::string(base::name_of(engine)) + "_engine_active_time_percent",
                               base::name_of(base::Unit::kPercent), "active_percent by the vendor's name",
                               base::Better::kMore});
  return table;
}

}  // namespace

std::vector<DeclaredTable> declared_tables() {
  return {table(channel_columns()),
          table(link_columns()),
          table(region_columns()),
          table(region_engine_columns()),
          also_at("whole", table(region_columns())),
          also_at("whole.engines.*", table(region_engine_columns())),
          table(component_columns()),
          table(region_energy_columns()),
          table(power_columns()),
          table(line_columns()),
          table(hot_spot_columns()),
          table(path_resource_columns()),
          table(path_operation_columns()),
          table(path_hot_spot_columns()),
          table(path_row_columns()),
          table(collective_columns()),
          table(program_columns()),
          table(engine_columns()),
          object<Summary>(""),
          active_times(),
          object<FlopSummary>("flops"),
          object<ArrayUse>("array"),
          object<DmaSummary>("dma"),
          object<ChipArea>("area"),
          object<TimeBand>("band"),
          object<Sharing>("sharing"),
          object<EnergySummary>("energy"),
          object<EnergyProvenance>("energy.provenance_percent"),
          object<CostFigures>("cost"),
          object<CostFigures>("cost.per_million_tokens"),
          object<CostFigures>("cost.per_step"),
          object<HbmSummary>("hbm"),
          object<StackLoad>("hbm.busiest_stacks.*"),
          object<RowShares>("hbm.rows"),
          object<PinShares>("hbm.pins"),
          object<QueueSummary>("hbm.queues.*"),
          object<LatencySummary>("hbm.latency.*"),
          object<LinkLoad>("links.busiest.*"),
          object<LinkLoad>("links.busiest_link"),
          object<AxisSummary>("links.axes.*"),
          object<TrafficSummary>("links.traffic")};
}

std::vector<ColumnPlace> declared_columns() {
  std::vector<ColumnPlace> places;
  for (const DeclaredTable& table : declared_tables())
    for (const base::ColumnText& column : table.columns) {
      if (!column.csv.empty())
        places.push_back({table.csv + "/" + column.csv, column.unit, column.doc, column.better});
      if (column.json.empty()) continue;
      const std::string parent = table.json.empty() ? "" : table.json + ".";
      places.push_back({"summary.json/" + parent + column.json, column.unit, column.doc, column.better});
    }
  return places;
}

}  // namespace tahoma::runtime
