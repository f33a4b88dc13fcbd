// SPDX-License-Identifier: Apache-2.0
#include "model/system/statistics/memory_traffic.h"

#include <algorithm>
#include <memory>
#include <random>

#include "model/base/error.h"
#include "model/memory/hbm/dram_access.h"
#include "model/sim/latency_histogram.h"

namespace tahoma::model {
namespace {

struct Request {
  std::uint64_t offset = 0;
  bool write = false;
};

// Generates the requests of the traffic in order.
class Source {
 public:
  Source(const MemoryTraffic& traffic, base::Bytes capacity)
      : traffic_(traffic),
        capacity_(capacity.count),
        random_(traffic.seed),
        next_{0, capacity_ / 2 / traffic.request.count * traffic.request.count} {}

  Request next() {
    const bool write = is_write();
    ++made_;
    if (traffic_.pattern == TrafficPattern::kRandom)
      return {random_() % (capacity_ / traffic_.request.count) * traffic_.request.count, write};
    std::uint64_t& next = next_[write ? 1 : 0];
    const std::uint64_t offset = next + traffic_.request.count <= capacity_ ? next : 0;
    next = offset + traffic_.step().count;
    return {offset, write};
  }

 private:
  bool is_write() {
    if (traffic_.block > 1) return made_ / traffic_.block % 2 == 1;
    if (traffic_.read_fraction <= 0 || traffic_.read_fraction >= 1) return traffic_.read_fraction <= 0;
    constexpr double kUnit = 0x1p-53;  // 53 random bits: the same on every host
    return static_cast<double>(random_() >> 11) * kUnit >= traffic_.read_fraction;
  }

  const MemoryTraffic& traffic_;
  std::uint64_t capacity_, made_ = 0;
  std::mt19937_64 random_;
  std::uint64_t next_[2];  // of reads and of writes
};

// A channel and its clock, which advances only while the queue that the next segment needs is full.
class ClockedChannel {
 public:
  explicit ClockedChannel(const DramDesign& design)
      : design_(design), channel_(design.organisation, design.timing, design.policy) {}

  void take(dram::Segment segment, sim::LatencyHistogram& reads) {
    while (!channel_.has_room(segment.write, segment.accesses)) advance(++now_, reads);
    segment.arrival = now_;
    segment.tag = free_tag();
    entered_[segment.tag] = now_;
    channel_.submit(segment);
    advance(now_, reads);  // into its queue, whose remaining space is then visible
  }

  void drain(sim::LatencyHistogram& reads) {
    while (!channel_.idle()) advance(++now_, reads);
    // The last column command was issued one tick ago; its data follow if it was a write. The data times of
    // reads are known.
    if (tally().write_accesses > 0)
      end_ = std::max(end_, now_ - 1 + design_.timing.cwl + design_.timing.burst);
  }

  dram::Tick end() const { return end_; }  // of the last data
  const dram::Tally& tally() const { return channel_.tally(); }

 private:
  std::uint32_t free_tag() {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(entered_.size()));
      entered_.push_back(0);
    }
    const std::uint32_t tag = free_.back();
    free_.pop_back();
    return tag;
  }

  void advance(dram::Tick until, sim::LatencyHistogram& reads) {
    channel_.advance(until);
    const auto edge = [this](dram::Tick tick) { return design_.timing.clock.edge({tick}).fs; };
    for (const dram::Done& done : channel_.finished()) {
      end_ = std::max(end_, done.last);
      if (!done.write) reads.add({edge(done.last) - edge(entered_[done.tag])});
      free_.push_back(done.tag);
    }
    channel_.finished().clear();
  }

  const DramDesign& design_;
  dram::Channel channel_;
  std::vector<dram::Tick> entered_;  // by tag
  std::vector<std::uint32_t> free_;  // tags
  dram::Tick now_ = 0, end_ = 0;
};

using ClockedChannels = std::vector<std::unique_ptr<ClockedChannel>>;

void count_shares(const ClockedChannels& channels, dram::Tick end, std::uint64_t pins, TrafficResult& r) {
  std::uint64_t hits = 0, misses = 0, conflicts = 0;
  dram::Tick data = 0, refresh = 0, turnaround = 0, bank = 0;
  for (const auto& channel : channels) {
    const dram::Tally& t = channel->tally();
    hits += t.row_hits, misses += t.row_misses, conflicts += t.row_conflicts;
    data += t.data, refresh += t.refresh, turnaround += t.turnaround, bank += t.bank;
  }
  const auto accesses = static_cast<double>(hits + misses + conflicts);
  r.row_hits = static_cast<double>(hits) / accesses;
  r.row_misses = static_cast<double>(misses) / accesses;
  r.row_conflicts = static_cast<double>(conflicts) / accesses;
  const double time = static_cast<double>(end) * static_cast<double>(pins);
  r.data = static_cast<double>(data) / time;
  r.lost_refresh = static_cast<double>(refresh) / time;
  r.lost_turnaround = static_cast<double>(turnaround) / time;
  r.lost_bank = static_cast<double>(bank) / time;
}

}  // namespace

TrafficResult run_traffic(const HbmParams& params, const MemoryTraffic& traffic) {
  TAHOMA_INVARIANT(params.has_dram(), "memory traffic without DRAM");
  TAHOMA_INVARIANT(traffic.request.count > 0 && traffic.request <= params.capacity && traffic.requests > 0,
                   "a request is empty or larger than its stack");
  const std::shared_ptr<const DramDesign> design = design_of(params, 1);
  const dram::Organisation& o = design->organisation;
  ClockedChannels channels;
  for (std::uint32_t c = 0; c < o.channels; ++c)
    channels.push_back(std::make_unique<ClockedChannel>(*design));
  sim::LatencyHistogram reads;
  Source source(traffic, params.capacity);
  DramAccess access(*design, {});
  sim::RowPattern rows;
  rows.start(static_cast<std::uint32_t>(traffic.request.count));
  for (std::uint64_t n = 0; n < traffic.requests; ++n) {
    const Request request = source.next();
    for (const DramAccess::Part& part : access.parts(request.offset, rows, request.write))
      channels[part.channel]->take(part.segment, reads);
  }
  dram::Tick end = 0;
  for (const auto& channel : channels) {
    channel->drain(reads);
    end = std::max(end, channel->end());
  }

  TrafficResult r;
  r.elapsed = {design->timing.clock.edge({end}).fs};
  r.reads = reads.measure();
  count_shares(channels, end, std::uint64_t{o.channels} * o.pseudo_channels, r);
  const auto bytes = static_cast<double>(traffic.requests) * static_cast<double>(traffic.request.count);
  r.bytes_per_second = bytes / r.elapsed.seconds();
  r.of_peak = r.bytes_per_second / static_cast<double>(params.bandwidth.bytes_per_second);
  return r;
}

}  // namespace tahoma::model
