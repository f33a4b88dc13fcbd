// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/record/trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/nki/record/listed_columns.h"
#include "frontend/nki/record/operands.h"
#include "frontend/nki/record/quads.h"

namespace tahoma::runtime::nki {

namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 36;  // of a tensor: more than a stack of HBM holds

void check_place(const Storage& storage, const isa::Limits& limits, std::int64_t usable_sbuf) {
  const bool sbuf = storage.buffer == Buffer::kSbuf;
  const std::int64_t usable = sbuf ? usable_sbuf : limits.psum_bytes;
  if (storage.row_bytes() > usable)
    refuse("E-NKI-001", fmt::format("{} takes {} bytes of each partition; a kernel may use {}",
                                    storage.text(), storage.row_bytes(), usable));
  if (!storage.place) return;
  const auto& [partition, byte] = *storage.place;
  if (std::int64_t{partition} + storage.shape[0] > std::int64_t{limits.partitions})
    refuse("E-NKI-001", fmt::format("{} at partition {}; expected at most {} partitions in all",
                                    storage.text(), partition, limits.partitions));
  if (byte + storage.row_bytes() > usable)
    refuse("E-NKI-001",
           fmt::format("{} at byte {} ends at byte {}; a kernel may use {} bytes of each partition",
                       storage.text(), byte, byte + storage.row_bytes(), usable));
  if (!sbuf && byte % 4 != 0)
    refuse("E-NKI-001", fmt::format("{} at byte {} of PSUM; expected a multiple of 4", storage.text(), byte));
}

}  // namespace

Side Trace::side_of(const View& view) const {
  if (view.elements() == 0) refuse("E-NKI-010", fmt::format("{} has no elements", view.text()));
  if (lists_columns(view))
    refuse("E-NKI-011",
           fmt::format("{} lists columns; transfers take such rows by vector_offset", view.text()));
  Side side;
  side.storage = view.storage->id;
  side.dtype = dtype_of(view, limits_);
  side.partition = view.partition;
  side.offset = view.offset * view.element->bytes;
  side.axes = all_axes(view);
  side.dynamic = view.dynamic;
  return side;
}

std::string place_of(const Trace& trace, std::uint32_t line) {
  if (line >= trace.lines.size()) return "";
  return fmt::format("{}:{}", trace.lines[line].file, trace.lines[line].line);
}

std::shared_ptr<Storage> Trace::declare(Storage storage) {
  storage.id = static_cast<std::uint32_t>(storages.size());
  storage.line = at_line;
  storage.declared = static_cast<std::uint32_t>(entries.size());
  give_name(storage);
  for (const std::int64_t size : storage.shape)
    if (size < 1 || size > kMostElements)
      refuse("E-NKI-001", fmt::format("{} has a dimension of {}; expected at least 1", storage.text(), size));
  if (storage.shape.empty() || (storage.on_chip() && storage.shape.size() < 2))
    refuse("E-NKI-001",
           fmt::format("{} has {} dimensions; expected {}", storage.text(), storage.shape.size(),
                       storage.on_chip() ? "at least 2, the first of them partitions" : "at least 1"));
  if (storage.elements() > kMostElements)
    refuse("E-NKI-001", fmt::format("{} has {} elements; expected at most {}", storage.text(),
                                    storage.elements(), kMostElements));
  if (storage.on_chip()) {
    if (storage.shape[0] > limits_.partitions)
      refuse("E-NKI-001", fmt::format("{} has {} partitions; expected at most {}", storage.text(),
                                      storage.shape[0], limits_.partitions));
    check_place(storage, limits_, usable_);
  }
  storages.push_back(std::make_shared<Storage>(std::move(storage)));
  return storages.back();
}

void Trace::give_name(Storage& storage) {
  if (storage.name.empty() && at_line < lines.size()) storage.name = variable_at(at_line);
  storage.named = !storage.name.empty();
  if (storage.named) return;
  storage.name = fmt::format("tensor{}", storage.id);
  storage.declared_at = place_of(*this, at_line);
}

