// SPDX-License-Identifier: Apache-2.0
// The limits of an instruction, as sentences.
#include <algorithm>

#include "isa/table/table_fields.h"
#include "isa/table/table_rows.h"
#include "isa/text/reference_text.h"
#include "isa/validate/validate.h"

namespace tahoma::isa {
namespace {

// Returns ", a multiple of 3", or "" for a multiple of 1.
std::string multiple(std::uint64_t of) { return of == 1 ? "" : ", a multiple of " + std::to_string(of); }

void add_choice_limits(const OpRow& row, std::vector<std::string>& lines) {
  const bool bits = std::any_of(row.fields.begin(), row.fields.end(), [](const Field& field) {
    return traits_of(field.kind).type == ValueType::kAluOp && (field.choices & kBitwise) != 0;
  });
  if (bits && find_field(row, FieldKind::kDst) != nullptr)
    lines.push_back(
        "bit operations on integer dtypes only, with integer constants, and not beside arithmetic");
  const Field* scalar = find_field(row, FieldKind::kScalar0);
  if (scalar != nullptr && scalar->optional && find_field(row, FieldKind::kOp0) != nullptr)
    lines.push_back("a scalar for each operation of two operands, and none for one of a single operand");
  if (find_field(row, FieldKind::kTags) != nullptr)
    lines.push_back("tags in sparse modes only; rows a multiple of the weights kept of a group");
  if (find_field(row, FieldKind::kMode) != nullptr)
    lines.push_back(
        "at most three free dimensions; in double_row and sparse modes the outermost has the slices");
}

// Adds limits on combinations of operands that isa/validate/validate_rows.cpp and
// isa/validate/validate_transfers.cpp apply by opcode.
void add_own_limits(Opcode op, std::vector<std::string>& lines) {
  struct Own {
    Opcode op;
    std::string_view text;
  };
  static constexpr std::string_view kQuads =
      "shape P x 4 x 1 x columns or with two dimensions of columns; the four elements of a quad adjacent, or "
      "one of uint16 for MXFP4; scales start at the partition of src, or a multiple of 4 behind it in the "
      "same "
      "32";
  static constexpr std::string_view kLists =
      "extent 1..65535; groups 1 or 2; valid at most 16 groups times the elements of the list; partitions a "
      "multiple of 16 groups";
  static constexpr Own kOwn[] = {
      {Opcode::kTensorCopyDynamic, "at least one register"},
      {Opcode::kTensorScalar, "on the scalar engine mult, add, or mult then add"},
      {Opcode::kTensorScalarReduce, "init with command load_reduce only"},
      {Opcode::kTensorScalarCumulative, "init with command load_reduce only"},
      {Opcode::kNGather, "extent 1..65535"},
      {Opcode::kLocalGather, "at most 4096 indices for each group of 16 partitions; extent per_index..65535"},
      {Opcode::kGatherColumns, kLists},
      {Opcode::kScatterColumns, kLists},
      {Opcode::kTopk, "n 8..65535 and at most the elements of 16 partitions; k 1..32767 and at most n"},
      {Opcode::kSendRecv,
       "through GpSimd's own DMA from queue gpsimd only, at most 1024, 512 or 256 bytes per partition of "
       "32-, 16- or 8-bit types"},
      {Opcode::kDmaCopy,
       "indirect: rows and bound given, one side rows of HBM, the other a tile of SBUF along dimension 0; "
       "bound also "
       "with one register, and with skip then the same sides"},
      {Opcode::kDmaCompute, "no source accumulates"},
      {Opcode::kLoadWeightsMx, kQuads},
      {Opcode::kMatmulMx, kQuads},
      {Opcode::kQuantizeMx, kQuads},
      {Opcode::kDmaTranspose,
       "one dtype of 2 or 4 bytes, into sbuf; outermost count a multiple of 16, innermost "
       "at most 128 and contiguous in the source"},
  };
  for (const Own& own : kOwn)
    if (own.op == op) lines.emplace_back(own.text);
}

}  // namespace

// Returns the limits that the roles of an instruction's operands impose, with the numbers of Trainium2.
std::vector<std::string> limits_of(const OpRow& row) {
  const Limits limits;
  const auto has = [&](FieldKind kind) { return find_field(row, kind) != nullptr; };
  const auto n = [](auto number) { return std::to_string(number); };
  std::vector<std::string> lines;
  if (has(FieldKind::kShape)) {
    lines.push_back("at most " + n(limits.partitions) + " partitions and " + n(kMostFreeElements) +
                    " free elements");
    lines.push_back("more than " + n(limits.partitions / 2) + " partitions start at 0, more than " +
                    n(limits.partitions / 4) + " at a multiple of " + n(limits.partitions / 2) +
                    ", others at a multiple of " + n(limits.partitions / 4));
  }
  if (has(FieldKind::kShape))
    lines.push_back("the last " + n(limits.sbuf_reserved) +
                    " bytes of a partition of sbuf are the runtime's");
  const bool psum = std::any_of(row.fields.begin(), row.fields.end(), [](const Field& field) {
    return traits_of(field.kind).type == ValueType::kTile && (field.spaces & kPsumOnly) != 0;
  });
  if (psum) lines.push_back("at most " + n(limits.psum_bytes / sizeof(float)) + " free elements in psum");
  const ShapeRule& shape = row.shape;
  if (shape.most_partitions < limits.partitions || shape.partition_multiple > 1)
    lines.push_back("at most " + n(shape.most_partitions) + " partitions" +
                    multiple(shape.partition_multiple));
  if (shape.least_elements > 1 || shape.most_elements < kMostFreeElements || shape.element_multiple > 1)
    lines.push_back(n(shape.least_elements) + ".." + n(shape.most_elements) + " free elements" +
                    multiple(shape.element_multiple));
  if (has_rule(row, Rule::kSameDType)) lines.push_back("dst and src have one dtype");
  if (has_rule(row, Rule::kWholeQuadrants))
    lines.push_back("partitions count and start as whole groups of " + n(kQuadrant) + " do");
  if (has_rule(row, Rule::kOnePsumSource)) lines.push_back("the two sources are not both in psum");
  if (has(FieldKind::kStationary))
    lines.push_back("at most " + n(limits.array_rows) + " rows and " + n(limits.array_columns) + " columns");
  if (has(FieldKind::kMoving))
    lines.push_back("rows and columns as the loaded weights; at most " + n(limits.moving_columns) +
                    " moving columns");
  if (has(FieldKind::kMatrixDst) || has(FieldKind::kTransposeDst))
    lines.push_back("dst inside one PSUM bank of " + n(limits.psum_bank_bytes) + " bytes a partition");
  if (has(FieldKind::kMatrixDst))
    lines.emplace_back(
        "NeuronCore-v4: dst also bf16, and in any banks; columns up to "
        "machine.chip.core.tensor.moving_columns, twice "
        "as many into bf16; of MX operands those of one bank");
  if (has(FieldKind::kDge))
    lines.emplace_back("dge=hw from queues sync and scalar, without row numbers; dge=sw from queue gpsimd");
  add_choice_limits(row, lines);
  add_own_limits(row.op, lines);
  if (row.needs_wait) lines.push_back("a wait is needed");
  if (row.needs_update) lines.push_back("an update is needed");
  return lines;
}

}  // namespace tahoma::isa
