// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/nki_lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <set>

#include "frontend/nki/lower/dead_fills.h"
#include "frontend/nki/lower/emitter.h"
#include "isa/core/program_error.h"
#include "isa/validate/validate.h"
#include "model/base/error.h"

namespace tahoma::runtime::nki {

namespace {

// A name of an argument from that of a tensor.
std::string argument_name(const std::string& name, std::set<std::string>& taken) {
  std::string legal;
  for (const char c : name) legal += isa::is_name_character(c) ? c : '_';
  legal = legal.substr(0, isa::kNameLength - 8);
  if (legal.empty()) legal = "tensor";
  std::string unique = legal;
  for (unsigned n = 2; !taken.insert(unique).second; ++n) unique = fmt::format("{}_{}", legal, n);
  return unique;
}

// Whether addresses or branches depend on values in memory.
bool reads_control(const Trace& trace) {
  const auto from_memory = [](const Side& side) {
    return side.dynamic.kind == Dynamic::Kind::kScalar || side.dynamic.kind == Dynamic::Kind::kVector;
  };
  return std::any_of(trace.entries.begin(), trace.entries.end(), [&](const Recorded& entry) {
    if (entry.registers && entry.registers->kind == RegisterWork::Kind::kLoad) return true;
    return entry.transfer &&
           (from_memory(entry.transfer->dst) ||
            std::any_of(entry.transfer->sources.begin(), entry.transfer->sources.end(), from_memory));
  });
}

// Integer inputs keep their values in timing mode, for a kernel that reads addresses or branches from memory.
bool is_control(const Storage& storage) {
  constexpr std::int64_t kMostBytes = std::int64_t{16} << 20;
  const bool given = storage.role == Storage::Role::kInput || storage.role == Storage::Role::kConstant;
  return given && storage.element->dtype && !isa::is_float(*storage.element->dtype) &&
         storage.elements() * storage.element->bytes <= kMostBytes;
}

// Tensors in HBM become arguments: inputs and outputs in any case, others if something uses them.
void number_arguments(const Trace& trace, const std::vector<LiveRange>& ranges, Lowered& lowered,
                      std::vector<std::uint8_t>& argument_of) {
  std::set<std::string> taken;
  const bool control = reads_control(trace);
  argument_of.assign(trace.storages.size(), isa::kNone);
  for (const auto& storage : trace.storages) {
    if (storage->on_chip() || (storage->role == Storage::Role::kLocal && !ranges[storage->id].used()))
      continue;
    if (lowered.arguments.size() == isa::kArguments)
      throw base::UserError(
          "E-NKI-023", place_of(trace, storage->line),
          fmt::format("{} exceeds the limit of {} tensors in HBM", storage->text(), isa::kArguments),
          base::ExitStatus::kProgram);
    argument_of[storage->id] = static_cast<std::uint8_t>(lowered.arguments.size());
    if (control && is_control(*storage)) lowered.program.control.set(lowered.arguments.size());
    lowered.arguments.push_back({Argument::Kind::kTensor, storage->id, 0});
    lowered.program.args.push_back(argument_name(storage->name, taken));
  }
}

void add_argument(Lowered& lowered, const Argument& argument, const std::string& name) {
  if (lowered.arguments.size() == isa::kArguments)
    throw base::UserError("E-NKI-023", "",
                          fmt::format("argument '{}' exceeds the limit of {}", name, isa::kArguments),
                          base::ExitStatus::kProgram);
  lowered.arguments.push_back(argument);
  lowered.program.args.push_back(name);
}

// Tensors of other ranks, and the number of this core, for exchanges.
PeerArguments number_peers(const Trace& trace, Lowered& lowered) {
  PeerArguments peers;
  for (const Recorded& entry : trace.entries) {
    if (!entry.exchange) continue;
    if (peers.core == isa::kNone) {
      peers.core = static_cast<std::uint8_t>(lowered.arguments.size());
      add_argument(lowered, {Argument::Kind::kCore, 0, 0}, "own_core");
    }
    for (const auto* list : {&entry.exchange->ready, &entry.exchange->sends})
      for (const ExchangeWork::Send& send : *list) {
        const std::pair<std::uint32_t, std::uint32_t> key{send.rank, send.dst.storage};
        if (peers.tensors.contains(key)) continue;
        peers.tensors[key] = static_cast<std::uint8_t>(lowered.arguments.size());
        add_argument(lowered, {Argument::Kind::kPeerTensor, send.dst.storage, send.rank},
                     fmt::format("rank{}.{}", send.rank, send.dst.storage));
      }
  }
  return peers;
}

// The validator names a queue and an index; the kernel's author needs a line.
[[noreturn]] void refuse_at_line(const Trace& trace, const isa::Program& program,
                                 const isa::ProgramError& error) {
  std::string place = error.place;
  for (std::size_t q = 0; q < isa::kQueueCount; ++q) {
    const std::string prefix = std::string(isa::name_of(static_cast<isa::Queue>(q))) + "[";
    if (error.place.rfind(prefix, 0) != 0) continue;
    const auto index = static_cast<std::uint32_t>(std::stoul(error.place.substr(prefix.size())));
    place = place_of(trace, program.line_at(static_cast<isa::Queue>(q), index));
  }
  throw base::UserError(error.code, place, error.message, base::ExitStatus::kProgram);
}

Lowered lower_in_order(const Trace& trace, const model::MachineParams& machine,
                       const LoweringOptions& options) {
  Lowered lowered;
  lowered.program.name = isa::is_name(trace.name) ? trace.name : "kernel";
  std::vector<std::uint8_t> argument_of;
  const std::vector<LiveRange> ranges = live_ranges(trace);
  number_arguments(trace, ranges, lowered, argument_of);
  const PeerArguments peers = number_peers(trace, lowered);
  lowered.places = allocate(trace, ranges, options.allocation);
  lowered.storages = trace.storages;
  lowered.warnings = trace.warnings;
  lowered.program.lines = trace.lines;
  const std::vector<isa::Queue> queues = choose_queues(trace, machine, options.choices);
  Emitter emitter(trace, machine,
                  {ranges, lowered.places, argument_of, queues, peers, options.choices.descriptors},
                  lowered.program);
  for (std::uint32_t e = 0; e < trace.entries.size(); ++e) {
    try {
      emitter.emit(e);
    } catch (const base::UserError& error) {
      if (!error.place.empty()) throw;
      throw base::UserError(error.code, place_of(trace, trace.entries[e].line), error.message, error.status);
    }
  }
  emitter.finish();
  lowered.warnings.insert(lowered.warnings.end(), emitter.warnings().begin(), emitter.warnings().end());
  try {
    isa::validate(lowered.program, trace.limits());
  } catch (const isa::ProgramError& error) {
    refuse_at_line(trace, lowered.program, error);
  }
  return lowered;
}

}  // namespace

Lowered lower(const Trace& trace, const model::MachineParams& machine, const LoweringOptions& options) {
  std::optional<Trace> lean;
  if (options.choices.compiler == Compiler::kNeuron) lean = without_dead_fills(trace);
  OrderAttempts attempts(lean ? *lean : trace, machine, options.choices);
  std::exception_ptr in_first_order;
  while (const Trace* const ordered = attempts.next()) {
    // Gaps between addresses must not be what keeps a kernel with spills from running.
    std::vector<Allocation> allocations{options.allocation};
    if (attempts.has_spills()) allocations.push_back(Allocation::kFirstFit);
    for (const Allocation allocation : allocations) {
      try {
        LoweringOptions tried = options;
        tried.allocation = allocation;
        Lowered lowered = lower_in_order(*ordered, machine, tried);
        if (!attempts.warning().empty()) lowered.warnings.push_back(attempts.warning());
        return lowered;
      } catch (const base::UserError& error) {
        if (error.code != "E-NKI-020") throw;
        if (!in_first_order) in_first_order = std::current_exception();
      }
    }
  }
  std::rethrow_exception(in_first_order);
}

}  // namespace tahoma::runtime::nki
