// SPDX-License-Identifier: Apache-2.0
// The law of energy: a chip at full load draws its published power, energies follow voltage as declared, and
// everything adds up.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "model/base/error.h"
#include "report/energy/energy_ledger.h"
#include "report/energy/energy_summary.h"
#include "report/energy/energy_tables.h"
#include "tests/support/program/fake_run.h"

using namespace tahoma;
using namespace tahoma::tests;
using base::EngineKind, base::StallReason;
using runtime::EnergyComponent, runtime::EnergyEvent, runtime::EnergyLedger, runtime::EnergyTerm,
    runtime::RecordedWork, runtime::WorkCounts;

namespace {

constexpr double kPublishedWatts = 500;  // of a chip: trainium2.md, section 7

struct Machine {
  Machine() { params.declare(tree); }
  model::MachineParams params;
  base::ParamTree tree{"machine"};
};

// A chip of a server that does nothing for `elapsed`: engines idle, six links and four stacks without
// traffic.
base::RunMeasurement idle_chip(const model::MachineParams& machine, base::Duration elapsed) {
  base::RunMeasurement run;
  run.elapsed = elapsed;
  for (std::uint32_t core = 0; core < machine.chip.cores; ++core)
    for (std::size_t kind = 0; kind < base::kEngineKinds; ++kind) {
      base::EngineMeasurement& engine = run.engines.emplace_back();
      engine.kind = static_cast<EngineKind>(kind);
      engine.core = core;
      engine.time[static_cast<std::size_t>(StallReason::kIdle)] = elapsed;
    }
  for (std::uint64_t stack = 0; stack < machine.chip.hbm.stacks; ++stack)
    run.hbm.emplace_back().path = "server0.chip00.hbm" + std::to_string(stack);
  for (const base::Bandwidth rate :
       {machine.link.x, machine.link.x, machine.link.y, machine.link.y, machine.link.z, machine.link.z}) {
    base::LinkMeasurement& link = run.links.emplace_back();
    link.path = "server0.chip00.link.any";
    link.peak = rate;
  }
  return run;
}

model::MachineParams one_chip(model::MachineParams machine) {
  machine.torus = {1, 1, 1};
  return machine;
}

EnergyLedger ledger_of(const model::MachineParams& machine, const base::RunMeasurement& run,
                       const RecordedWork& work) {
  static const Machine kDefaults;
  return runtime::energy_ledger(machine, run, work, runtime::provenance_in(kDefaults.tree));
}

// All cores issue dense bf16 matmuls of 512 moving columns back to back, each behind a load of its own
// weights.
EnergyLedger full_load(const model::MachineParams& machine, base::Duration elapsed) {
  base::RunMeasurement run = idle_chip(machine, elapsed);
  const model::TensorParams& tensor = machine.chip.core.tensor;
  const auto cycles = static_cast<std::uint64_t>(elapsed.seconds() * static_cast<double>(tensor.clock.hz));
  for (base::EngineMeasurement& engine : run.engines)
    if (engine.kind == EngineKind::kTensor) {
      engine.time = {};
      engine.time[static_cast<std::size_t>(StallReason::kBusy)] = elapsed;
    }
  WorkCounts core;
  core[EnergyEvent::kMacBf16] = core[EnergyEvent::kCellCycle] = cycles * tensor.rows * tensor.columns;
  core[EnergyEvent::kInstruction] = 2 * cycles / 512;
  core[EnergyEvent::kSbufRead] = cycles * tensor.rows * 2 + cycles / 512 * tensor.rows * tensor.columns * 2;
  core[EnergyEvent::kPsumRead] = core[EnergyEvent::kPsumWrite] = cycles * tensor.columns * 4;
  core.busy_fs[0] = static_cast<base::Uint128>(elapsed.fs);
  RecordedWork work;
  work.cores.assign(machine.chip.cores, core);
  return ledger_of(machine, run, work);
}

double watts_of(const EnergyLedger& ledger) {
  return ledger.watts(runtime::sum_of(ledger.components).joules());
}

// The fake run and work of its first core, in two regions.
RecordedWork fake_work() {
  WorkCounts first, second;
  first[EnergyEvent::kMacBf16] = 1'000'000'000;
  first[EnergyEvent::kCellCycle] = 1'000'000'000;
  first[EnergyEvent::kSbufRead] = 5'000'000;
  first.busy_fs[0] = static_cast<base::Uint128>((80_us).fs);
  first.hbm_bytes = 750'000;
  second[EnergyEvent::kVectorElement] = 3'000'000;
  second[EnergyEvent::kDmaByte] = 1'000'000;
  second.busy_fs[1] = static_cast<base::Uint128>((20_us).fs);
  second.hbm_bytes = 250'000;
  second.sent_bytes = 10;
  WorkCounts both = first;
  both += second;
  return {{both, {}}, {{"load", first}, {"store", second}}};
}

const runtime::ComponentEnergy& of(const EnergyLedger& ledger, EnergyComponent component) {
  return ledger.components[static_cast<std::size_t>(component)];
}

}  // namespace

