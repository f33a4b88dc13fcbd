// SPDX-License-Identifier: Apache-2.0
#include "model/system/memory_traffic.h"

#include <algorithm>
#include <memory>
#include <random>

#include "model/base/error.h"
#include "model/memory/dram_access.h"
#include "model/sim/latency_histogram.h"

namespace tahoma::model {
namespace {

struct Request {
  std::uint64_t offset = 0;
  bool write = false;
};

// The requests of the traffic, one after the other.
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

// The channels of the stack and the requests in them. Time goes on only while a queue is full; a channel
// that nobody asks for stays behind, and catches up by itself.
class Stack {
 public:
  explicit Stack(const HbmParams& params) : design_(design_of(params, 1)), access_(*design_, {}) {
    for (std::uint32_t c = 0; c < design_->organisation.channels; ++c)
      channels_.push_back(
          std::make_unique<dram::Channel>(design_->organisation, design_->timing, design_->policy));
  }

  void take(const Request& request, const sim::RowPattern& rows) {
    const auto& parts = access_.parts(request.offset, rows, request.write);
    const std::uint32_t tag = begin(static_cast<std::uint32_t>(parts.size()));
    for (const DramAccess::Part& part : parts) enter(part, tag);
  }

  void drain() {
    for (const auto& channel : channels_) {
      dram::Tick at = now_;
      advance(*channel, at);
      while (!channel->idle()) advance(*channel, ++at);
      // The last column command was a tick ago; the data of a write follow it, those of a read are known.
      if (channel->tally().write_accesses > 0)
        end_ = std::max(end_, at - 1 + design_->timing.cwl + design_->timing.burst);
    }
  }

  TrafficResult result() const {
    TrafficResult r;
    r.elapsed = base::Duration{design_->timing.clock.edge({end_}).fs};
    r.reads = reads_.measure();
    std::uint64_t hits = 0, misses = 0, conflicts = 0;
    dram::Tick data = 0, refresh = 0, turnaround = 0, bank = 0;
    for (const auto& channel : channels_) {
      const dram::Tally& t = channel->tally();
      hits += t.row_hits, misses += t.row_misses, conflicts += t.row_conflicts;
      data += t.data, refresh += t.refresh, turnaround += t.turnaround, bank += t.bank;
    }
    const auto accesses = static_cast<double>(hits + misses + conflicts);
    r.row_hits = static_cast<double>(hits) / accesses;
    r.row_misses = static_cast<double>(misses) / accesses;
    r.row_conflicts = static_cast<double>(conflicts) / accesses;
    const double pins =
        static_cast<double>(end_) * design_->organisation.channels * design_->organisation.pseudo_channels;
    r.data = static_cast<double>(data) / pins;
    r.lost_refresh = static_cast<double>(refresh) / pins;
    r.lost_turnaround = static_cast<double>(turnaround) / pins;
    r.lost_bank = static_cast<double>(bank) / pins;
    return r;
  }

 private:
  struct Pending {
    dram::Tick start = dram::kNoTick, last = 0;
    std::uint32_t left = 0;  // segments
  };

  std::uint32_t begin(std::uint32_t segments) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(pending_.size()));
      pending_.emplace_back();
    }
    const std::uint32_t tag = free_.back();
    free_.pop_back();
    pending_[tag] = {dram::kNoTick, 0, segments};
    return tag;
  }

  void enter(const DramAccess::Part& part, std::uint32_t tag) {
    dram::Channel& channel = *channels_[part.channel];
    advance(channel, now_);
    while (!channel.has_room(part.segment.write, part.segment.accesses)) advance(channel, ++now_);
    dram::Segment segment = part.segment;
    segment.arrival = now_;
    segment.tag = tag;
    pending_[tag].start = std::min(pending_[tag].start, now_);
    channel.submit(segment);
    advance(channel, now_);  // into its queue, which then shows the room that is left
  }

  void advance(dram::Channel& channel, dram::Tick until) {
    channel.advance(until);
    for (const dram::Done& done : channel.finished()) {
      Pending& request = pending_[done.tag];
      request.last = std::max(request.last, done.last);
      if (--request.left > 0) continue;
      end_ = std::max(end_, request.last);
      if (!done.write) reads_.add(base::Duration{edge(request.last) - edge(request.start)});
      free_.push_back(done.tag);
    }
    channel.finished().clear();
  }

  std::int64_t edge(dram::Tick tick) const { return design_->timing.clock.edge({tick}).fs; }

  std::shared_ptr<const DramDesign> design_;
  DramAccess access_;
  std::vector<std::unique_ptr<dram::Channel>> channels_;
  std::vector<Pending> pending_;
  std::vector<std::uint32_t> free_;
  sim::LatencyHistogram reads_;
  dram::Tick now_ = 0, end_ = 0;
};

}  // namespace

TrafficResult run_traffic(const HbmParams& params, const MemoryTraffic& traffic) {
  TAHOMA_INVARIANT(params.has_dram(), "memory traffic without DRAM");
  TAHOMA_INVARIANT(traffic.request.count > 0 && traffic.request <= params.capacity && traffic.requests > 0,
                   "memory traffic of nothing, or larger than its stack");
  Source source(traffic, params.capacity);
  Stack stack(params);
  sim::RowPattern rows;
  rows.start(static_cast<std::uint32_t>(traffic.request.count));
  for (std::uint64_t n = 0; n < traffic.requests; ++n) stack.take(source.next(), rows);
  stack.drain();
  TrafficResult result = stack.result();
  const auto bytes = static_cast<double>(traffic.requests) * static_cast<double>(traffic.request.count);
  result.bytes_per_second = bytes / result.elapsed.seconds();
  result.of_peak = result.bytes_per_second / static_cast<double>(params.bandwidth.bytes_per_second);
  return result;
}

}  // namespace tahoma::model
