// SPDX-License-Identifier: Apache-2.0
// Tests what makes chips equal, and everything that makes them differ. On a torus of 4 x 4 chips, pairs of
// neighbours send each other a tensor and notify each other, so there are eight equal components of two
// chips. Each test changes one thing on one chip, whose pair must then be simulated for itself.
#include "model/system/folding/folding.h"

#include <catch2/catch.hpp>
#include <functional>

#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;
using model::Folding, model::LoadedProgram, model::LoadedPrograms, model::MachineParams;

namespace {

constexpr std::uint32_t kChips = 16, kChanged = 6;

isa::Instruction transfer(std::uint32_t descriptor) {
  isa::Instruction i;
  i.op = isa::Opcode::kDmaCopy;
  i.descriptor = descriptor;
  i.update = {isa::Update::Kind::kAdd, 3, 1, false};
  i.notify_arg = 2;
  return i;
}

isa::Program program() {
  isa::Program p;
  isa::Descriptor d;
  d.count = {1, 1, 16, 64};
  d.src.arg = 0;
  d.dst.arg = 1;
  d.src.stride = d.dst.stride = {0, 0, 64, 1};
  p.descriptors = {d};
  isa::Instruction load;
  load.op = isa::Opcode::kRegLoad;
  load.word.arg = 3;
  load.word.dtype = isa::DType::kInt32;
  load.reg_d = 1;
  p.stream(isa::Queue::kSync).push_back(load);
  p.stream(isa::Queue::kSync).push_back(transfer(0));
  p.args = {"own", "theirs", "core", "control"};
  p.control.set(3);
  return p;
}

std::uint64_t address(std::uint32_t chip, std::uint64_t offset) {
  return isa::GlobalAddress{chip, 0, offset}.bits();
}

struct Case {
  MachineParams params = tests::machine_of(4, 4, 1);
  LoadedPrograms programs;
  std::vector<model::ControlValues> control;

  Case() {
    const auto shared = std::make_shared<const isa::Program>(program());
    for (std::uint32_t chip = 0; chip < kChips; ++chip) {
      const std::uint32_t other = chip ^ 1U;
      programs[core(chip)] = {shared,
                              {address(chip, 0), address(other, 4096), core(other), address(chip, 65536)}};
      control.push_back({address(chip, 65536), std::vector<std::byte>(16)});
    }
  }
  std::uint32_t core(std::uint32_t chip) const {
    return chip * static_cast<std::uint32_t>(params.chip.cores);
  }
  LoadedProgram& changed() { return programs[core(kChanged)]; }
  isa::Program& edit() {
    auto own = std::make_shared<isa::Program>(*changed().program);
    changed().program = own;
    return *own;
  }
  Folding fold(model::AddressLaw law = model::AddressLaw::kWhole,
               model::Foldable foldable = model::Foldable::kEqual) const {
    return model::find_folding(params, model::Fabric(params), programs, control, law, foldable);
  }
  Folding fold_idle() const { return fold(model::AddressLaw::kWhole, model::Foldable::kIdle); }
};

using Changes = std::vector<std::pair<const char*, std::function<void(Case&)>>>;

// Neither stands for another pair, nor another pair for it.
void check_alone(const Folding& folding) {
  CHECK(folding.simulated() == 4);
  for (std::uint32_t chip = 0; chip < kChips; ++chip) {
    const bool changed = chip / 2 == kChanged / 2;
    INFO("chip " << chip);
    CHECK((folding.representative[chip] / 2 == kChanged / 2) == changed);
  }
}

void check_each_alone(const Changes& changes) {
  for (const auto& [name, change] : changes) {
    INFO(name);
    Case c;
    change(c);
    check_alone(c.fold());
  }
}

}  // namespace

TEST_CASE("folding: equal pairs of chips are simulated once", "[folding]") {
  const Folding folding = Case().fold();
  CHECK(folding.simulated() == 2);
  for (std::uint32_t chip = 0; chip < kChips; ++chip) {
    CHECK(folding.representative[chip] == chip % 2);
    CHECK(folding.view[chip][chip] == chip % 2);
    CHECK(folding.view[chip][chip ^ 1U] == (chip ^ 1U) % 2);  // and the other one of the pair likewise
  }
}

