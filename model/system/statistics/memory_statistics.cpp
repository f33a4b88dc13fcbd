// SPDX-License-Identifier: Apache-2.0
#include "model/system/statistics/memory_statistics.h"

#include <fmt/format.h>

namespace tahoma::model {

using base::ChannelMeasurement, base::Duration, base::HbmMeasurement, base::LatencyMeasurement, base::Unit;

namespace {

// Lists the statistics that stacks and channels share. An ideal peak has no achieved share.
template <class Part>
void list_bytes(const Part& part, Duration elapsed, base::StatSink& sink) {
  sink.add(part.path + ".read_bytes", part.read_bytes, Unit::kBytes, "bytes read");
  sink.add(part.path + ".write_bytes", part.write_bytes, Unit::kBytes, "bytes written");
  const double most = static_cast<double>(part.peak.bytes_per_second) * elapsed.seconds();
  if (!part.peak.ideal && most > 0)
    sink.add(part.path + ".achieved", static_cast<double>(part.read_bytes + part.write_bytes) / most,
             Unit::kRatio, "bytes moved, as a fraction of those possible at peak bandwidth");
}

void list_latency(const std::string& path, const LatencyMeasurement& l, base::StatSink& sink) {
  if (l.count == 0) return;
  sink.add(path + ".count", l.count, Unit::kCount, "requests served");
  sink.add(path + ".mean", l.mean.ns(), Unit::kNanoseconds, "mean latency");
  sink.add(path + ".p50", l.p50.ns(), Unit::kNanoseconds, "median latency of the requests");
  sink.add(path + ".p90", l.p90.ns(), Unit::kNanoseconds, "90th percentile of request latency");
  sink.add(path + ".p99", l.p99.ns(), Unit::kNanoseconds, "99th percentile of request latency");
  sink.add(path + ".longest", l.longest.ns(), Unit::kNanoseconds, "longest latency");
}

void list_channel(const ChannelMeasurement& c, Duration elapsed, base::StatSink& sink) {
  struct Count {
    const char* name;
    std::uint64_t ChannelMeasurement::*value;
    const char* doc;
  };
  struct Time {
    const char* name;
    Duration ChannelMeasurement::*value;
    const char* doc;
  };
  static constexpr Count kCounts[] = {
      {"row_hits", &ChannelMeasurement::row_hits, "accesses that found their row open"},
      {"row_misses", &ChannelMeasurement::row_misses, "accesses that found their bank closed"},
      {"row_conflicts", &ChannelMeasurement::row_conflicts, "accesses that found another row open"},
      {"activates", &ChannelMeasurement::activates, "rows opened"},
      {"precharges", &ChannelMeasurement::precharges, "commands that closed rows"},
      {"refreshes", &ChannelMeasurement::refreshes, "refresh commands"},
      {"corrected_errors", &ChannelMeasurement::corrected_errors, "errors encountered and corrected"},
      {"most_reads_queued", &ChannelMeasurement::most_reads_queued, "most accesses in the read queue"},
      {"most_writes_queued", &ChannelMeasurement::most_writes_queued, "most accesses in the write queue"}};
  static constexpr Time kTimes[] = {
      {"data", &ChannelMeasurement::data, "data on the pins, as all times here a mean over the pins"},
      {"lost_refresh", &ChannelMeasurement::lost_refresh, "pins idle because of a refresh"},
      {"lost_turnaround", &ChannelMeasurement::lost_turnaround, "pins switching between reads and writes"},
      {"lost_bank", &ChannelMeasurement::lost_bank, "pins waiting for banks, bank groups or activates"},
      {"idle", &ChannelMeasurement::idle, "nothing to do"}};
  list_bytes(c, elapsed, sink);
  for (const Count& n : kCounts) sink.add(c.path + "." + n.name, c.*n.value, Unit::kCount, n.doc);
  for (const Time& t : kTimes) sink.add(c.path + "." + t.name, (c.*t.value).ns(), Unit::kNanoseconds, t.doc);
  sink.add(c.path + ".mean_reads_queued", c.mean_reads_queued, Unit::kCount,
           "accesses in the read queue, mean over the run");
  sink.add(c.path + ".mean_writes_queued", c.mean_writes_queued, Unit::kCount,
           "accesses in the write queue, mean over the run");
}

}  // namespace

void list_hbm(const HbmMeasurement& stack, Duration elapsed, base::StatSink& sink) {
  list_bytes(stack, elapsed, sink);
  sink.add(stack.path + ".busy", stack.busy.ns(), Unit::kNanoseconds,
           "time the stack's bandwidth was in use");
  list_latency(stack.path + ".reads", stack.reads, sink);
  list_latency(stack.path + ".writes", stack.writes, sink);
  if (stack.events > 0)
    sink.add(stack.path + ".events", stack.events, Unit::kCount, "faults encountered and corrected");
  for (const HbmMeasurement::User& user : stack.users) {
    const std::string path = fmt::format("{}.users.core{}", stack.path, user.core);
    sink.add(path + ".read_bytes", user.read_bytes, Unit::kBytes, "bytes that this core of the machine read");
    sink.add(path + ".write_bytes", user.write_bytes, Unit::kBytes,
             "bytes that this core of the machine wrote");
  }
  for (const ChannelMeasurement& channel : stack.channels) list_channel(channel, elapsed, sink);
}

}  // namespace tahoma::model
