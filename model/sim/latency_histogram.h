// SPDX-License-Identifier: Apache-2.0
// Latencies in buckets of 1/16 of their value: percentiles have that precision and are never below the true
// value, at the cost of a few instructions per sample.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "model/base/measurements.h"

namespace tahoma::sim {

class LatencyHistogram {
 public:
  void add(base::Duration latency) {
    const auto ps = static_cast<std::uint64_t>(latency.fs <= 0 ? 0 : latency.fs) / kGrain;
    ++buckets_[bucket_of(ps)];
    ++count_;
    sum_ += static_cast<double>(latency.fs);
    if (latency > longest_) longest_ = latency;
  }

  base::LatencyMeasurement measure() const {
    base::LatencyMeasurement m;
    m.count = count_;
    if (count_ == 0) return m;
    m.mean = {static_cast<std::int64_t>(sum_ / static_cast<double>(count_))};
    m.p50 = percentile(50);
    m.p90 = percentile(90);
    m.p99 = percentile(99);
    m.longest = longest_;
    return m;
  }

 private:
  // fs: below 16 grains of 0.1 ns each bucket is one grain wide
  static constexpr std::uint64_t kGrain = 100'000;
  static constexpr unsigned kSteps = 16, kBuckets = kSteps * 40;

  static unsigned bucket_of(std::uint64_t value) {
    if (value < kSteps) return static_cast<unsigned>(value);
    const auto octave = static_cast<unsigned>(std::bit_width(value)) - 5;  // value >> octave is 16 to 31
    const unsigned bucket = kSteps * octave + static_cast<unsigned>(value >> octave);
    return bucket < kBuckets ? bucket : kBuckets - 1;
  }
  // Returns the largest latency of a bucket.
  static base::Duration upper(unsigned bucket) {
    const unsigned octave = bucket < kSteps ? 0 : bucket / kSteps - 1;
    const std::uint64_t within = bucket < kSteps ? bucket : kSteps + bucket % kSteps;
    return {static_cast<std::int64_t>((((within + 1) << octave) * kGrain) - 1)};
  }
  base::Duration percentile(std::uint64_t percent) const {
    const std::uint64_t wanted = (count_ * percent + 99) / 100;
    std::uint64_t seen = 0;
    for (unsigned b = 0; b < kBuckets; ++b) {
      seen += buckets_[b];
      if (seen >= wanted) return upper(b) < longest_ ? upper(b) : longest_;
    }
    return longest_;
  }

  std::array<std::uint32_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  double sum_ = 0;
  base::Duration longest_{0};
};

}  // namespace tahoma::sim
