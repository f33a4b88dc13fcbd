// SPDX-License-Identifier: Apache-2.0
#include "tests/support/program/checked_run.h"

#include <array>
#include <cstring>
#include <exception>
#include <sstream>
#include <stdexcept>

#include "isa/text/assembler.h"
#include "isa/validate/validate.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"

namespace tahoma::tests {
namespace {

constexpr std::uint64_t kTensorBytes = 16 << 20, kFilledBytes = 2 << 20;
const std::string kTensors = "abcdefghABCDEFGH";
constexpr std::uint32_t kCores = 16;

std::uint64_t address_of(std::size_t tensor) {
  return isa::GlobalAddress{tensor < 8 ? 0U : 1U, 0, tensor % 8 * kTensorBytes}.bits();
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// A program may have 32 arguments: the 16 tensors and the 16 cores.
isa::Program program_of(std::string text) {
  const std::pair<const char*, const char*> tiles[] = {
      {"=T0", "=sbuf[0, 0x0]:fp32"},    {"=T1", "=sbuf[0, 0x1000]:fp32"}, {"=T2", "=sbuf[0, 0x2000]:fp32"},
      {"=T3", "=sbuf[0, 0x3000]:fp32"}, {"=P0", "=psum[0, 0x0]:fp32"},    {"=P1", "=psum[0, 0x800]:fp32"},
      {"=W", "=sbuf[0, 0x4000]:bf16"},  {"=M", "=sbuf[0, 0x5000]:bf16"},  {" S ", " shape=128x512 "}};
  for (const auto& [from, to] : tiles) replace_all(text, from, to);
  std::string head = ".args";
  for (const char tensor : kTensors) head += std::string(" ") + tensor;
  for (std::uint32_t core = 0; core < kCores; ++core) head += " core" + std::to_string(core);
  return isa::assemble(head + "\n" + text, "planted");
}

std::string run(const std::vector<CoreText>& programs, const CheckedRun& how) {
  model::System system(machine_of(2, 1, 1), how.mode, how.run_ahead, how.checks);
  std::array<std::uint64_t, isa::kArguments> arguments{};
  for (std::size_t t = 0; t < kTensors.size(); ++t) {
    arguments[t] = address_of(t);
    if (how.inputs.find(kTensors[t]) != std::string::npos) system.host_wrote(address_of(t), kTensorBytes);
    if (how.mode == model::Mode::kFunctional)
      std::memset(system.hbm(address_of(t), kFilledBytes),
                  how.equal.find(kTensors[t]) == std::string::npos ? kTensors[t] : 'a', kFilledBytes);
  }
  for (std::uint32_t core = 0; core < kCores; ++core) arguments[kTensors.size() + core] = core;
  for (const CoreText& p : programs) {
    auto program = std::make_shared<const isa::Program>(program_of(p.text));
    isa::validate(*program, {});
    system.load(p.core, program, arguments);
  }
  system.run();
  std::string text;
  for (const std::string& finding : system.findings().first()) text += finding + "\n";
  for (const std::string& pair : system.findings().first_redundant()) text += "redundant: " + pair + "\n";
  return text;
}

}  // namespace

std::vector<std::string> checked_run(const std::vector<CoreText>& programs, const CheckedRun& how) {
  std::string text;
  try {
    text = in_child([&]() -> std::string {
      try {
        return run(programs, how);
      } catch (const std::exception& e) {
        return std::string("failed: ") + e.what() + "\n";
      }
    });
  } catch (const std::runtime_error&) {
    text = "failed: the process ended early";
  }
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string planted(std::string text, bool right) {
  for (std::size_t open = 0; (open = text.find('{')) != std::string::npos;) {
    const std::size_t close = text.find('}', open), bar = text.find('|', open);
    const bool has_wrong = bar < close;
    const std::string wrong = has_wrong ? text.substr(open + 1, bar - open - 1) : "";
    const std::size_t from = has_wrong ? bar + 1 : open + 1;
    text.replace(open, close - open + 1, right ? text.substr(from, close - from) : wrong);
  }
  return text;
}

}  // namespace tahoma::tests