TEST_CASE("energy: a chip beyond its limit takes the time in which it spends its events at the limit",
          "[energy]") {
  const Machine defaults;
  model::MachineParams machine = one_chip(defaults.params);
  machine.chip.energy.limit = {600'000'000};
  const runtime::EnergySummary below = runtime::summarise_energy(full_load(machine, 100_us), 0);
  CHECK(below.limit_percent < 100);
  CHECK(*below.limited_time_ns == Approx((100_us).ns()));
  machine.chip.energy.limit = {400'000'000};
  const runtime::EnergySummary beyond = runtime::summarise_energy(full_load(machine, 100_us), 0);
  CHECK(beyond.limit_percent == Approx(beyond.hottest_chip_watts / 4));
  const double standing = beyond.standing_joules / (100_us).seconds();
  CHECK(*beyond.limited_time_ns == Approx(beyond.dynamic_joules / (400 - standing) * 1e9));
  // At a limit below what flows all the time no pause helps.
  machine.chip.energy.limit = {1'000'000};
  CHECK_FALSE(runtime::summarise_energy(full_load(machine, 100_us), 0).limited_time_ns);
}

TEST_CASE("energy: a chip of a server at full bf16 load draws its published power", "[energy]") {
  const Machine defaults;
  CHECK(watts_of(full_load(one_chip(defaults.params), 100_us)) == Approx(kPublishedWatts).epsilon(0.005));
  // The check can fail: without the energy of a cell, to which the model is calibrated, a third is missing.
  Machine without;
  without.params.chip.energy.tensor.cell = {0};
  CHECK(watts_of(full_load(one_chip(without.params), 100_us)) < 0.75 * kPublishedWatts);
}

TEST_CASE("energy: fp8 and fp32 at full rate differ from bf16 by their multiplications and passes",
          "[energy]") {
  const Machine m;
  const model::TensorEnergy& e = m.params.chip.energy.tensor;
  CHECK(runtime::mac_event(isa::DType::kBf16, isa::DType::kBf16) == EnergyEvent::kMacBf16);
  CHECK(runtime::mac_event(isa::DType::kFp8E4M3, isa::DType::kBf16) == EnergyEvent::kMacBf16);
  CHECK(runtime::mac_event(isa::DType::kFp32, isa::DType::kBf16) == EnergyEvent::kMacFp32);
  CHECK(runtime::mac_event(isa::DType::kTf32, isa::DType::kTf32) == EnergyEvent::kMacFp16);
  isa::Instruction i;
  i.op = isa::Opcode::kMatmul;
  i.src0.dtype = isa::DType::kFp32;
  CHECK(runtime::cell_cycles(i, isa::DType::kFp32, 1000) == 4000);
  i.mode = isa::MatmulMode::kOneZeroMoving;
  CHECK(runtime::cell_cycles(i, isa::DType::kFp32, 1000) == 2000);
  i.src0.dtype = isa::DType::kFp8E4M3;
  i.mode = isa::MatmulMode::kDoubleRow;
  CHECK(runtime::cell_cycles(i, isa::DType::kFp8E4M3, 1000) == 500);
  // For a multiply-accumulate with its cells, narrower types cost less.
  CHECK(e.fp8.joules() + e.cell.joules() / 2 < e.bf16.joules() + e.cell.joules());
  CHECK(e.bf16.joules() + e.cell.joules() < e.fp32.joules() + 4 * e.cell.joules());
}