TEST_CASE("folding: one other instruction, operand, address, core or argument keeps a pair apart",
          "[folding]") {
  const auto sync = [](Case& c) -> isa::Instruction& { return c.edit().stream(isa::Queue::kSync)[1]; };
  const Changes changes{
      {"an instruction more", [](Case& c) { c.edit().stream(isa::Queue::kVector).push_back({}); }},
      {"another semaphore", [&](Case& c) { sync(c).update.semaphore = 4; }},
      {"another ring", [&](Case& c) { sync(c).ring = 1; }},
      {"one byte further, in the descriptor", [](Case& c) { c.edit().descriptors[0].dst.offset = 1; }},
      {"one byte further, in the argument", [](Case& c) { c.changed().arguments[1] += 1; }},
      {"another stack", [](Case& c) { c.changed().arguments[0] += std::uint64_t{1} << 36; }},
      {"one element more", [](Case& c) { c.edit().descriptors[0].count[3] = 65; }},
      {"another stride", [](Case& c) { c.edit().descriptors[0].src.stride[2] = 128; }},
      {"another core is notified", [](Case& c) { c.changed().arguments[2] += 1; }},
      {"other control values", [](Case& c) { c.control[kChanged].bytes[15] = std::byte{1}; }},
      {"another control tensor", [](Case& c) { c.control[kChanged].bytes.resize(8); }},
      {"a program more", [](Case& c) { c.programs[c.core(kChanged) + 1] = c.changed(); }},
  };
  check_each_alone(changes);
}

TEST_CASE("folding: chips without a program are a class of their own", "[folding]") {
  Case c;
  c.programs.erase(c.core(kChanged));
  c.programs.erase(c.core(kChanged ^ 1U));
  const Folding folding = c.fold();
  CHECK(folding.simulated() == 3);
  CHECK(folding.representative[kChanged] == kChanged);
  CHECK(folding.representative[kChanged ^ 1U] == kChanged);
}

TEST_CASE("folding: a fault of a chip, a stack or a link keeps its pair apart", "[folding]") {
  const Changes changes{
      {"a slow chip", [](Case& c) { c.params.instances.chips["server0.chip06"].slow = 1.5; }},
      {"a slow stack", [](Case& c) { c.params.instances.stacks["server0.chip06.hbm3"].rate = 0.5; }},
      {"a failed channel",
       [](Case& c) { c.params.instances.stacks["server0.chip06.hbm0"].failed_channels = "2"; }},
      {"a slow link", [](Case& c) { c.params.instances.links["server0.chip06.link.xp"].rate = 0.5; }},
      {"a slow link without packets",
       [](Case& c) { c.params.instances.links["server0.chip06.link.yp"].rate = 0.5; }},
  };
  check_each_alone(changes);
}

TEST_CASE("folding: errors drawn at random keep every chip that has them apart", "[folding]") {
  Case c;
  for (const char* chip : {"server0.chip06", "server0.chip02"})
    c.params.instances.stacks[std::string(chip) + ".hbm0"].correctable_errors = 1e-6;
  CHECK(c.fold().simulated() == 6);
}

// Equal programs are not enough: the route of a packet to the chip behind the end of the ring has another
// class of virtual channels.
TEST_CASE("folding: routes of another class of virtual channels keep pairs apart", "[folding]") {
  Case c;
  for (std::uint32_t chip = 0; chip < kChips; ++chip) {
    const std::uint32_t x = chip % 4, other = chip - x + (x % 2 == 1 ? x + 1 : x + 3) % 4;  // 1-2 and 3-0
    c.programs[c.core(chip)].arguments[1] = address(other, 4096);
    c.programs[c.core(chip)].arguments[2] = c.core(other);
  }
  const Folding folding = c.fold();
  CHECK(folding.simulated() == 4);
  CHECK(folding.representative[0] != folding.representative[2]);
}

TEST_CASE("folding: a chain of chips is one component, and its own symmetries fold it", "[folding]") {
  Case c;
  for (std::uint32_t chip = 0; chip < kChips;
       ++chip) {  // to the row below: a ring of four along y, in every column
    const std::uint32_t other = (chip + 4) % kChips;
    c.programs[c.core(chip)].arguments[1] = address(other, 4096);
    c.programs[c.core(chip)].arguments[2] = c.core(other);
  }
  const Folding folding = c.fold();
  // A ring has routes with and without its end, so its chips differ; the four columns are equal.
  CHECK(folding.simulated() == 4);
  for (std::uint32_t chip = 0; chip < kChips; ++chip) CHECK(folding.representative[chip] == chip / 4 * 4);
}

// The ranks of a collective work on different parts of a tensor.
TEST_CASE("folding: without values and DRAM, only the stack of an address matters", "[folding]") {
  const Changes changes{
      {"one byte further, in the descriptor", [](Case& c) { c.edit().descriptors[0].dst.offset = 1; }},
      {"one byte further, in the argument", [](Case& c) { c.changed().arguments[1] += 1; }},
  };
  for (const auto& [name, change] : changes) {
    INFO(name);
    Case c;
    change(c);
    check_alone(c.fold());
    CHECK(c.fold(model::AddressLaw::kStack).simulated() == 2);
    c.changed().arguments[0] += std::uint64_t{1} << 36;
    check_alone(c.fold(model::AddressLaw::kStack));
  }
}

