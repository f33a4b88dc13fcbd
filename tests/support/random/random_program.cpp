// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random/random_program.h"

#include "isa/table/table_rows.h"

namespace tahoma::tests {

using namespace isa;  // nearly every name of this generator is from isa

std::string ProgramGenerator::name() {
  static constexpr std::string_view kCharacters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
  std::string text;
  for (std::uint64_t n = between(1, 12); n > 0; --n) text += kCharacters[below(kCharacters.size())];
  return text;
}

Program ProgramGenerator::program(unsigned length) {
  Program p;
  p.name = name();
  for (std::uint64_t n = below(5); n > 0; --n) p.args.push_back(name() + std::to_string(n));
  p.useful_flops = p.useful_bytes = 1000 * p.args.size();
  p.control = static_cast<std::uint32_t>(below(std::uint64_t{1} << p.args.size()));
  for (std::size_t q = 0; q < kQueueCount; ++q) {
    const auto queue = static_cast<Queue>(q);
    std::vector<Instruction>& stream = p.stream(queue).edit();
    weights_.reset();
    for (std::uint64_t n = below(length + 1); n > 0; --n) {
      stream.push_back(instruction(p, queue, row_for(queue)));
      if (stream.back().op == Opcode::kLoadWeights && chance(80))
        stream.push_back(instruction(p, queue, row_of(user_of_weights())));
    }
    for (Instruction& i : stream)
      if (find_field(row_of(i.op), FieldKind::kTarget) != nullptr)
        i.target = static_cast<std::uint32_t>(below(stream.size() + 1));
  }
  return p;
}

// Integers are only ever transposed; modes other than the default are for matmul only.
Opcode ProgramGenerator::user_of_weights() {
  const MatmulMode mode = weights_->mode;
  const bool plain = row_of(mode).slices == 1;
  if (!is_float(weights_->dtype)) return Opcode::kTranspose;
  return plain && chance(40) ? Opcode::kTranspose : Opcode::kMatmul;
}

const OpRow& ProgramGenerator::row_for(Queue queue) {
  for (;;) {
    const OpRow& row = all_rows()[below(all_rows().size())];
    if (row.since == CoreVersion::kV4) continue;
    if (((row.queues >> static_cast<unsigned>(queue)) & 1) == 0) continue;
    if (find_field(row, FieldKind::kMoving) != nullptr) continue;  // follows a load
    return row;
  }
}

Instruction ProgramGenerator::instruction(Program& program, Queue queue, const OpRow& row) {
  for (;;) {
    Instruction i = any_instruction(program, queue, row);
    if (overlap_of(i).empty()) return i;
  }
}

Instruction ProgramGenerator::any_instruction(Program& program, Queue queue, const OpRow& row) {
  Instruction i;
  i.op = row.op;
  Context c{program, queue, row, i};
  bitwise_ = chance(30) && queue != Queue::kGpSimd;
  if (row.op == Opcode::kTensorPartitionReduce) bitwise_ = chance(50);
  header(c);
  sizes(c);
  if (find_field(row, FieldKind::kDescriptor) != nullptr) transfer(c);
  // Operations determine dtypes and operands, sources determine destinations: operations come first,
  // destinations last.
  for (const Field& field : row.fields)
    if (traits_of(field.kind).type == ValueType::kAluOp) operand(c, field);
  for (std::size_t n = row.fields.size(); n-- > 0;)
    if (traits_of(row.fields[n].kind).type != ValueType::kAluOp) operand(c, row.fields[n]);
  fix_up(c);
  return i;
}

void ProgramGenerator::header(Context& c) {
  Wait& wait = c.i.wait;
  if (c.row.needs_wait || chance(20)) {
    wait.kind = static_cast<Wait::Kind>(between(1, 3));
    wait.semaphore = byte(kSemaphores);
    wait.value = static_cast<std::uint32_t>(wait.kind == Wait::Kind::kGeReg ? below(kRegisters) : random_());
  }
  Update& update = c.i.update;
  if (c.row.needs_update || chance(20)) {
    update.kind = static_cast<Update::Kind>(between(1, 3));
    update.on_read = chance(30);
    update.semaphore = byte(kSemaphores);
    update.value = static_cast<std::uint16_t>(random_());
  }
}

// Rules between operands that are simplest to satisfy afterwards.
void ProgramGenerator::fix_up(Context& c) {
  Instruction& i = c.i;
  if (i.reg_b != kNone) i.imm = 0;
  if (i.notify_arg == kNone || i.update.kind == Update::Kind::kNone) i.peer = 0;
  if (i.notify_arg == kNone || i.read_update.kind == Update::Kind::kNone) i.read_peer = 0;
  if (i.op == Opcode::kTensorCopyDynamic && i.src_reg == kNone && i.dst_reg == kNone) i.src_reg = 7;
  if (c.queue == Queue::kScalar && i.op == Opcode::kTensorScalar && i.op1 != AluOp::kBypass) {
    i.op0 = AluOp::kMult;
    i.op1 = AluOp::kAdd;
  }
  if (find_field(c.row, FieldKind::kReduceOp1) != nullptr && i.command != ReduceCommand::kLoadReduce)
    i.scalar1 = {};
  for (const Field& field : c.row.fields)
    if (presence_of(c.row, field, i) == Presence::kForbidden)
      std::visit([&](auto slot) { i.*slot = Instruction{}.*slot; }, traits_of(field.kind).slot);
}

}  // namespace tahoma::tests