TEST_CASE("energy: an idle chip draws leakage, idle clocks, stacks and transceivers, and nothing else",
          "[energy]") {
  const Machine defaults;
  const model::MachineParams m = one_chip(defaults.params);
  const model::ChipEnergyParams& e = m.chip.energy;
  const EnergyLedger ledger = ledger_of(m, idle_chip(m, 100_us), {std::vector<WorkCounts>(8), {}});
  const double clocks = static_cast<double>(m.chip.core.tensor.clock.hz + m.chip.core.vector.clock.hz +
                                            m.chip.core.scalar.clock.hz + m.chip.core.gpsimd.clock.hz);
  const double links =
      8.0 * 2 *
      static_cast<double>(m.link.x.bytes_per_second + m.link.y.bytes_per_second + m.link.z.bytes_per_second);
  const double idle_watts = ledger.watts(ledger.idle_joules);
  CHECK(idle_watts ==
        Approx(8 * e.idle.core.watts() + e.idle.uncore.watts() + 4 * e.hbm.background.watts() +
               8 * clocks * (1 - e.idle.gated) * e.idle.clock.joules() + links * e.link.idle_bit.joules()));
  CHECK(idle_watts < watts_of(full_load(m, 100_us)) / 3);
  // It is listed as idle, and is in no figure of chips in use.
  const runtime::EnergySummary s = runtime::summarise_energy(ledger, 0);
  CHECK((s.chips == 0 && s.idle_chips == 1 && s.joules == 0 && s.wall_watts == 0));
}

TEST_CASE("energy: each event costs its parameter, counted by hand", "[energy]") {
  const EnergyLedger ledger = ledger_of(fake_machine(), fake_run(), fake_work());
  CHECK(of(ledger, EnergyComponent::kTensor).dynamic == Approx(1e9 * (0.59e-12 + 0.48e-12)));
  CHECK(of(ledger, EnergyComponent::kVector).dynamic == Approx(3e6 * 1.69e-12));
  CHECK(of(ledger, EnergyComponent::kSbuf).dynamic == Approx(5e6 * 1.75e-12));
  CHECK(of(ledger, EnergyComponent::kDma).dynamic == Approx(1e6 * 1.9e-12));
  // 1 MB of HBM in rows of 1 KiB, as no channel counts; 10 packets of 4,160 bytes on each of two links.
  CHECK(of(ledger, EnergyComponent::kHbm).dynamic == Approx(8e6 * 3.48e-12 + 1e6 / 1024 * 909e-12));
  CHECK(of(ledger, EnergyComponent::kLink).dynamic == Approx(2 * 10 * 4160 * 8 * 2e-12));
  CHECK(of(ledger, EnergyComponent::kLink).standing == Approx(2 * 128e9 * 8 * 100e-6 * 3e-12));
  // 80 us of the tensor engine and 20 us of the vector engine.
  CHECK(of(ledger, EnergyComponent::kClock).dynamic == Approx((80e-6 * 2.4e9 + 20e-6 * 0.96e9) * 0.5e-9));
  CHECK(of(ledger, EnergyComponent::kLeakage).standing == Approx(100e-6 * (8 * 8 + 20)));
}

TEST_CASE("energy: channels of DRAM count their own rows and refreshes", "[energy]") {
  const EnergyLedger ledger = ledger_of(fake_machine(), fake_dram_run(), fake_work());
  CHECK(of(ledger, EnergyComponent::kHbm).dynamic ==
        Approx(8e6 * 3.48e-12 + 100 * 909e-12 + 0 /* the second stack moved nothing */));
  CHECK(of(ledger, EnergyComponent::kHbm).standing == Approx(6 * 7.3e-9 + 2 * 5 * 100e-6));
}

