// SPDX-License-Identifier: Apache-2.0
#include "isa/table/table.h"

#include <algorithm>
#include <array>

#include "isa/table/table_control.h"
#include "isa/table/table_fields.h"
#include "isa/table/table_gpsimd.h"
#include "isa/table/table_later.h"
#include "isa/table/table_search.h"
#include "isa/table/table_tensor.h"
#include "isa/table/table_vector.h"

namespace tahoma::isa {
namespace {

template <std::size_t... counts>
constexpr auto join(const OpRow (&... groups)[counts]) {
  std::array<OpRow, (counts + ...)> all{};
  std::size_t at = 0;
  ((std::copy(std::begin(groups), std::end(groups), all.begin() + at), at += counts), ...);
  return all;
}

// The rows follow the order of Opcode.
constexpr auto kRows = join(rows::kNopRow, rows::kTensorRows, rows::kElementRows, rows::kSearchRows,
                            rows::kGpSimdRows, rows::kMovementRows, rows::kControlRows, rows::kLaterRows);

// The rows follow the order of Queue. GpSimd has no path to PSUM; only the vector engine has bit operations,
// and only GpSimd has powers (AWS NKI, list of operators).
constexpr QueueRow kQueueRows[] = {
    {Queue::kTensor, kOnChip, 0, "tensor engine: the systolic array, SBUF to PSUM"},
    {Queue::kVector, kOnChip, kAnyAlu & ~bits<AluOps>(AluOp::kPower),
     "vector engine: element-wise, reductions and searches; no power"},
    {Queue::kScalar, kOnChip, bits<AluOps>(AluOp::kMult, AluOp::kAdd, AluOp::kBypass),
     "scalar engine: activation functions; ALU operations mult and add only"},
    {Queue::kGpSimd, kSbufOnly, kArithmetic | kUnary | kBypassOp,
     "GpSimd engine: patterns, gathers and the rest; no access to PSUM, bit operations only across "
     "partitions"},
    {Queue::kSync, kSbufOnly, 0, "sync engine: doorbells, semaphores and control flow"},
    {Queue::kCc0, kSbufOnly, 0, "first collective core: doorbells, semaphores and control flow"},
    {Queue::kCc1, kSbufOnly, 0, "second collective core: doorbells, semaphores and control flow"},
};

template <class Rows, class Key>
constexpr bool in_order(const Rows& rows, Key key) {
  for (std::size_t i = 0; i < std::size(rows); ++i)
    if (static_cast<std::size_t>(rows[i].*key) != i) return false;
  return true;
}
static_assert(in_order(kRows, &OpRow::op) && kRows.size() == kOpcodeCount, "every opcode has one row");
static_assert(in_order(kQueueRows, &QueueRow::queue) && std::size(kQueueRows) == kQueueCount,
              "every queue has one row");
static_assert(in_order(rows::kModes, &ModeRow::mode) &&
                  std::size(rows::kModes) == kEnumeratorCount<MatmulMode>,
              "every mode has one row");
static_assert(std::all_of(kRows.begin(), kRows.end(),
                          [](const OpRow& r) { return word_bits(r) <= kWordBits; }),
              "every row fits the 64-byte word");

}  // namespace

const OpRow& row_of(Opcode op) { return kRows[static_cast<std::size_t>(op)]; }
std::span<const OpRow> all_rows() { return kRows; }
const QueueRow& row_of(Queue queue) { return kQueueRows[static_cast<std::size_t>(queue)]; }
MatmulMode mode_of(const Instruction& i) {
  return i.op == Opcode::kLoadWeightsMx || i.op == Opcode::kMatmulMx ? MatmulMode::kMx : i.mode;
}

DType array_dtype(const Instruction& i, DType operand) {
  return mode_of(i) == MatmulMode::kMx && operand == kMxFp4 ? DType::kFp8E5M2 : operand;
}

bool loads_weights(const Instruction& i) {
  return i.op == Opcode::kLoadWeights || i.op == Opcode::kLoadWeightsMx;
}

bool multiplies(const Instruction& i) { return i.op == Opcode::kMatmul || i.op == Opcode::kMatmulMx; }

unsigned weights_per_cell(MatmulMode mode) {
  const ModeRow& row = row_of(mode);
  return row.kept == 0 ? row.slices : 1;
}

const ModeRow& row_of(MatmulMode mode) { return rows::kModes[static_cast<std::size_t>(mode)]; }

const OpRow* row_by_mnemonic(std::string_view mnemonic) {
  const auto* row =
      std::find_if(kRows.begin(), kRows.end(), [&](const OpRow& r) { return r.mnemonic == mnemonic; });
  return row == kRows.end() ? nullptr : row;
}

std::string_view name_of(CostClass cost) {
  constexpr std::string_view kNames[] = {"none",
                                         "weight_load",
                                         "matmul",
                                         "elementwise",
                                         "dynamic_copy",
                                         "two_input",
                                         "scalar_tensor_tensor",
                                         "scan",
                                         "reduce",
                                         "scalar_reduce",
                                         "streaming",
                                         "aggregate",
                                         "activation",
                                         "activation_reduce",
                                         "exponential",
                                         "quantise",
                                         "random",
                                         "reciprocal",
                                         "memset",
                                         "gpsimd_pattern",
                                         "partition_reduce",
                                         "local_gather",
                                         "indirect_copy",
                                         "topk",
                                         "doorbell",
                                         "rendezvous",
                                         "semaphore",
                                         "register",
                                         "register_memory",
                                         "branch"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(CostClass::kCount));
  return cost < CostClass::kCount ? kNames[static_cast<std::size_t>(cost)] : "?";
}

}  // namespace tahoma::isa
