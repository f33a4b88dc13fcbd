// SPDX-License-Identifier: Apache-2.0
// Runs programs from assembler text on a machine: the times of its engines, and integers in HBM before and
// after.
#pragma once

#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "isa/text/assembler.h"
#include "isa/validate/validate.h"
#include "model/system/system.h"

namespace tahoma::tests {

inline std::shared_ptr<const isa::Program> text_program(const std::string& text) {
  auto program = std::make_shared<isa::Program>(isa::assemble(text, "test"));
  isa::Limits limits;
  limits.core = program->core.value_or(limits.core);
  isa::validate(*program, limits);
  return program;
}

using Words = std::vector<std::int32_t>;

// Tensors of 64 KiB in stack 0 of chip 0, one per argument, from this address on.
constexpr std::uint64_t tensor_at(std::size_t argument) { return argument << 16; }

inline std::array<std::uint64_t, isa::kArguments> tensor_arguments() {
  std::array<std::uint64_t, isa::kArguments> arguments{};
  for (std::size_t a = 0; a < arguments.size(); ++a) arguments[a] = tensor_at(a);
  return arguments;
}

inline void keep_control(model::System& system, const isa::Program& program) {
  for (std::uint8_t a = 0; a < program.args.size(); ++a)
    if (program.is_control(a)) system.keep_values(tensor_at(a), 1 << 16);
}

inline void put_words(model::System& system, std::size_t argument, const Words& words) {
  std::memcpy(system.hbm(tensor_at(argument), 4 * words.size()), words.data(), 4 * words.size());
}
inline Words get_words(model::System& system, std::size_t argument, std::size_t count) {
  Words words(count);
  std::memcpy(words.data(), system.hbm(tensor_at(argument), 4 * count), 4 * count);
  return words;
}

// All measurements of a run's engines and DMA engines, one per line.
inline std::string times_of(const base::RunMeasurement& run) {
  std::ostringstream text;
  text << run.elapsed.fs << " elapsed, " << run.instructions << " instructions\n";
  for (const auto& e : run.engines) {
    if (e.instructions == 0) continue;
    text << e.path << " " << e.instructions << " " << e.active.fs;
    for (const auto& t : e.time) text << " " << t.fs;
    text << "\n";
  }
  for (const auto& d : run.dma)
    if (d.transfers > 0) text << d.path << " " << d.packets << " " << d.bytes << " " << d.busy.fs << "\n";
  return text.str();
}

inline const base::EngineMeasurement& engine_of(const base::RunMeasurement& run, std::uint32_t core,
                                                base::EngineKind kind) {
  for (const auto& e : run.engines)
    if (e.core == core && e.kind == kind) return e;
  throw std::out_of_range("no such engine");
}
inline base::Duration named(const base::EngineMeasurement& e, base::StallReason name) {
  return e.time[static_cast<std::size_t>(name)];
}

}  // namespace tahoma::tests
