// SPDX-License-Identifier: Apache-2.0
// Errors of programs and hosts in the use of memory, and how they are reported.
#include <catch2/catch.hpp>

#include "isa/core/program_error.h"
#include "model/base/error.h"
#include "model/memory/hbm/host_memory.h"
#include "model/system/system.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"
#include "tests/support/program/tiny_programs.h"

using namespace tahoma;
using namespace tahoma::tests;

namespace {

// The error code of one copy on the first core of a 2x1x1 machine.
std::string code_of_copy(std::uint64_t dst, std::uint64_t src, model::Mode mode) {
  model::System system(machine_of(2, 1, 1), mode);
  isa::Program p;
  p.stream(isa::Queue::kSync).edit() = {hbm_copy(p, 1, 0, 4096, 0)};
  system.load(0, std::make_shared<isa::Program>(p), {src, dst});
  try {
    system.run();
  } catch (const isa::ProgramError& e) {
    return e.code;
  }
  return "";
}

std::uint64_t at(std::uint32_t chip, std::uint64_t offset) {
  return isa::GlobalAddress{chip, 0, offset}.bits();
}

}  // namespace

TEST_CASE("host pages: memory that the host cannot reserve is the host's error", "[memory]") {
  model::HostMemory pages(std::uint64_t{1} << 60);
  try {
    pages.data();
    FAIL("an exbibyte was reserved");
  } catch (const base::UserError& e) {
    CHECK(e.code == "E-RUN-050");
    CHECK(e.status == base::ExitStatus::kHost);
  }
}

TEST_CASE("host pages: untouched bytes are zero, and forgotten ones become zero again", "[memory]") {
  model::HostMemory pages(1 << 20);
  CHECK(pages.data()[12345] == std::byte{0});
  pages.data()[12345] = std::byte{7};
  pages.forget();
  CHECK(pages.data()[12345] == std::byte{0});
}

TEST_CASE("dma: an address outside the machine's stacks is the program's error", "[dma]") {
  const std::uint64_t end = machine_of(2, 1, 1).chip.hbm.capacity.count;
  CHECK(code_of_copy(at(0, end - 100), at(0, 0), model::Mode::kTiming) == "E-RUN-042");
}

TEST_CASE("dma: an address on a chip that the machine lacks is the program's error", "[dma]") {
  CHECK(code_of_copy(at(2, 0), at(0, 0), model::Mode::kFunctional) == "E-RUN-042");
}

TEST_CASE("dma: a core that the machine lacks cannot be notified", "[dma]") {
  for (const int peer : {-1, 16}) {
    const std::string code = in_child([&]() -> std::string {
      model::System system(machine_of(2, 1, 1), model::Mode::kTiming);  // 16 cores
      isa::Program p;
      isa::Instruction copy = hbm_copy(p, 1, 0, 4096, 0);
      copy.notify_arg = 2;
      copy.read_peer = static_cast<std::int16_t>(peer);
      copy.read_update = {isa::Update::Kind::kAdd, 1, 1};
      p.stream(isa::Queue::kCc0).edit() = {copy};
      system.load(0, std::make_shared<isa::Program>(p), {at(0, 0), at(0, 1 << 20), 0});
      try {
        system.run();
      } catch (const isa::ProgramError& e) {
        return e.code;
      }
      return "";
    });
    CHECK(code == "E-RUN-047");
  }
}
