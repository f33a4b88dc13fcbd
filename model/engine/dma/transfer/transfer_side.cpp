// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma/transfer/transfer_side.h"

namespace tahoma::model {

TransferSide side_of(const TransferRequest& request, std::size_t operand, const CoreMemories& m) {
  const isa::DmaSide& side = request.side(operand);
  const bool in_hbm = side.space == isa::Space::kHbm;
  sim::ScratchpadIf& chip = side.space == isa::Space::kPsum ? m.psum : m.sbuf;
  const std::uint64_t element = isa::size_of(side.dtype);
  TransferSide s{in_hbm ? &m.hbm : nullptr,
                 in_hbm ? nullptr : &chip,
                 in_hbm ? request.address(operand) : side.partition * chip.stride() + side.offset,
                 {},
                 {},
                 element};
  for (std::size_t d = 0; d < isa::kFreeDims; ++d) {
    s.step[d] = side.stride[d] * static_cast<std::int64_t>(element);
    s.count[d] = request.descriptor().count[d];
  }
  if (!in_hbm) s.step[side.across] = static_cast<std::int64_t>(chip.stride());
  if (request.indirect != isa::Indirection::kNone) {
    s.rows = &request.rows;
    s.by_number = in_hbm;
    s.count[0] = request.rows.size();
  }
  return s;
}

}  // namespace tahoma::model