TEST_CASE("folding: among idle chips, those without programs that no packet reaches are one class",
          "[folding]") {
  Case c;
  CHECK(c.fold_idle().simulated() == kChips);
  c.programs.erase(c.core(5));  // chip 4 sends to it all the same
  CHECK(c.fold_idle().simulated() == kChips);
  c.programs.erase(c.core(4));
  for (std::uint32_t chip = 8; chip < kChips; ++chip) c.programs.erase(c.core(chip));
  const Folding folding = c.fold_idle();
  CHECK(folding.simulated() == 6 + 1);
  for (std::uint32_t chip = 0; chip < kChips; ++chip) {
    const bool idle = chip == 4 || chip == 5 || chip >= 8;
    CHECK(folding.representative[chip] == (idle ? 4 : chip));
  }
}

TEST_CASE("folding: without DRAM, a ring of neighbours is one class of chips", "[folding]") {
  Case c;
  for (std::uint32_t chip = 0; chip < kChips; ++chip) {
    c.programs[c.core(chip)].arguments[1] = address((chip + 4) % kChips, 4096);
    c.programs[c.core(chip)].arguments[2] = c.core((chip + 4) % kChips);
  }
  CHECK(c.fold(model::AddressLaw::kStack).simulated() == 1);

  SECTION("but not if a link carries two classes of virtual channels") {
    for (std::uint32_t chip = 0; chip < kChips; ++chip) {
      LoadedProgram& second = c.programs[c.core(chip) + 1] = c.programs[c.core(chip)];
      second.arguments[1] = address((chip + 8) % kChips, 4096);  // the chip after the next
      second.arguments[2] = c.core((chip + 8) % kChips);
    }
    CHECK(c.fold(model::AddressLaw::kStack).simulated() == 4);
  }
}

// The pairs behind one switch, whose ports each pair uses two of.
TEST_CASE("folding: equal pairs behind a switch are simulated once, and so are the links of the switch",
          "[folding]") {
  Case c;
  c.params.link.topology = base::fabric_named("switched");
  const Folding folding = c.fold();
  CHECK(folding.simulated() == 2);
  CHECK(folding.switch_links.size() == kChips);
  for (const auto& [link, by] : folding.switch_links) {
    CHECK(by.link == base::LinkId{kChips, link.second % 2});
    CHECK(by.view[link.second] == link.second % 2);  // the chip behind the port
    CHECK(by.view[kChips] == kChips);
  }
  CHECK(folding.into_switches.empty());
}

TEST_CASE("folding: a fault of a switch's link, or of a chip's link to it, keeps a pair apart", "[folding]") {
  const Changes changes{
      {"a slow link from the switch",
       [](Case& c) { c.params.instances.switch_links["switch.down06"].rate = 0.5; }},
      {"a slow link to the switch",
       [](Case& c) { c.params.instances.links["server0.chip06.link.up"].rate = 0.5; }},
  };
  for (const auto& [name, change] : changes) {
    INFO(name);
    Case c;
    c.params.link.topology = base::fabric_named("switched");
    change(c);
    check_alone(c.fold());
  }
}

TEST_CASE("folding: behind two levels of switches, servers are equal, and so are their switches",
          "[folding]") {
  Case c;
  c.params = tests::machine_of(2, 2, 4);
  c.params.link.topology = base::fabric_named("two_level");
  for (std::uint32_t chip = 0; chip < kChips; ++chip) {  // to the same place in the next server
    c.programs[c.core(chip)].arguments[1] = address((chip + 4) % kChips, 4096);
    c.programs[c.core(chip)].arguments[2] = c.core((chip + 4) % kChips);
  }
  const Folding folding = c.fold(model::AddressLaw::kStack);
  CHECK(folding.simulated() == 4);  // one of each ring of servers
  for (const auto& [link, by] : folding.switch_links) {
    const bool first_level = link.first < kChips + 4;
    CHECK(by.link.first == (first_level ? kChips : link.first));
  }
  CHECK(folding.into_switches.empty());  // every simulated link ends at a switch that is simulated
}

TEST_CASE("folding: what cannot be proven is not folded, and the reason is told", "[folding]") {
  const Changes changes{
      {"credits return in no time", [](Case& c) { c.params.link.wire = {0}; }},
      {"a transfer leaves its stack",
       [](Case& c) {
         c.edit().descriptors[0].count = {1, 1, 4096, 64};
         c.edit().descriptors[0].src.stride[2] = 1 << 30;
       }},
      {"the flits of all chips share a clock",
       [](Case& c) { c.params.link.port.model = model::PortModel::kFlits; }},
  };
  for (const auto& [reason, change] : changes) {
    Case c;
    change(c);
    const Folding folding = c.fold();
    CHECK(folding.simulated() == kChips);
    CHECK(folding.reason == reason);
  }
}
