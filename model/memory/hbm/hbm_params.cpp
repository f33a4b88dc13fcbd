// SPDX-License-Identifier: Apache-2.0
#include "model/memory/hbm/hbm_params.h"

namespace tahoma::model {

using namespace base::literals;

void HbmParams::declare(base::ParamTree& t) {
  t.add("stacks", stacks, std::uint64_t{4}, {1, 16}, "HBM stacks of one chip",
        base::documented("trainium2.rst"));
  t.add("capacity", capacity, 24_GiB, {1_MiB, 64_GiB}, "bytes of one stack",
        base::documented("trainium2.rst: 96 GiB in 4 stacks"));
  t.add("bandwidth", bandwidth, 725_GBps, {{1'000'000, false}, 100'000_GBps}, "bytes per second of one stack",
        base::derived("2.9 TB/s a chip over 4 stacks, trainium2.rst"));
  t.add("read_latency", read_latency, 36_ns, {{0}, 100_us},
        "flat: a request's arrival at the stack to the first data of an unloaded read",
        base::assumed(
            "activate and read of HBM3; with the path there and back 104 ns, because the first load starts "
            "794..830 ns after its doorbell, a store 698..718 ns"));
  t.add("model", model, HbmModel::kDram, kHbmModels,
        "dram: every command of channels with rows and banks (hbm.dram), unless the bandwidth is ideal; "
        "banks: the "
        "same DRAM, each access timed once when it arrives, for large runs; flat: only bandwidth and latency",
        base::chosen());
  t.group("dram", dram);
}

void HbmParams::check() const {
  if (has_dram()) check_dram(dram, capacity, bandwidth);
}

}  // namespace tahoma::model
