// SPDX-License-Identifier: Apache-2.0
// What an instruction refers to by number, and slots that are not its own.
#include <bit>

#include "isa/validate_rules.h"

namespace tahoma::isa {
namespace {

// A slot that a row does not use would be lost in the word and in the text.
template <class T>
void clear(Instruction& i, Member<T> slot) {
  static const Instruction kDefault;
  i.*slot = kDefault.*slot;
}

void check_scalar(const Site& site, const Field& field, const Scalar& s) {
  const bool clean = s.is_tile ? std::bit_cast<std::uint32_t>(s.imm) == 0
                               : s.space == Space::kSbuf && s.partition == 0 && s.offset == 0;
  if (!clean)
    site.fail("E-ISA-004", "operand '" + std::string(field.name) +
                               "' is both a constant and a column; expected the unused half to be zero");
}

void check_register(const Site& site, const Field& field, std::uint8_t number) {
  if (number < kRegisters || (number == kNone && field.optional)) return;
  site.fail("E-ISA-022", "operand '" + std::string(field.name) + "' is register " + std::to_string(number) +
                             "; expected r0..r" + std::to_string(kRegisters - 1));
}

void check_argument(const Site& site, const Field& field, std::uint8_t number) {
  if (number == kNone && field.optional) return;
  if (number >= site.program.args.size())
    site.fail("E-ISA-024", "operand '" + std::string(field.name) + "' is argument " + std::to_string(number) +
                               "; the program has " + std::to_string(site.program.args.size()));
  if (site.instruction.update.kind == Update::Kind::kNone)
    site.fail("E-ISA-033", "notifies a core but updates no semaphore; expected an update");
}

// Rows that a column names: dimension 0 of the side in HBM; the other side is a tile with a partition a row.
void check_indirect(const Site& site, const Descriptor& d) {
  const Instruction& i = site.instruction;
  if ((i.indirect != Indirection::kNone) != i.result.present)
    site.fail("E-ISA-035", "an indirect transfer has row numbers, a direct one has none; expected both or "
                           "neither of indirect and rows");
  if (i.indirect == Indirection::kNone) {
    if (i.extent != 0 || i.skip) site.fail("E-ISA-040", "bounds rows but names none; expected indirect");
    return;
  }
  const DmaSide& rows = i.indirect == Indirection::kGather ? d.src : d.dst;
  const DmaSide& tile = i.indirect == Indirection::kGather ? d.dst : d.src;
  if (rows.space != Space::kHbm || tile.space != Space::kSbuf || tile.across != 0)
    site.fail("E-ISA-031", "gathers rows of HBM into SBUF or scatters them back; expected these sides");
  if (i.extent == 0) site.fail("E-ISA-040", "operand 'bound' is 0; expected the number of rows there are");
  if (d.count[0] + std::uint64_t{i.result.partition} > site.limits.partitions ||
      i.result.offset + size_of(i.result.dtype) > site.limits.sbuf_bytes)
    site.fail("E-ISA-010", "operand 'rows' lies outside SBUF");
}

void check_transposing(const Site& site, const Descriptor& d) {
  if (site.instruction.op != Opcode::kDmaTranspose) return;
  const std::size_t size = is_enumerator(d.src.dtype) ? size_of(d.src.dtype) : 0;
  if (d.src.dtype != d.dst.dtype || (size != 2 && size != 4) || d.accumulate)
    site.fail("E-ISA-032", "turns " + std::string(shown(d.src.dtype)) + " into " +
                               std::string(shown(d.dst.dtype)) + "; expected one dtype of 2 or 4 bytes");
  if (d.count[0] % 16 != 0 || d.count[kFreeDims - 1] > 128 || d.dst.space != Space::kSbuf)
    site.fail("E-ISA-037", "turns a tile of " + std::to_string(d.count[0]) + " x ... x " +
                               std::to_string(d.count[kFreeDims - 1]) +
                               "; expected a multiple of 16 x ... x at most 128, into SBUF");
}

void check_transfer(const Site& site) {
  const Instruction& i = site.instruction;
  if (i.descriptor >= site.program.descriptors.size())
    site.fail("E-ISA-025", "descriptor " + std::to_string(i.descriptor) +
                               " does not exist; the program has " +
                               std::to_string(site.program.descriptors.size()));
  if (i.sources == 0 || i.sources > kMostSources ||
      i.descriptor + std::uint64_t{i.sources} > site.program.descriptors.size())
    site.fail("E-ISA-025", "adds " + std::to_string(i.sources) + " sources from descriptor " +
                               std::to_string(i.descriptor) + " on; expected 1..16 that exist");
  const Descriptor& d = site.program.descriptors[i.descriptor];
  for (std::size_t s = 1; s < i.sources; ++s) {
    const Descriptor& other = site.program.descriptors[i.descriptor + s];
    if (other.dst != d.dst || other.count != d.count || other.accumulate || d.accumulate)
      site.fail("E-ISA-025", "source " + std::to_string(s) +
                                 " has another destination or shape than source 0, or accumulates; expected one "
                                 "destination, written once");
  }
  check_indirect(site, d);
  check_transposing(site, d);
  if ((i.dst_reg != kNone && d.dst.space != Space::kHbm) ||
      (i.src_reg != kNone && d.src.space != Space::kHbm))
    site.fail("E-ISA-031", "adds a register to the address of a side on chip; expected an HBM side");
}

void check_reference(const Site& site, const Field& field) {
  const Instruction& i = site.instruction;
  const FieldTraits& traits = traits_of(field.kind);
  const auto byte = [&] { return i.*std::get<Member<std::uint8_t>>(traits.slot); };
  if (traits.type == ValueType::kRegister) check_register(site, field, byte());
  if (traits.type == ValueType::kArgument) check_argument(site, field, byte());
  if (traits.type == ValueType::kDescriptor) check_transfer(site);
  if (field.kind == FieldKind::kPipe && i.pipe >= kPipes)
    site.fail("E-ISA-023", "pipe " + std::to_string(i.pipe) + "; expected 0.." + std::to_string(kPipes - 1));
  if (traits.type == ValueType::kScalar) check_scalar(site, field, i.*std::get<Member<Scalar>>(traits.slot));
  if (field.kind == FieldKind::kRing && i.ring >= kDmaEngines)
    site.fail("E-ISA-023",
              "ring " + std::to_string(i.ring) + "; expected 0.." + std::to_string(kDmaEngines - 1));
  const std::size_t length = site.program.stream(site.queue).size();
  if (field.kind == FieldKind::kTarget && i.target > length)
    site.fail("E-ISA-026",
              "jumps to instruction " + std::to_string(i.target) + "; expected 0.." + std::to_string(length));
}

}  // namespace

void check_slots(const Site& site) {
  static const Instruction kDefault;
  Instruction rest = site.instruction;
  clear(rest, &Instruction::op);
  if (rest.wait.kind != Wait::Kind::kNone) clear(rest, &Instruction::wait);
  if (rest.update.kind != Update::Kind::kNone) clear(rest, &Instruction::update);
  for (const Field& field : site.row.fields)
    std::visit([&](auto slot) { clear(rest, slot); }, traits_of(field.kind).slot);
  if (rest == kDefault) return;
  if (rest.wait != kDefault.wait || rest.update != kDefault.update)
    site.fail("E-ISA-004", "a wait or update of kind none names a semaphore or a value; expected zeros");
  for (const FieldTraits& traits : traits::kTraits) {
    const bool set = std::visit([&](auto slot) { return !(rest.*slot == kDefault.*slot); }, traits.slot);
    if (set)
      site.fail("E-ISA-004",
                "sets a slot that it does not have (" + std::string(traits.doc) + "); expected the default");
  }
}

void check_references(const Site& site) {
  for (const Field& field : site.row.fields) check_reference(site, field);
  const bool either = find_field(site.row, FieldKind::kRegB) != nullptr;
  if (either && site.instruction.reg_b != kNone && site.instruction.imm != 0)
    site.fail("E-ISA-028", "has a register and an immediate for one operand; expected one of them");
}

}  // namespace tahoma::isa
