// SPDX-License-Identifier: Apache-2.0
// Checks that the program's core, and the machine's, has each instruction and operand. Sources: the pages of
// nki.isa and the architecture guides of Trainium1, 2 and 3. Where they disagree: DMA transposes are listed
// from NeuronCore-v2 on, but only v3 has them in hardware, which is what dma_transpose models.
//
// Not checked: row tiles of 32 rows, which NeuronCore-v2 lacks; there a matmul of up to 64 rows occupies 64.
#include "isa/validate/validate_rules.h"

namespace tahoma::isa {
namespace {

// `what` is a function, because nearly every instruction needs no text.
template <class What>
void need(const Site& site, CoreVersion since, What&& what) {
  const bool old_program = site.program.core && *site.program.core < since;
  if (!old_program && site.limits.core >= since) return;
  const CoreVersion has = old_program ? *site.program.core : site.limits.core;
  site.fail("E-ISA-002", what() + " needs " + full_name_of(since) + "; the " +
                             (old_program ? "program is for " : "machine has ") + full_name_of(has));
}

void need_dtype(const Site& site, std::string_view operand, DType dtype) {
  if (dtype == DType::kFp8E4M3Fn)
    need(site, CoreVersion::kV4, [&] { return quoted(operand) + " of " + std::string(name_of(dtype)); });
}

void check_dtypes(const Site& site) {
  const Instruction& i = site.instruction;
  for (const Field& field : site.row.fields) {
    const Slot& slot = traits_of(field.kind).slot;
    if (const auto* tile = std::get_if<Member<Tile>>(&slot)) need_dtype(site, field.name, (i.**tile).dtype);
    if (const auto* column = std::get_if<Member<Column>>(&slot))
      need_dtype(site, field.name, (i.**column).dtype);
  }
  if (find_field(site.row, FieldKind::kDescriptor) == nullptr ||
      i.descriptor >= site.program.descriptors.size())
    return;
  const Descriptor& d = site.program.descriptors[i.descriptor];
  need_dtype(site, "dst", d.dst.dtype);
  need_dtype(site, "src", d.src.dtype);
}

}  // namespace

void check_available(const Site& site) {
  need(site, site.row.since, [&] { return std::string(site.row.mnemonic); });
}

void check_operand_versions(const Site& site) {
  const Instruction& i = site.instruction;
  check_dtypes(site);
  if (find_field(site.row, FieldKind::kMatrixDst) != nullptr && i.dst.dtype == DType::kBf16)
    need(site, CoreVersion::kV4, [] { return std::string("a sum in bf16"); });
  if (find_field(site.row, FieldKind::kMode) != nullptr && row_of(i.mode).slices > 1)
    need(site, CoreVersion::kV3, [&] { return "mode " + std::string(name_of(i.mode)); });
  for (const Field& field : site.row.fields)
    if (const auto* op = std::get_if<Member<AluOp>>(&traits_of(field.kind).slot);
        op != nullptr && (i.**op == AluOp::kAbsMax || i.**op == AluOp::kAbsMin))
      need(site, CoreVersion::kV4, [&] { return quoted(field.name) + " " + std::string(name_of(i.**op)); });
  if (i.dge != Dge::kNone)
    need(site, CoreVersion::kV3,
         [&] { return "generation of descriptors (dge " + std::string(shown(i.dge)) + ")"; });
  if (i.service != 0)
    need(site, CoreVersion::kV4, [&] { return "class of service " + std::to_string(i.service); });
  if (site.queue == Queue::kScalar && i.op == Opcode::kTensorCopy)
    need(site, CoreVersion::kV3, [] { return std::string("tensor_copy on queue scalar"); });
}

}  // namespace tahoma::isa
