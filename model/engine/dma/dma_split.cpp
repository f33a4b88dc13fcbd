// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma/dma_split.h"

#include <algorithm>

namespace tahoma::model {
namespace {

// Returns whether dimension `d` continues the run that the inner dimensions (of `length` elements)
// form on this side.
bool continues(const isa::Descriptor& desc, const isa::DmaSide& side, unsigned d, std::uint64_t length) {
  if (desc.count[d] == 1) return true;
  if (d == side.across && side.space != isa::Space::kHbm) return false;  // the partition axis
  return side.stride[d] == static_cast<std::int64_t>(length);
}

// Returns whether the rows along dimension `d` are contiguous in HBM and belong to successive partitions.
bool joins_partitions(const isa::Descriptor& desc, unsigned d, std::uint64_t row) {
  const auto in_hbm = [](const isa::DmaSide& side) { return side.space == isa::Space::kHbm; };
  const auto fits = [&](const isa::DmaSide& side) {
    return in_hbm(side) ? continues(desc, side, d, row) : side.across == d;
  };
  return in_hbm(desc.dst) != in_hbm(desc.src) && desc.dst.dtype == desc.src.dtype && fits(desc.dst) &&
         fits(desc.src);
}

// Returns the partitions of the side in SBUF, the destination's if both are; 0 if none is.
std::uint64_t partitions_of(const isa::Descriptor& desc) {
  for (const isa::DmaSide* side : {&desc.dst, &desc.src})
    if (side->space != isa::Space::kHbm) return desc.count[side->across];
  return 0;
}

constexpr std::uint64_t kPieceBytes = 64;  // pieces of a run start at multiples of one HBM access

}  // namespace

std::uint64_t Runs::elements_of(std::uint64_t unit) const {
  const std::uint64_t from = (unit % pieces) * piece_elements;
  return from >= run_elements ? 0 : std::min(piece_elements, run_elements - from);
}

Runs runs_of(const TransferRequest& request, const DmaParams& params, unsigned engines) {
  const isa::Descriptor& d = request.descriptor();
  const bool by_number = request.indirect != isa::Indirection::kNone;
  Runs r;
  const auto joins = [&](unsigned dim) {
    if (by_number && dim == 0) return false;
    if (!request.transposes && !continues(d, d.dst, dim, r.run_elements)) return false;
    return std::all_of(request.sources.begin(), request.sources.end(),
                       [&](const isa::Descriptor& s) { return continues(s, s.src, dim, r.run_elements); });
  };
  r.outer = isa::kFreeDims;
  while (r.outer > 0 && joins(r.outer - 1)) {
    --r.outer;
    r.run_elements *= d.count[r.outer];
  }
  for (unsigned i = 0; i < r.outer; ++i) r.rows *= by_number && i == 0 ? request.rows.size() : d.count[i];
  r.engines = engines;
  const std::uint64_t partitions = request.transposes ? 0 : partitions_of(d);
  const std::uint64_t taking_part =
      partitions == 0 ? engines
                      : std::min<std::uint64_t>(
                            engines, (partitions + params.engine_partitions - 1) / params.engine_partitions);
  r.pieces = r.rows >= taking_part || r.rows == 0 ? 1 : taking_part / r.rows;
  const bool plain = !by_number && !request.transposes && request.sources.size() == 1 && !d.accumulate;
  if (plain && r.pieces == 1 && r.outer > 0 && r.rows == d.count[r.outer - 1] &&
      joins_partitions(d, r.outer - 1, r.run_elements))
    r.joined = params.element_rows;
  const std::uint64_t quantum = std::max<std::uint64_t>(1, kPieceBytes / isa::size_of(d.src.dtype));
  const std::uint64_t even = (r.run_elements + r.pieces - 1) / r.pieces;
  r.piece_elements = r.pieces == 1 ? r.run_elements : (even + quantum - 1) / quantum * quantum;
  if (partitions > 0) r.least_share = (r.units() * params.engine_partitions + partitions - 1) / partitions;
  return r;
}

std::uint64_t descriptors_of(const Runs& runs) { return (runs.units() + runs.joined - 1) / runs.joined; }

UnitRange share_of(const Runs& runs, unsigned n) {
  const std::uint64_t each = std::max((runs.units() + runs.engines - 1) / runs.engines, runs.least_share);
  return {std::min(runs.units(), each * n), std::min(runs.units(), each * (n + 1))};
}

std::int64_t byte_offset(const TransferRequest& request, const isa::DmaSide& side, const Runs& runs,
                         std::uint64_t row, std::uint64_t element) {
  const isa::Descriptor& d = request.descriptor();
  auto offset = static_cast<std::int64_t>(element);
  const bool by_number = request.indirect != isa::Indirection::kNone && side.space == isa::Space::kHbm;
  for (unsigned i = runs.outer; i-- > (by_number ? 1U : 0U);) {
    offset += static_cast<std::int64_t>(row % d.count[i]) * side.stride[i];
    row /= d.count[i];
  }
  if (by_number) offset += std::int64_t{request.rows[row].number} * side.stride[0];
  return offset * static_cast<std::int64_t>(isa::size_of(side.dtype));
}

}  // namespace tahoma::model