TEST_CASE("energy: components, chips, provenances and regions add up to power times time", "[energy]") {
  const EnergyLedger ledger = ledger_of(fake_machine(), fake_dram_run(), fake_work());
  const runtime::ComponentEnergy all = runtime::sum_of(ledger.components);
  const runtime::EnergySummary s = runtime::summarise_energy(ledger, 1e9);
  CHECK(s.joules == Approx(s.machine_watts * 100e-6).epsilon(1e-12));
  CHECK(s.joules == Approx(s.dynamic_joules + s.standing_joules).epsilon(1e-12));
  CHECK(std::accumulate(all.by_provenance.begin(), all.by_provenance.end(), 0.0) ==
        Approx(all.joules()).epsilon(1e-12));
  double regions = 0;
  for (const runtime::RegionEnergy& region : ledger.regions) regions += region.total();
  CHECK(regions == Approx(all.dynamic).epsilon(1e-12));
  CHECK(ledger.regions[0].joules[static_cast<std::size_t>(EnergyComponent::kHbm)] ==
        Approx(0.75 * of(ledger, EnergyComponent::kHbm).dynamic));
  const runtime::EnergyProvenance p = runtime::provenance_of(ledger);
  CHECK(p.documented + p.measured + p.derived + p.assumed + p.chosen == Approx(100));
  CHECK(p.assumed > 0);
  CHECK(s.wall_watts == Approx((s.machine_watts + 50) * 1.05 / 0.94));
}

TEST_CASE("energy: regions with more than the run's dynamic energy are an invariant", "[energy]") {
  RecordedWork work = fake_work();
  work.regions[0].work[EnergyEvent::kMacBf16] *= 100;
  CHECK_THROWS_AS(ledger_of(fake_machine(), fake_run(), work), base::InvariantError);
}

TEST_CASE("energy: half the voltage is a quarter of the energy of logic and half of the leakage",
          "[energy]") {
  auto machine = fake_machine();
  const EnergyLedger nominal = ledger_of(machine, fake_run(), fake_work());
  machine.chip.energy.voltage = 0.5;
  const EnergyLedger low = ledger_of(machine, fake_run(), fake_work());
  for (const EnergyComponent quarter :
       {EnergyComponent::kTensor, EnergyComponent::kVector, EnergyComponent::kSbuf, EnergyComponent::kDma,
        EnergyComponent::kClock})
    CHECK(of(low, quarter).joules() == Approx(of(nominal, quarter).joules() / 4));
  CHECK(of(low, EnergyComponent::kLeakage).joules() ==
        Approx(of(nominal, EnergyComponent::kLeakage).joules() / 2));
  for (const EnergyComponent same : {EnergyComponent::kHbm, EnergyComponent::kLink})
    CHECK(of(low, same).joules() == of(nominal, same).joules());
}

TEST_CASE("energy: at twice the clock a chip at full load has the same energy for each operation",
          "[energy]") {
  const Machine defaults;
  model::MachineParams fast = one_chip(defaults.params);
  const EnergyLedger slow_ledger = full_load(fast, 100_us);
  fast.chip.core.tensor.clock.hz *= 2;
  const EnergyLedger fast_ledger = full_load(fast, 50_us);
  CHECK(of(fast_ledger, EnergyComponent::kTensor).joules() ==
        Approx(of(slow_ledger, EnergyComponent::kTensor).joules()).epsilon(1e-4));
  CHECK(of(fast_ledger, EnergyComponent::kLeakage).joules() ==
        Approx(of(slow_ledger, EnergyComponent::kLeakage).joules() / 2));
  // With half of the voltage as well: half of the power of logic, and half of the leakage.
  fast.chip.energy.voltage = 0.5;
  const EnergyLedger low = full_load(fast, 50_us);
  CHECK(low.watts(of(low, EnergyComponent::kTensor).joules()) ==
        Approx(slow_ledger.watts(of(slow_ledger, EnergyComponent::kTensor).joules()) / 2).epsilon(1e-4));
  CHECK(low.watts(of(low, EnergyComponent::kLeakage).joules()) ==
        Approx(slow_ledger.watts(of(slow_ledger, EnergyComponent::kLeakage).joules()) / 2));
}

