// SPDX-License-Identifier: Apache-2.0
#include "report/memory/channel_table.h"

#include "report/tables/column_csv.h"

namespace tahoma::runtime {

const base::Columns<ChannelRecord>& channel_columns() {
  using base::ChannelMeasurement, base::Unit;
  using Row = ChannelRecord;
  static const auto kColumns =
      base::Columns<ChannelRecord>("hbm.csv")
          .text("name", "instance of the channel", [](const Row& row) { return row.of.path; })
          .text("stack", "instance of its stack", [](const Row& row) { return row.stack.path; })
          .flag("failed", "whether the channel has failed", [](const Row& row) { return row.of.failed; })
          .statistic(&ChannelMeasurement::read_bytes)
          .statistic(&ChannelMeasurement::write_bytes)
          .number("achieved_percent", Unit::kPercent,
                  "bytes moved over what the peak would have moved; 0 where that is ideal",
                  [](const Row& row) {
                    return base::achieved_percent(row.of.read_bytes + row.of.write_bytes, row.of.peak,
                                                  row.elapsed);
                  })
          .statistic(&ChannelMeasurement::row_hits)
          .statistic(&ChannelMeasurement::row_misses)
          .statistic(&ChannelMeasurement::row_conflicts)
          .statistic(&ChannelMeasurement::activates)
          .statistic(&ChannelMeasurement::precharges)
          .statistic(&ChannelMeasurement::refreshes)
          .share(&ChannelMeasurement::data)  // this share and the next four add up to 100
          .share(&ChannelMeasurement::lost_refresh, "refresh")
          .share(&ChannelMeasurement::lost_turnaround, "turnaround")
          .share(&ChannelMeasurement::lost_bank, "bank")
          .share(&ChannelMeasurement::idle)
          .statistic(&ChannelMeasurement::mean_reads_queued)
          .statistic(&ChannelMeasurement::most_reads_queued)
          .statistic(&ChannelMeasurement::mean_writes_queued)
          .statistic(&ChannelMeasurement::most_writes_queued)
          .statistic(&ChannelMeasurement::corrected_errors);
  return kColumns;
}

std::string hbm_csv(const base::RunMeasurement& run) {
  CsvLines lines(channel_columns());
  for (const base::HbmMeasurement& stack : run.hbm)
    for (const base::ChannelMeasurement& channel : stack.channels) lines.add({{channel, run.elapsed}, stack});
  return lines.text();
}

}  // namespace tahoma::runtime
