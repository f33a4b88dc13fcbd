// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma/dma_costs.h"

#include <algorithm>

namespace tahoma::model {

using base::Duration;

Duration DmaCosts::of(const Transfer& transfer, const DmaPacket& packet) {
  const std::uint32_t parts = packet.parts();
  if (parts == 1) return of(shape_of(transfer, packet, params_));
  const Duration each = of(shape_of(transfer, part_of(packet, false), params_));
  return each * static_cast<std::int64_t>(parts - 1) + of(shape_of(transfer, part_of(packet, true), params_));
}

Duration DmaCosts::of(const PacketShape& shape) {
  if (shape != last_shape_ || last_cost_.fs == 0) {
    last_shape_ = shape;
    last_cost_ = packet_time(shape, params_);
    if (small_elements(shape, params_)) last_cost_ = spread_over_engines(last_cost_, engine_, params_);
  }
  return last_cost_;
}

// All packets of a transfer except the last write the same number of bytes.
Duration DmaCosts::drain(std::uint64_t bytes) {
  if (bytes != last_bytes_) {
    last_bytes_ = bytes;
    last_drain_ = drain_time({bytes}, params_);
  }
  return last_drain_;
}

Duration DmaCosts::first_read(const Transfer& transfer) {
  const auto in_hbm = [](const isa::Descriptor& d) { return d.src.space == isa::Space::kHbm; };
  if (!cold_ || !std::any_of(transfer.request.sources.begin(), transfer.request.sources.end(), in_hbm))
    return Duration{0};
  cold_ = false;
  return params_.cold_read;
}

}  // namespace tahoma::model
