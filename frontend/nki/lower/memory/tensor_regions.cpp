// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/memory/tensor_regions.h"

#include <algorithm>

#include "isa/table/access.h"
#include "runtime/builder/access_region.h"

namespace tahoma::runtime::nki {

namespace {

// The offsets of an entry's operands are moved into windows of their own, so that an access identifies its
// operand.
constexpr unsigned kWindowBits = 20;
static_assert(isa::Limits{}.sbuf_bytes <= 1U << (kWindowBits - 1), "an operand's offset stays in its window");

void move_into_window(isa::Instruction& instruction, isa::FieldKind field, std::uint32_t window) {
  std::visit(
      [&](auto slot) {
        if constexpr (requires { (instruction.*slot).offset; })
          (instruction.*slot).offset += window << kWindowBits;
      },
      isa::traits_of(field).slot);
}

// The box of a side in an on-chip tensor: partitions by bytes.
Region chip_region(const Storage& storage, const Side& side) {
  const auto size = static_cast<std::int64_t>(isa::size_of(side.dtype));
  if (side.dynamic.kind != Dynamic::Kind::kNone)
    return {storage.id, 0, static_cast<std::uint32_t>(storage.shape.front()), 0,
            static_cast<std::uint64_t>(storage.row_bytes())};
  std::int64_t first = side.partition, last = first, low = side.offset, high = low + size;
  for (const Axis& axis : side.axes) {
    const std::int64_t reach = axis.stride * (axis.count - 1);
    if (axis.partition)
      (reach < 0 ? first : last) += reach;
    else
      (reach < 0 ? low : high) += reach * size;
  }
  return {storage.id, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last - first + 1),
          static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high - low)};
}

Region side_region(const Trace& trace, const Side& side) {
  const Storage& storage = *trace.storages[side.storage];
  return storage.on_chip() ? chip_region(storage, side) : hbm_region(storage, side);
}

void add_instruction(const Recorded& entry, isa::Instruction instruction, bool stationary,
                     std::vector<Access>& accesses) {
  std::uint32_t window = 0;
  for (const Operand& operand : entry.operands) {
    ++window;
    if (operand.of_weights == stationary) move_into_window(instruction, operand.field, window);
  }
  const isa::AccessList list = isa::accesses_of(instruction);
  for (const isa::OperandAccess& access : list.all()) {
    isa::Pattern pattern = access.pattern;
    const std::uint64_t of = pattern.offset >> kWindowBits;
    if (of == 0) continue;  // not an operand of this entry
    pattern.offset -= of << kWindowBits;
    Region region = region_of(pattern);
    region.buffer = entry.operands[of - 1].storage;
    accesses.push_back({region, access.writes, false});
  }
}

}  // namespace

bool is_elementwise(isa::Opcode op) {
  using isa::Opcode;
  return op == Opcode::kTensorCopy || op == Opcode::kTensorScalar || op == Opcode::kTensorTensor ||
         op == Opcode::kActivation;
}

bool is_source(const Trace& trace, const Recorded& entry) {
  if (!entry.transfer) return !is_fence(entry) && entry.instruction.op == isa::Opcode::kMemset;
  const auto in_hbm = [&](const Side& side) { return !trace.storages[side.storage]->on_chip(); };
  return !in_hbm(entry.transfer->dst) &&
         std::all_of(entry.transfer->sources.begin(), entry.transfer->sources.end(), in_hbm);
}

Region hbm_region(const Storage& storage, const Side& side) {
  const auto size = static_cast<std::int64_t>(isa::size_of(side.dtype));
  const std::int64_t row = std::max<std::int64_t>(1, storage.shape.back() * storage.element->bytes);
  const std::int64_t all = storage.elements() * storage.element->bytes;
  if (side.dynamic.kind != Dynamic::Kind::kNone)
    return {storage.id, 0, static_cast<std::uint32_t>(all / row), 0, static_cast<std::uint64_t>(row)};
  std::int64_t rows = 0, low = 0, high = size;
  bool parts_of_rows = true;
  for (const Axis& axis : side.axes) {
    const std::int64_t step = axis.stride * size, reach = step * (axis.count - 1);
    if (axis.count > 1 && step != 0 && step % row == 0)
      rows += reach / row;
    else
      (reach < 0 ? low : high) += reach;
    parts_of_rows = parts_of_rows && step >= 0;
  }
  const std::int64_t column = side.offset % row;
  if (parts_of_rows && column + high <= row)
    return {storage.id, static_cast<std::uint32_t>(side.offset / row), static_cast<std::uint32_t>(rows + 1),
            static_cast<std::uint64_t>(column), static_cast<std::uint64_t>(high)};
  const std::int64_t first = (side.offset + low) / row, last = (side.offset + rows * row + high - 1) / row;
  return {storage.id, static_cast<std::uint32_t>(std::max<std::int64_t>(first, 0)),
          static_cast<std::uint32_t>(last - first + 1), 0, static_cast<std::uint64_t>(row)};
}

std::vector<Access> tensor_accesses(const Trace& trace, const Recorded& entry) {
  std::vector<Access> accesses;
  if (is_fence(entry)) return accesses;
  const auto add = [&](const Side& side, bool writes) {
    accesses.push_back({side_region(trace, side), writes, false});
    if (side.dynamic.index)
      accesses.push_back({side_region(trace, trace.side_of(*side.dynamic.index)), false, false});
  };
  if (entry.transfer) {
    for (const Side& side : entry.transfer->sources) add(side, false);
    add(entry.transfer->dst, true);
    return accesses;
  }
  if (entry.weights) add_instruction(entry, *entry.weights, true, accesses);
  add_instruction(entry, entry.instruction, false, accesses);
  return accesses;
}

}  // namespace tahoma::runtime::nki
