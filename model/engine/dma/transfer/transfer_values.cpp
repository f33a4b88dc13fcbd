// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma/transfer/transfer_values.h"

#include <optional>

#include "isa/table/table_fields.h"

namespace tahoma::model {
namespace {

using isa::kFreeDims;

isa::CoreView view_of(const CoreMemories& m) {
  return {m.sbuf.bytes(), m.sbuf.stride(), m.psum.bytes(), m.psum.stride(), nullptr};
}

bool all_known(const TransferSide& side) {
  const sim::KnownBytes& known = side.known();
  if (known.empty()) return false;
  return side.every_piece(
      [&](std::uint64_t first, std::uint64_t bytes) { return known.contains(first, bytes); });
}

bool sources_known(const TransferRequest& request, const TransferSide& dst, const CoreMemories& m) {
  for (std::size_t s = 0; s < request.sources.size(); ++s)
    if (!all_known(side_of(request, s, m))) return false;
  return !request.descriptor().accumulate || all_known(dst);
}

void move_compute(const TransferRequest& request, const CoreMemories& m, std::byte* dst) {
  std::vector<const std::byte*> sources;
  for (std::size_t s = 0; s < request.sources.size(); ++s)
    sources.push_back(request.sources[s].src.space == isa::Space::kHbm ? m.hbm.at(request.source(s), 1)
                                                                       : nullptr);
  isa::execute_dma_compute(request.sources, request.fold, view_of(m), dst, sources);
}

// The doorbell has checked the whole extent.
void move(const TransferRequest& request, const CoreMemories& m) {
  const isa::Descriptor& d = request.descriptor();
  std::byte* dst = d.dst.space == isa::Space::kHbm ? m.hbm.at(request.dst, 1) : nullptr;
  if (request.sources.size() > 1) return move_compute(request, m, dst);
  std::byte* src = d.src.space == isa::Space::kHbm ? m.hbm.at(request.src, 1) : nullptr;
  if (request.indirect == isa::Indirection::kNone) return isa::execute_dma(d, view_of(m), dst, src);
  isa::execute_indirect(d, request.indirect, request.rows, view_of(m), dst == nullptr ? src : dst);
}

// The transfer of an equal core. The sides that are on-chip memories have no address.
TransferRequest renamed(const TransferRequest& of_simulated, const MemberCore& member) {
  TransferRequest equal = of_simulated;
  const auto address = [&](std::size_t operand) {
    const bool in_hbm = of_simulated.side(operand).space == isa::Space::kHbm;
    return in_hbm ? member.address(of_simulated.address(operand)) : of_simulated.address(operand);
  };
  equal.dst = address(of_simulated.destination());
  equal.src = address(0);
  for (std::size_t s = 1; s < of_simulated.sources.size(); ++s) equal.more_src[s - 1] = address(s);
  return equal;
}

}  // namespace

void move_values(const TransferRequest& request, const CoreMemories& m) {
  const auto& count = request.descriptor().count;
  const std::uint64_t elements = std::uint64_t{count[0]} * count[1] * count[2] * count[3];
  m.for_each_core(elements * request.sources.size(), [&](std::size_t n) {
    if (n == 0) return move(request, m);
    const MemberCore& member = m.members.cores[n - 1];
    move(renamed(request, member), m.of(member));
  });
}

void move_known_values(const TransferRequest& request, const CoreMemories& m) {
  const TransferSide dst = side_of(request, request.destination(), m);
  sim::KnownBytes& known = dst.known();
  if (sources_known(request, dst, m)) {
    move_values(request, m);
    dst.every_piece([&](std::uint64_t first, std::uint64_t bytes) {
      known.add(first, bytes);
      return true;
    });
  } else if (!known.empty()) {
    dst.every_piece([&](std::uint64_t first, std::uint64_t bytes) {
      known.remove(first, bytes);
      return !known.empty();
    });
  }
}

namespace {

// Byte range that a field of an instruction writes per partition, both ends included.
struct Written {
  isa::Space space;
  unsigned partition, partitions;
  std::int64_t first, last;
};

std::optional<Written> written_by(const isa::Field& field, const isa::Instruction& i) {
  const isa::FieldTraits& traits = isa::traits_of(field.kind);
  if (traits.role != isa::Role::kWrite) return std::nullopt;
  const isa::Shape shape = isa::operand_shape(field, i);
  if (const auto* slot = std::get_if<isa::Member<isa::Tile>>(&traits.slot)) {
    const isa::Tile& tile = i.**slot;
    const auto element = static_cast<std::int64_t>(isa::size_of(tile.dtype));
    Written w{tile.space, tile.partition, shape.partitions, tile.offset, tile.offset + element - 1};
    for (std::size_t d = 0; d < kFreeDims; ++d) {
      const std::int64_t reach = (std::int64_t{shape.count[d]} - 1) * tile.stride[d] * element;
      (reach < 0 ? w.first : w.last) += reach;
    }
    return w;
  }
  const auto* slot = std::get_if<isa::Member<isa::Column>>(&traits.slot);
  if (slot == nullptr || !(i.**slot).present) return std::nullopt;
  const isa::Column& column = i.**slot;
  const auto bytes = static_cast<std::int64_t>(isa::free_elements(shape) * isa::size_of(column.dtype));
  return Written{column.space, column.partition, shape.partitions, column.offset, column.offset + bytes - 1};
}

void forget(const Written& w, const CoreMemories& m) {
  sim::ScratchpadIf& memory = w.space == isa::Space::kPsum ? m.psum : m.sbuf;
  for (unsigned p = w.partition; p < w.partition + w.partitions; ++p)
    memory.known().remove(p * memory.stride() + static_cast<std::uint64_t>(w.first),
                          static_cast<std::uint64_t>(w.last - w.first + 1));
}

}  // namespace

void forget_written(const isa::Instruction& i, const CoreMemories& m) {
  if (m.sbuf.known().empty() && m.psum.known().empty()) return;
  for (const isa::Field& field : isa::row_of(i.op).fields)
    if (const auto written = written_by(field, i)) forget(*written, m);
}

}  // namespace tahoma::model
