// SPDX-License-Identifier: Apache-2.0
#include "isa/validate/validate.h"

#include <set>

#include "isa/validate/validate_rules.h"

namespace tahoma::isa {
namespace {

std::string queue_names(std::uint8_t queues) {
  std::string text;
  for (std::size_t q = 0; q < kQueueCount; ++q)
    if ((queues >> q) & 1) text += (text.empty() ? "" : ", ") + std::string(name_of(static_cast<Queue>(q)));
  return text;
}

void check_program(const Program& program, const Limits& limits) {
  if (!is_name(program.name))
    throw ProgramError("E-ISA-034", "program",
                       "name '" + program.name + "': expected " + std::string(kNameRule));
  if (program.args.size() > kArguments)
    throw ProgramError(
        "E-ISA-034", "program",
        std::to_string(program.args.size()) + " arguments; expected at most " + std::to_string(kArguments));
  std::set<std::string> seen;
  for (const std::string& arg : program.args) {
    if (!is_name(arg))
      throw ProgramError("E-ISA-034", "program",
                         "argument name '" + arg + "': expected " + std::string(kNameRule));
    if (!seen.insert(arg).second)
      throw ProgramError("E-ISA-034", "program",
                         "two arguments are named '" + arg + "'; expected distinct names");
  }
  if (program.core && *program.core > limits.core)
    throw ProgramError(
        "E-ISA-046", "program",
        "is for " + full_name_of(*program.core) + "; the machine has " + full_name_of(limits.core));
  if ((program.control >> program.args.size()).any())
    throw ProgramError("E-ISA-024", "program",
                       "a control argument does not exist; the program has " +
                           std::to_string(program.args.size()) + " arguments");
}

void check_header(const Site& site) {
  const Instruction& i = site.instruction;
  if (site.row.needs_wait && i.wait.kind == Wait::Kind::kNone)
    site.fail("E-ISA-027", "does nothing without a wait; expected one such as wait=s3>=16");
  if (site.row.needs_update && i.update.kind == Update::Kind::kNone)
    site.fail("E-ISA-027", "does nothing without an update; expected one such as update=s3+=1");
  if (i.wait.kind == Wait::Kind::kGeReg && i.wait.value >= kRegisters)
    site.fail("E-ISA-022", "waits for register " + std::to_string(i.wait.value) + "; expected r0..r" +
                               std::to_string(kRegisters - 1));
}

bool runs_on(const OpRow& row, Queue queue) {
  return ((row.queues >> static_cast<unsigned>(queue)) & 1) != 0;
}

void check_alone(const Site& site) {
  check_available(site);
  if (!runs_on(site.row, site.queue)) require_runs_on(site.row, site.queue, site.place());
  check_slots(site);
  check_header(site);
  check_kinds(site);
  check_operand_versions(site);
  check_references(site);
  check_operands(site);
}

void check_stream(const Program& program, const Limits& limits, Queue queue) {
  const Stream& stream = program.stream(queue);
  for (std::size_t n = 0; n < stream.size(); ++n)
    if (stream[n].op >= Opcode::kCount)
      throw ProgramError("E-ISA-001", std::string(name_of(queue)) + "[" + std::to_string(n) + "]",
                         "unknown opcode " + std::to_string(static_cast<unsigned>(stream[n].op)) +
                             "; expected 0.." + std::to_string(kOpcodeCount - 1));
  WeightTracker weights(stream);
  for (std::size_t n = 0; n < stream.size(); ++n) {
    const Site site{program, limits, queue, n, stream[n], row_of(stream[n].op)};
    check_alone(site);
    check_overlap(site);
    weights.check(site);
  }
}

}  // namespace

void require_available(const OpRow& row, const std::string& place, CoreVersion core) {
  if (row.since > core)
    throw ProgramError("E-ISA-002", place,
                       std::string(row.mnemonic) + " needs " + full_name_of(row.since) +
                           "; the program is for " + full_name_of(core) + ", or states another with .core");
}

void require_runs_on(const OpRow& row, Queue queue, const std::string& place) {
  if (!runs_on(row, queue))
    throw ProgramError("E-ISA-003", place,
                       "queue " + std::string(name_of(queue)) + " cannot run " + std::string(row.mnemonic) +
                           "; expected one of " + queue_names(row.queues));
}

void validate_instruction(const Instruction& instruction, Queue queue, const Program& program,
                          const Limits& limits) {
  check_alone({program, limits, queue, 0, instruction, row_of(instruction.op)});
}

void validate(const Program& program, const Limits& limits) {
  check_program(program, limits);
  for (std::size_t n = 0; n < program.descriptors.size(); ++n)
    check_descriptor(program.descriptors[n], n, program, limits);
  for (std::size_t q = 0; q < kQueueCount; ++q) check_stream(program, limits, static_cast<Queue>(q));
}

}  // namespace tahoma::isa