TEST_CASE("energy: a dead chip draws no power", "[energy]") {
  auto machine = fake_machine();
  machine.instances.chips["server0.chip00"].dead = true;
  const EnergyLedger ledger = ledger_of(machine, fake_run(), {});
  CHECK(runtime::sum_of(ledger.components).joules() == 0);
  machine.instances.chips.clear();
  CHECK(runtime::sum_of(ledger_of(machine, fake_run(), {}).components).joules() > 0);
}

TEST_CASE(
    "energy: idle chips beside a chip in use change none of its figures, and one event makes a chip used",
    "[energy]") {
  const Machine defaults;
  const model::MachineParams alone = one_chip(defaults.params);
  model::MachineParams server = alone;
  server.torus = {4, 4, 1};
  base::RunMeasurement run = idle_chip(alone, 100_us);
  RecordedWork work{std::vector<WorkCounts>(8), {}};
  work.cores[3][EnergyEvent::kVectorElement] = 1;
  const runtime::EnergySummary one = runtime::summarise_energy(ledger_of(alone, run, work), 1),
                               of_server = runtime::summarise_energy(ledger_of(server, run, work), 1);
  CHECK((one.chips == 1 && one.idle_chips == 0 && one.idle_joules == 0));
  CHECK((of_server.chips == 1 && of_server.idle_chips == 15 && of_server.idle_joules > 0));
  CHECK((of_server.joules == one.joules && of_server.wall_watts == one.wall_watts &&
         of_server.chip_watts == one.chip_watts && of_server.hottest_chip == one.hottest_chip));
  // A byte that lands in the memory of another chip makes that one used; a dead one stays apart.
  run.hbm.emplace_back().path = "server0.chip05.hbm0";
  run.hbm.back().write_bytes = 1;
  server.instances.chips["server0.chip09"].dead = true;
  const runtime::EnergySummary two = runtime::summarise_energy(ledger_of(server, run, work), 1);
  CHECK((two.chips == 2 && two.idle_chips == 13));
}

TEST_CASE("energy: every parameter of machine.chip.energy is in the law, with a source", "[energy]") {
  const Machine m;
  std::set<std::string> in_law{"voltage", "idle.gated", "limit"};  // factors, and a limit
  for (const EnergyTerm& term : runtime::energy_terms()) in_law.insert(term.parameter);
  const std::string root = "machine.chip.energy.";
  std::set<std::string> declared;
  for (const base::Param& param : m.tree.params())
    if (param.path.starts_with(root)) {
      declared.insert(param.path.substr(root.size()));
      CHECK(param.source.note.size() > 5);
      CHECK_FALSE(param.may_be_ideal);
    }
  CHECK(declared == in_law);
}

TEST_CASE("energy: a parameter that does not have its default counts as chosen", "[energy]") {
  Machine m;
  CHECK(runtime::provenance_in(m.tree)("tensor.bf16") == base::Provenance::kDocumented);
  m.tree.set("machine.chip.energy.tensor.bf16", "590 fJ", "--set");
  CHECK(runtime::provenance_in(m.tree)("tensor.bf16") == base::Provenance::kDocumented);
  m.tree.set("machine.chip.energy.tensor.bf16", "0.6 pJ", "--set");
  CHECK(runtime::provenance_in(m.tree)("tensor.bf16") == base::Provenance::kChosen);
  CHECK_THROWS_AS(m.tree.set("machine.chip.energy.tensor.bf16", "0.6", "--set"), base::UserError);
}