const std::string& Trace::variable_at(std::uint32_t line) {
  if (variables_.size() < lines.size()) variables_.resize(lines.size());
  std::optional<std::string>& name = variables_[line];
  for (std::uint32_t at = line; variable_of_ && !name && at != isa::kNoLine; at = lines[at].caller)
    name = variable_of_(lines[at]);
  if (!name) name = "";
  return *name;
}

Recorded& Trace::append(Recorded entry) {
  entry.line = at_line;
  entries.push_back(std::move(entry));
  return entries.back();
}

Recorded& Trace::compute(const isa::Instruction& fields, const std::vector<Given>& given,
                         std::optional<isa::Queue> engine, const Axes& pattern) {
  if (std::any_of(given.begin(), given.end(), [](const Given& g) { return lists_columns(g.view); }))
    return compute_on_columns(*this, fields, given, engine, pattern);
  Recorded entry = compute_entry(fields, given, pattern, limits_);
  entry.engine = engine;
  check_entry(entry, limits_);
  return append(std::move(entry));
}

Recorded& Trace::matmul(const View& dst, const View& stationary, const View& moving, isa::MatmulMode mode,
                        std::optional<bool> accumulate, bool transpose) {
  if (lists_columns(dst)) {
    // Sums across matmuls would have to be gathered before each of them.
    if (!transpose && accumulate.value_or(true))
      refuse("E-NKI-014",
             fmt::format("nc_matmul: dst {} lists columns; expected accumulate=False", dst.text()));
    const View tile = tile_for(*this, dst);
    matmul(tile, stationary, moving, mode, accumulate, transpose);
    return scatter(*this, dst, tile);
  }
  Recorded entry = matmul_entry(dst, array_operand(*this, stationary), array_operand(*this, moving), mode,
                                transpose, limits_);
  entry.accumulate = transpose ? false : accumulate;
  check_entry(entry, limits_);
  return append(std::move(entry));
}

Recorded& Trace::matmul_mx(const View& dst, const View& stationary, const View& moving,
                           const View& stationary_scale, const View& moving_scale,
                           std::optional<bool> accumulate) {
  const View weights = array_operand(*this, stationary), numbers = array_operand(*this, moving);
  Recorded entry = matmul_mx_entry(dst, {weights, stationary_scale}, {numbers, moving_scale}, limits_);
  entry.accumulate = accumulate;
  check_entry(entry, limits_);
  return append(std::move(entry));
}

Recorded& Trace::quantize_mx(const View& dst, const View& src, const View& scale) {
  Recorded entry = quantize_mx_entry({dst, scale}, src, limits_);
  check_entry(entry, limits_);
  return append(std::move(entry));
}

Recorded& Trace::transfer(TransferWork work, std::optional<isa::Queue> engine) {
  Recorded entry;
  entry.instruction.op = work.kind == Transfer::kTranspose ? isa::Opcode::kDmaTranspose
                         : work.kind == Transfer::kFold    ? isa::Opcode::kDmaCompute
                                                           : isa::Opcode::kDmaCopy;
  entry.engine = engine;
  entry.transfer = std::make_shared<const TransferWork>(std::move(work));
  return append(std::move(entry));
}

Recorded& Trace::registers_work(RegisterWork work) {
  Recorded entry;
  entry.registers = std::make_shared<const RegisterWork>(std::move(work));
  return append(std::move(entry));
}

Recorded& Trace::exchange(ExchangeWork work) {
  Recorded entry;
  entry.exchange = std::make_shared<const ExchangeWork>(std::move(work));
  entry.engine = isa::Queue::kGpSimd;
  return append(std::move(entry));
}

Recorded& Trace::barrier(unsigned pipe, std::optional<isa::Queue> engine) {
  Recorded entry;
  entry.instruction.op = isa::Opcode::kCoreBarrier;
  entry.instruction.pipe = static_cast<std::uint8_t>(pipe);
  entry.engine = engine.value_or(isa::Queue::kGpSimd);
  entry.barrier = true;
  check_entry(entry, limits_);
  return append(std::move(entry));
}

}  // namespace tahoma::runtime::nki
