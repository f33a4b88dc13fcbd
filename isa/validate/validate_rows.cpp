// SPDX-License-Identifier: Apache-2.0
// Checks the requirements of a row on the shape and between its operands.
#include <algorithm>
#include <cmath>

#include "isa/simd/alu.h"
#include "isa/table/table_rows.h"
#include "isa/validate/validate_rules.h"

namespace tahoma::isa {
namespace {

void check_shape_rule(const Site& site) {
  ShapeRule rule = site.row.shape;
  if (has_rule(site.row, Rule::kRowsOfArray))
    rule.most_elements = std::max(rule.most_elements, std::uint32_t{site.limits.array_rows});
  const Shape& shape = site.instruction.shape;
  const std::uint64_t n = free_elements(shape);
  const auto fail = [&](const std::string& what, std::uint64_t value, const std::string& expected) {
    site.fail("E-ISA-037", what + " of the shape: " + std::to_string(value) + "; expected " + expected);
  };
  if (shape.partitions > rule.most_partitions)
    fail("partitions", shape.partitions, "at most " + std::to_string(rule.most_partitions));
  if (shape.partitions % rule.partition_multiple != 0)
    fail("partitions", shape.partitions, "a multiple of " + std::to_string(rule.partition_multiple));
  if (n < rule.least_elements || n > rule.most_elements)
    fail("free elements", n, std::to_string(rule.least_elements) + ".." + std::to_string(rule.most_elements));
  if (n % rule.element_multiple != 0)
    fail("free elements", n, "a multiple of " + std::to_string(rule.element_multiple));
}

void check_pairs(const Site& site) {
  const Instruction& i = site.instruction;
  if (has_rule(site.row, Rule::kSameDType) && i.dst.dtype != i.src0.dtype)
    site.fail("E-ISA-038", "dst is " + std::string(shown(i.dst.dtype)) + " and src " +
                               std::string(shown(i.src0.dtype)) + "; expected one dtype");
  if (has_rule(site.row, Rule::kOnePsumSource) && i.src0.space == Space::kPsum &&
      i.src1.space == Space::kPsum)
    site.fail("E-ISA-038", "both sources are in psum; expected at least one in sbuf");
}

// Bit operations take only integers and are not mixed with arithmetic.
void check_bitwise(const Site& site) {
  const Instruction& i = site.instruction;
  bool bitwise = false, arithmetic = false;
  for (const Field& field : site.row.fields) {
    const auto* slot = std::get_if<Member<AluOp>>(&traits_of(field.kind).slot);
    if (slot == nullptr || i.**slot == AluOp::kBypass) continue;
    (is_bitwise(i.**slot) ? bitwise : arithmetic) = true;
  }
  if (!bitwise) return;
  if (arithmetic) site.fail("E-ISA-041", "mixes bit operations with arithmetic; expected one kind");
  for (const Field& field : site.row.fields) {
    const auto* slot = std::get_if<Member<Tile>>(&traits_of(field.kind).slot);
    if (slot == nullptr) continue;
    const DType dtype = (i.**slot).dtype;
    if (is_float(dtype))
      site.fail("E-ISA-041", "bit operations on " + quoted(field.name) + " of " +
                                 std::string(name_of(dtype)) + "; expected an integer dtype");
  }
}

// The scalar engine multiplies, adds, or multiplies and then adds (AWS NKI, tensor_scalar).
void check_scalar_engine(const Site& site) {
  const Instruction& i = site.instruction;
  if (site.queue != Queue::kScalar || i.op != Opcode::kTensorScalar || i.op1 == AluOp::kBypass) return;
  if (i.op0 != AluOp::kMult || i.op1 != AluOp::kAdd)
    site.fail("E-ISA-006", "is " + std::string(shown(i.op0)) + " then " + std::string(shown(i.op1)) +
                               ", which queue scalar does not have; expected mult, add, or mult then add");
}

void check_transposed_dtype(const Site& site) {
  const Instruction& i = site.instruction;
  if (i.op != Opcode::kTranspose) return;
  // Kernels of nki-library write 8-bit transposes with a step of two elements.
  const bool narrow = is_enumerator(i.dst.dtype) && size_of(i.dst.dtype) == 1;
  if (narrow && i.dst.stride.back() != 2)
    site.fail("E-ISA-020",
              "a transpose writes " + std::string(shown(i.dst.dtype)) + " with a step of " +
                  std::to_string(i.dst.stride.back()) +
                  "; expected a step of 2 elements or 16 or 32 bits: the tensor engine writes no "
                  "single bytes to psum");
}

void check_number(const Site& site, std::string_view name, std::uint64_t value, std::uint64_t least,
                  std::uint64_t most) {
  if (value < least || value > most)
    site.fail("E-ISA-040", quoted(name) + " is " + std::to_string(value) + "; expected " +
                               std::to_string(least) + ".." + std::to_string(most));
}

void check_gathers(const Site& site) {
  const Instruction& i = site.instruction;
  const std::uint64_t n = free_elements(i.shape);
  if (i.op == Opcode::kNGather) check_number(site, "extent", i.extent, 1, 65535);
  if (i.op == Opcode::kGatherColumns || i.op == Opcode::kScatterColumns) {
    check_number(site, "extent", i.extent, 1, 65535);
    check_number(site, "groups", i.per_index, 1, 2);
    check_number(site, "valid", i.valid, 1,
                 std::min<std::uint64_t>(std::uint64_t{kGpSimdPartitions} * i.per_index * n, 65535));
    if (i.shape.partitions % (kGpSimdPartitions * i.per_index) != 0)
      site.fail("E-ISA-040", std::to_string(i.shape.partitions) + " partitions with lists of " +
                                 std::to_string(kGpSimdPartitions * i.per_index) + "; expected a multiple");
  }
  if (i.op == Opcode::kLocalGather) {
    const bool power = i.per_index != 0 && (i.per_index & (i.per_index - 1)) == 0;
    if (!power || i.per_index > 32)
      site.fail("E-ISA-040",
                "operand 'per_index' is " + std::to_string(i.per_index) + "; expected 1, 2, 4, 8, 16 or 32");
    check_number(site, "extent", i.extent, i.per_index, 65535);
    check_number(site, "valid", i.valid, 1,
                 std::min<std::uint64_t>(kGpSimdPartitions * n, 65535 / i.per_index));
  }
  if (i.op == Opcode::kTopk) {
    check_number(site, "n", i.extent, 8, std::min<std::uint64_t>(kGpSimdPartitions * n, 65535));
    check_number(site, "k", i.valid, 1, std::min<std::uint64_t>(i.extent, 32767));
  }
}

void check_numbers(const Site& site) {
  const Instruction& i = site.instruction;
  if (find_field(site.row, FieldKind::kAxes) != nullptr && (i.axes == 0 || i.axes > kFreeDims))
    site.fail("E-ISA-021",
              "axes is " + std::to_string(i.axes) + "; expected 1.." + std::to_string(kFreeDims));
  if (i.op == Opcode::kTensorCopyDynamic && i.dst_reg == kNone && i.src_reg == kNone)
    site.fail("E-ISA-035", "has no register; expected src_reg, dst_reg or both");
  const bool loads = i.command == ReduceCommand::kLoadReduce;
  if (find_field(site.row, FieldKind::kReduceOp1) != nullptr && !loads &&
      !is_default(traits_of(FieldKind::kScalar1), i))
    site.fail("E-ISA-035", "operand 'init' has no meaning with command " + std::string(name_of(i.command)) +
                               "; expected load_reduce, or none");
  if (find_field(site.row, FieldKind::kMask) == nullptr) return;
  for (const std::uint8_t from : i.mask)
    if (from >= kQuadrant && from != kKeep)
      site.fail("E-ISA-040", "operand 'mask' takes partition " + std::to_string(from) +
                                 " of 32; expected 0..31, or 255 to keep");
}

// Checks the scalars that an ALU operation needs, and those that it must not have.
void check_operations(const Site& site) {
  const Instruction& i = site.instruction;
  for (const Field& field : site.row.fields) {
    const FieldTraits& traits = traits_of(field.kind);
    if (presence_of(site.row, field, i) == Presence::kForbidden && !is_default(traits, i))
      site.fail("E-ISA-042", quoted(field.name) + " belongs to an operation of one operand; expected none");
    const auto* slot = std::get_if<Member<Scalar>>(&traits.slot);
    if (slot == nullptr || presence_of(site.row, field, i) != Presence::kNeeded || (i.**slot).is_tile)
      continue;
    const AluOp op = field.kind == FieldKind::kScalar0 ? i.op0 : i.op1;
    const float value = (i.**slot).imm;
    const bool integer = value >= -0x1p31F && value < 0x1p32F && value == std::trunc(value);
    if (is_bitwise(op) && !integer)
      site.fail("E-ISA-043", quoted(field.name) + " of " + std::string(name_of(op)) + " is " +
                                 std::to_string(value) + "; expected an integer of 32 bits");
  }
}

void check_swap(const Site& site) {
  const Instruction& i = site.instruction;
  if (i.op != Opcode::kSendRecv || !i.gpsimd_dma) return;
  if (site.queue != Queue::kGpSimd)
    site.fail("E-ISA-003", "queue " + std::string(name_of(site.queue)) +
                               " has no DMA of its own; expected gpsimd, or no gpsimd_dma");
  const std::uint64_t size = size_of(i.src0.dtype), most = 256 * size, bytes = free_elements(i.shape) * size;
  if (bytes > most)
    site.fail("E-ISA-037", "swaps " + std::to_string(bytes) +
                               " bytes a partition; GpSimd's own DMA takes at most " + std::to_string(most) +
                               " for " + std::string(name_of(i.src0.dtype)));
}

}  // namespace

void check_row_rules(const Site& site) {
  if (find_field(site.row, FieldKind::kShape) != nullptr) check_shape_rule(site);
  check_pairs(site);
  check_bitwise(site);
  check_scalar_engine(site);
  check_transposed_dtype(site);
  check_numbers(site);
  check_operations(site);
  check_gathers(site);
  check_swap(site);
}

}  // namespace tahoma::isa
