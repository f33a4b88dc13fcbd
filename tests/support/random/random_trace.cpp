// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random/random_trace.h"

#include <deque>

#include "model/base/error.h"

namespace tahoma::tests {

using namespace runtime::nki;  // nearly every name of this generator is from there

namespace {

constexpr std::uint32_t kPsumBytes = 1024, kBankBytes = 256;
constexpr std::int64_t kMiddle = 4;  // rows of the middle dimension of tensors whose parts have several gaps

}  // namespace

TraceGenerator::Tensor TraceGenerator::declare(Trace& trace, Buffer buffer) {
  Storage storage;
  storage.buffer = buffer;
  storage.element = element_by_name("float32");
  const std::int64_t most = buffer == Buffer::kPsum ? kBankBytes / 4 : rules_.most_columns;
  const auto columns = static_cast<std::int64_t>(4 + below(static_cast<std::uint64_t>(most - 3)));
  storage.shape = {32 << below(3), columns};
  if (!rules_.boxes) storage.shape = {32 << below(3), kMiddle, (columns + kMiddle - 1) / kMiddle};
  if (buffer == Buffer::kSbuf && chance(rules_.placed)) {
    const auto room = (rules_.usable - storage.row_bytes()) / 4;
    storage.place = Place{0, static_cast<std::uint32_t>(4 * below(static_cast<std::uint64_t>(room) + 1))};
  }
  return {trace.declare(std::move(storage)), rules_.boxes && buffer != Buffer::kPrivateHbm && chance(30)};
}

View TraceGenerator::part(const Tensor& tensor, std::int64_t rows, std::int64_t columns) {
  View view = whole(tensor.storage);
  if (rules_.whole) return view;
  const auto start = [&](std::int64_t count, std::int64_t of) {
    if (count > of) refuse("E-NKI-002", "the tensor is too small");
    return static_cast<std::int64_t>(below(static_cast<std::uint64_t>(of - count + 1)));
  };
  const std::int64_t partitions = view.dims[0].count;
  const std::int64_t row = view.on_chip() ? start(1, partitions / 32) * 32 : start(rows, partitions);
  view = slice(view, 0, row, row + rows, 1);
  if (!rules_.boxes) {
    const std::int64_t middle = start(2, kMiddle), step = 1 + start(1, kMiddle - middle - 1);
    view = slice(view, 1, middle, middle + step + 1, step);
    const std::int64_t column = start(columns, view.dims[2].count);
    return slice(view, 2, column, column + columns, 1);
  }
  const std::int64_t step = tensor.stepped ? 2 : 1, reach = step * (columns - 1) + 1;
  const std::int64_t column = start(reach, view.dims[1].count);
  return slice(view, 1, column, column + reach, step);
}

void TraceGenerator::compute(Trace& trace) {
  const auto rows = static_cast<std::int64_t>(1 + below(32)),
             columns = static_cast<std::int64_t>(2 + below(6));
  isa::Instruction fields;
  std::deque<View> views;
  std::vector<Trace::Given> given;
  const auto give = [&](isa::FieldKind field) {
    given.push_back({field, views.emplace_back(part(on_chip(), rows, columns))});
  };
  give(isa::FieldKind::kDst);
  switch (below(3)) {
    case 0:
      fields.op = isa::Opcode::kMemset;
      break;
    case 1:
      fields.op = isa::Opcode::kTensorCopy;
      give(isa::FieldKind::kSrc0);
      break;
    default:
      fields.op = isa::Opcode::kTensorTensor;
      fields.op0 = isa::AluOp::kAdd;
      give(isa::FieldKind::kSrc0);
      give(isa::FieldKind::kSrc1);
  }
  trace.compute(fields, given, std::nullopt);
}

void TraceGenerator::matmul(Trace& trace) {
  const auto columns = static_cast<std::int64_t>(2 + below(6)),
             outputs = static_cast<std::int64_t>(2 + below(3));
  const View stationary = part(pick(sbuf_), 32, outputs), moving = part(pick(sbuf_), 32, columns);
  const std::int64_t made = stationary.elements() / 32;
  trace.matmul(part(pick(psum_), made, columns), stationary, moving, isa::MatmulMode::kDense, std::nullopt,
               false);
}

void TraceGenerator::transfer(Trace& trace) {
  const auto rows = static_cast<std::int64_t>(1 + below(32)),
             columns = static_cast<std::int64_t>(2 + below(6));
  const Tensor& chip = pick(sbuf_);
  if (chip.stepped) return;
  View in_sbuf = part(chip, rows, columns), in_hbm = part(pick(hbm_), rows, columns);
  if (in_sbuf.shape() != in_hbm.shape()) return;
  if (chance(30)) std::swap(in_sbuf, in_hbm);
  TransferWork work;
  work.kind = Transfer::kCopy;
  work.dst = trace.side_of(in_sbuf);
  work.sources = {trace.side_of(in_hbm)};
  trace.transfer(std::move(work), std::nullopt);
}

void TraceGenerator::renew(Trace& trace) {
  if (!chance(rules_.renewed)) return;
  const bool in_sbuf = chance(60);
  Tensors& tensors = in_sbuf ? sbuf_ : psum_;
  tensors[below(tensors.size())] = declare(trace, in_sbuf ? Buffer::kSbuf : Buffer::kPsum);
}

void TraceGenerator::step(Trace& trace) {
  const std::size_t entry = trace.entries.size();
  const std::uint64_t kind = below(10);
  if (kind < 5)
    compute(trace);
  else if (kind < 7 && rules_.matmuls)
    matmul(trace);
  else
    transfer(trace);
  if (rules_.after && entry > 0 && trace.entries.size() > entry && chance(20))
    trace.entries.back().after = {static_cast<std::uint32_t>(below(entry))};
}

Trace TraceGenerator::trace() {
  isa::Limits limits;
  limits.psum_bytes = kPsumBytes;
  limits.psum_bank_bytes = kBankBytes;
  Trace trace(limits, rules_.usable, "random");
  for (unsigned n = 0; n < rules_.tensors; ++n) {
    sbuf_.push_back(declare(trace, Buffer::kSbuf));
    psum_.push_back(declare(trace, Buffer::kPsum));
    hbm_.push_back(declare(trace, Buffer::kPrivateHbm));
  }
  while (trace.entries.size() < rules_.entries) {
    const std::size_t before = trace.entries.size();
    trace.at_line = static_cast<std::uint32_t>(trace.lines.size());
    renew(trace);
    try {
      if (rules_.fences && chance(5))
        trace.barrier(0, std::nullopt);
      else
        step(trace);
    } catch (const base::UserError&) {  // parts that do not fit together: another try
    }
    if (trace.entries.size() > before)
      trace.lines.push_back(
          {"random.py", static_cast<std::uint32_t>(trace.entries.size()), "kernel", isa::kNoLine});
  }
  return trace;
}

}  // namespace tahoma::tests
