// SPDX-License-Identifier: Apache-2.0
// The result of one collective of a run: what it was, how long it took and how its time is split. A workload
// passes it to the report.
//
// Sizes and bandwidths are those of nccom-test, whose tables follow NCCL's tests: `bytes` is the whole array
// S of the operation. That is one rank's vector for all_reduce, reduce, broadcast and send/recv; for n ranks
// it is n times what each contributes to an all_gather or gather and n times what each keeps of a
// reduce_scatter or scatter; and what one rank sends in total in an all_to_all, the mean of the ranks if it
// has counts. algbw = S / time; busbw = algbw x factor, which makes it
// comparable with the rate at which a rank can send: 2 (n - 1) / n for all_reduce, (n - 1) / n for
// all_gather, reduce_scatter, all_to_all, gather and scatter, 1 for the others. Of an all_to_all with counts
// it is the share of all elements that go to another rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/core/dtype.h"
#include "runtime/collective/result/time_split.h"

namespace tahoma::runtime {

struct CollectiveResult {
  std::string name;       // in this run: "all_reduce of 1 MiB"
  std::string operation;  // "all_reduce"
  std::string combiner;   // "sum", "min", "max"; "" if nothing is combined
  std::string algorithm;  // the algorithm used
  std::string why;        // why it was chosen, one sentence
  std::string group;      // "64 chips, one rank a chip"
  std::uint64_t bytes = 0;
  isa::DType dtype = isa::DType::kBf16;
  double bus_factor = 1;
  std::vector<RankTimes> ranks;   // at least one; of several groups that work at once, one after another
  std::uint32_t group_ranks = 1;  // ranks of a group
  TimeSplit split;                // adds up to time()
  base::Duration estimate;        // expected time on an idle machine (runtime/collective/cost/cost.h)
  std::optional<bool> correct;    // unset if the values were not checked

  base::Duration time() const { return time_of(ranks); }
  std::uint64_t count() const { return bytes / isa::size_of(dtype); }  // elements
  // The bandwidth is in bytes per second; it is 0 if the collective took no time.
  double algorithm_bandwidth() const {
    return time().fs > 0 ? static_cast<double>(bytes) / time().seconds() : 0;
  }
  double bus_bandwidth() const { return algorithm_bandwidth() * bus_factor; }
};

}  // namespace tahoma::runtime
