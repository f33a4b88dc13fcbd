// SPDX-License-Identifier: Apache-2.0
// Checks what an instruction refers to by number, and slots that its row does not use.
#include <bit>

#include "isa/core/instruction_hash.h"
#include "isa/validate/validate_rules.h"

namespace tahoma::isa {
namespace {

// The word and the text would lose a slot that the row does not use.
template <class T>
void clear(Instruction& i, Member<T> slot) {
  static const Instruction kDefault;
  i.*slot = kDefault.*slot;
}

void check_column(const Site& site, const Field& field, const Column& column) {
  if (!column.present && !(column == Column{}))
    site.fail("E-ISA-004", quoted(field.name) + " is absent but has a place; expected zeros");
}

void check_scalar(const Site& site, const Field& field, const Scalar& s) {
  const bool clean = s.is_tile ? std::bit_cast<std::uint32_t>(s.imm) == 0
                               : s.space == Space::kSbuf && s.partition == 0 && s.offset == 0;
  if (!clean)
    site.fail("E-ISA-004",
              quoted(field.name) + " is both a constant and a column; expected the unused half to be zero");
}

void check_register(const Site& site, const Field& field, std::uint8_t number) {
  if (number < kRegisters || (number == kNone && field.optional)) return;
  site.fail("E-ISA-022", quoted(field.name) + " is register " + std::to_string(number) + "; expected r0..r" +
                             std::to_string(kRegisters - 1));
}

void check_argument(const Site& site, const Field& field, std::uint8_t number) {
  if (number == kNone && field.optional) return;
  if (number >= site.program.args.size())
    site.fail("E-ISA-024", quoted(field.name) + " is argument " + std::to_string(number) +
                               "; the program has " + std::to_string(site.program.args.size()));
  const Instruction& i = site.instruction;
  if (i.update.kind == Update::Kind::kNone && i.read_update.kind == Update::Kind::kNone)
    site.fail("E-ISA-033", "notifies a core but updates no semaphore; expected an update");
}

// A distance to a core is meaningful only with a base core and an update that goes there.
void check_distance(const Site& site, std::string_view name, std::int16_t distance, const Update& update,
                    std::string_view update_name) {
  if (distance == 0) return;
  if (site.instruction.notify_arg == kNone)
    site.fail("E-ISA-033",
              std::string(name) + " is relative to a core, but no core is named; expected notify");
  if (update.kind == Update::Kind::kNone)
    site.fail("E-ISA-033", std::string(name) + " names a core but nothing is updated there; expected " +
                               std::string(update_name));
}

void check_read_update(const Site& site) {
  const Update& update = site.instruction.read_update;
  if (update.on_read || (update.kind == Update::Kind::kNone && update != Update{}))
    site.fail("E-ISA-004",
              "read_update is always on read, and without a kind it has no semaphore; expected zeros");
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
  if (traits.type == ValueType::kColumn) check_column(site, field, i.*std::get<Member<Column>>(traits.slot));
  if (field.kind == FieldKind::kPeer) check_distance(site, field.name, i.peer, i.update, "update");
  if (field.kind == FieldKind::kReadPeer)
    check_distance(site, field.name, i.read_peer, i.read_update, "read_update");
  if (field.kind == FieldKind::kReadUpdate) check_read_update(site);
  if (field.kind == FieldKind::kRing && i.ring >= kDmaEngines)
    site.fail("E-ISA-023",
              "ring " + std::to_string(i.ring) + "; expected 0.." + std::to_string(kDmaEngines - 1));
  if (field.kind == FieldKind::kService && i.service >= kServiceClasses)
    site.fail("E-ISA-023", "service " + std::to_string(i.service) + "; expected 0.." +
                               std::to_string(kServiceClasses - 1));
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
  if (rest.wait != kDefault.wait || rest.update != kDefault.update)
    site.fail("E-ISA-004", "a wait or update of kind none names a semaphore or a value; expected zeros");
  if (identical(rest, kDefault)) return;
  const FieldTraits* set = nullptr;
  for (const FieldTraits& traits :
       traits::kTraits)  // where kinds share a slot, the shortest trait covers all of them
    if (!is_default(traits, rest) && (set == nullptr || traits.doc.size() < set->doc.size())) set = &traits;
  if (set != nullptr)
    site.fail("E-ISA-004",
              "sets a slot that its row does not have (" + std::string(set->doc) + "); expected the default");
}

void check_references(const Site& site) {
  for (const Field& field : site.row.fields) check_reference(site, field);
  const bool either = find_field(site.row, FieldKind::kRegB) != nullptr;
  if (either && site.instruction.reg_b != kNone && site.instruction.imm != 0)
    site.fail("E-ISA-028", "has a register and an immediate for one operand; expected one of them");
}

}  // namespace tahoma::isa
