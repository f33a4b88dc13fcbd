// SPDX-License-Identifier: Apache-2.0
// `best` against every other algorithm, in simulations of the whole machine.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <sstream>

#include "runtime/collective/cost/choice.h"
#include "runtime/collective/cost/cost.h"
#include "runtime/collective/cost/trial.h"
#include "tests/support/program/workload_run.h"
#include "workloads/collective/collective.h"

using namespace tahoma;
using namespace tahoma::runtime::collective;
using tests::Settings;

namespace {

model::MachineParams flat_torus(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  model::MachineParams m = tests::machine_of(x, y, z);
  m.chip.hbm.model = model::HbmModel::kFlat;
  return m;
}

model::MachineParams faulty_torus() {
  model::MachineParams m = flat_torus(4, 4, 1);
  m.instances.links["server0.chip05.link.xp"].rate = 0.5;
  m.instances.links["server0.chip10.link.yp"].dead = true;
  return m;
}

model::MachineParams flat_mesh() {
  model::MachineParams m = flat_torus(4, 4, 1);
  m.link.topology = base::fabric_named("mesh");
  return m;
}

// A case of the workload `collective`.
struct CollectiveCase {
  Operation operation;
  const char* bytes;
  RankKind ranks = RankKind::kChips;
  const char* over = "machine";
};

struct CaseTime {
  std::string algorithm;
  base::Duration time, closed_form;
};

double excess(base::Duration time, base::Duration over) {
  return static_cast<double>(time.fs - over.fs) / static_cast<double>(over.fs);
}

CaseTime time_of_case(const model::MachineParams& params, const CollectiveCase& c, std::string_view algorithm,
                      Settings more = {}, model::Mode mode = model::Mode::kTiming) {
  more.insert(more.end(), {{"operation", std::string(name_of(c.operation))},
                           {"algorithm", std::string(algorithm)},
                           {"bytes", c.bytes},
                           {"ranks", base::name_in(kRankKinds, c.ranks)},
                           {"over", c.over}});
  std::istringstream text(tests::in_child([&] {
    const auto workload = tests::workload_with(workloads::make_collective, more);
    workload->check(params);
    runtime::Machine machine(params, mode);
    workload->prepare(machine, 1);
    const base::RunMeasurement run = machine.run();
    const auto result = workload->collectives(machine, run).back();
    return fmt::format("{} {} {}", result.algorithm, result.time().fs, result.closed_form.fs);
  }));
  CaseTime time;
  text >> time.algorithm >> time.time.fs >> time.closed_form.fs;
  INFO(text.str());
  REQUIRE(text);
  return time;
}

std::vector<const AlgorithmRow*> possible(const model::MachineParams& machine, const CollectiveCase& c) {
  const Group group = groups_of(machine, c.ranks, c.over).front();
  std::vector<const AlgorithmRow*> rows;
  for (const AlgorithmRow& row : algorithms())
    if (row.performs(c.operation) && row.refusal({c.operation, group.ranks(), 0, {}}, group.grid).empty())
      rows.push_back(&row);
  return rows;
}

// The time that the case loses with `best`, relative to the fastest algorithm.
double loss(const model::MachineParams& machine, const CollectiveCase& c) {
  base::Duration least = base::Duration{std::numeric_limits<std::int64_t>::max()};
  for (const AlgorithmRow* row : possible(machine, c))
    least = std::min(least, time_of_case(machine, c, row->name).time);
  return excess(time_of_case(machine, c, "best").time, least);
}

void check_no_loss(const model::MachineParams& machine, const CollectiveCase& c) {
  INFO(name_of(c.operation) << " of " << c.bytes << " over " << c.over);
  CHECK(loss(machine, c) == 0);
}

constexpr Operation kReplicating[] = {Operation::kAllReduce, Operation::kAllGather, Operation::kReduceScatter,
                                      Operation::kBroadcast, Operation::kReduce};

// A table of the closed form's errors, and of the losses of `best`.
class ChoiceTable {
 public:
  void add(const std::string& where, const model::MachineParams& machine, const CollectiveCase& c) {
    base::Duration least = base::Duration{std::numeric_limits<std::int64_t>::max()};
    const CaseTime best = time_of_case(machine, c, "best");
    for (const AlgorithmRow* row : possible(machine, c)) {
      const CaseTime one = time_of_case(machine, c, row->name);
      const double error = excess(one.closed_form, one.time);
      errors_ += std::fabs(error);
      worst_ = std::max(worst_, std::fabs(error));
      ++collectives_;
      least = std::min(least, one.time);
      fmt::print("{:9} {:13} {:9} {:14} {:12.3f} {:12.3f} {:+7.1f}%{}\n", where, name_of(c.operation),
                 c.bytes, row->name, one.time.ns() * 1e-3, one.closed_form.ns() * 1e-3, error * 100,
                 one.algorithm == best.algorithm ? "  best" : "");
    }
    ++choices_;
    fastest_ += best.time == least ? 1 : 0;
    loss_ = std::max(loss_, excess(best.time, least));
  }
  void print() const {
    fmt::print("{} collectives: the closed form is off by {:.1f} % on average, {:.1f} % at worst\n",
               collectives_, 100 * errors_ / collectives_, 100 * worst_);
    fmt::print("{} choices: best is the fastest in {}, and loses {:.2f} % at worst\n", choices_, fastest_,
               100 * loss_);
  }
  int collectives() const { return collectives_; }
  double loss() const { return loss_; }

 private:
  double errors_ = 0, worst_ = 0, loss_ = 0;
  int collectives_ = 0, choices_ = 0, fastest_ = 0;
};

}  // namespace

TEST_CASE("collective choice: best is the fastest on a torus, on a mesh and with faults", "[collective]") {
  for (const model::MachineParams& machine : {flat_torus(4, 4, 1), flat_mesh(), faulty_torus()})
    for (const Operation operation : kReplicating) check_no_loss(machine, {operation, "64 KiB"});
}

TEST_CASE("collective choice: best is the fastest for groups that share chips and links", "[collective]") {
  const model::MachineParams machine = flat_torus(2, 2, 1);
  for (const char* over : {"0,8,16,24|1,9,17,25", "0-3|4-7", "0,8|1,9,17,25", "0-15|16-31"})
    for (const Operation operation : {Operation::kAllReduce, Operation::kReduceScatter})
      check_no_loss(machine, {operation, "256 KiB", RankKind::kCores, over});
}

TEST_CASE("collective choice: both modes choose the same, and it takes the same time", "[collective]") {
  const model::MachineParams machine = flat_torus(2, 2, 1);
  const CollectiveCase c{Operation::kAllReduce, "64 KiB"};
  const CaseTime timing = time_of_case(machine, c, "best"),
                 functional = time_of_case(machine, c, "best", {}, model::Mode::kFunctional);
  CHECK(timing.algorithm == functional.algorithm);
  CHECK(timing.time == functional.time);
}

// The closed form orders candidates, and its bound rules them out; so the bound must be one.
TEST_CASE("collective choice: no simulated time is shorter than the bound that rules an algorithm out",
          "[collective]") {
  for (const model::MachineParams& machine : {flat_torus(4, 4, 1), flat_mesh(), faulty_torus()}) {
    const Group group = groups_of(machine, RankKind::kChips, "machine").front();
    for (const Operation operation : kReplicating)
      for (const AlgorithmRow* row : possible(machine, {operation, ""})) {
        Spec spec;
        spec.problem = {operation, group.ranks(), 0, {}};
        spec.algorithm = row;
        spec.elements = 1 << 20;
        const auto trial = try_alone(machine, group, spec, {});
        REQUIRE(trial);
        const Cost cost = CostModel(machine, group).of(cut_up(spec, group).together, 4UL << 20);
        INFO(name_of(operation) << " by " << row->name);
        CHECK(cost.bound > 0);
        CHECK(cost.bound <= trial->time.seconds());
      }
  }
}

TEST_CASE("collective trial: it ends at its limit and reports no time", "[collective]") {
  const model::MachineParams machine = flat_torus(2, 2, 1);
  const Group group = groups_of(machine, RankKind::kChips, "machine").front();
  Spec spec;
  spec.problem = {Operation::kAllReduce, group.ranks(), 0, {}};
  spec.algorithm = &row_for(Algorithm::kRing, spec.problem, group.grid);
  spec.elements = 1 << 16;
  const auto free = try_alone(machine, group, spec, {});
  REQUIRE(free);
  CHECK(free->time.fs > 0);
  CHECK(free->time <= free->run);
  CHECK(try_alone(machine, group, spec, free->run + base::Duration{1})->time == free->time);
  CHECK(!try_alone(machine, group, spec, base::Duration{free->run.fs / 2}));
}

TEST_CASE("collective trial: one that does not fit into the machine has no time", "[collective]") {
  model::MachineParams machine = flat_torus(2, 1, 1);
  const Group group = groups_of(machine, RankKind::kChips, "machine").front();
  Spec spec;
  spec.problem = {Operation::kAllReduce, group.ranks(), 0, {}};
  spec.algorithm = &row_for(Algorithm::kRing, spec.problem, group.grid);
  spec.elements = machine.chip.hbm.capacity.count * machine.chip.hbm.stacks;
  CHECK(!try_alone(machine, group, spec, {}));
}

TEST_CASE("collective trial: its text knows every parameter, fault and shape, but no position",
          "[collective]") {
  const auto pairs = [](const model::MachineParams& m) {
    return groups_of(m, RankKind::kCores, "0,8|1,9|2,18|16,24|17,25");
  };
  const model::MachineParams machine = flat_torus(4, 4, 1);
  const auto groups = pairs(machine);
  Spec spec;
  spec.problem = {Operation::kAllReduce, 2, 0, {}};
  spec.elements = 1000;
  const std::string text = trial_key(machine, groups[0], spec);
  // Groups 0, 1 and 2 have chip 0 in common, and through group 2 also chip 2, that of groups 3 and 4.
  CHECK(groups[0].neighbours->size() == 5);
  CHECK(trial_key(machine, groups[4], spec) == text);

  const auto apart = groups_of(machine, RankKind::kCores, "0,8|17,25|33,57");
  CHECK(apart[0].neighbours->size() == 1);
  const auto alike = groups_of(machine, RankKind::kCores, "0,8|16,24|33,57");
  CHECK(trial_key(machine, alike[0], spec) == trial_key(machine, alike[1], spec));
  CHECK(trial_key(machine, alike[0], spec) != trial_key(machine, alike[2], spec));  // wraps around
  CHECK(trial_key(machine, apart[0], spec) != trial_key(machine, apart[1], spec));  // other cores

  const auto differs = [&](const auto& change) {
    model::MachineParams other = machine;
    change(other);
    return trial_key(other, pairs(other)[0], spec) != text;
  };
  CHECK(!differs([](model::MachineParams&) {}));
  CHECK(differs([](model::MachineParams& m) { m.link.wire.fs += 1; }));
  CHECK(differs([](model::MachineParams& m) { m.chip.core.dma.bytes_per_cycle.count *= 2; }));
  CHECK(differs([](model::MachineParams& m) { m.link.topology = base::fabric_named("mesh"); }));
  CHECK(differs([](model::MachineParams& m) { m.instances.links["server0.chip05.link.xp"].rate = 0.5; }));
  CHECK(differs([](model::MachineParams& m) { m.instances.chips["server0.chip05"].slow = 2; }));

  for (const auto& change : std::vector<std::function<void(Spec&)>>{
           [](Spec& s) { s.elements += 1; }, [](Spec& s) { s.dtype = isa::DType::kBf16; },
           [](Spec& s) { s.signals = 18; }, [](Spec& s) { s.channels = 1; },
           [](Spec& s) { s.piece_bytes = 64; },
           [](Spec& s) {
             s.counts = {500, 500};
           },
           [](Spec& s) { s.chunk_elements = 600; }, [](Spec& s) { s.problem.root = 1; },
           [](Spec& s) { s.problem.operation = Operation::kAllGather; },
           [](Spec& s) { s.op = isa::AluOp::kMax; }}) {
    Spec other = spec;
    change(other);
    CHECK(trial_key(machine, groups[0], other) != text);
  }
}

// `ctest --test-dir build -R "153 collectives" -V` prints the table.
TEST_CASE("collective choice: 153 collectives on 8 cores, 16 and 64 chips, and which of them best chooses",
          "[collective][slow]") {
  ChoiceTable table;
  for (const char* bytes : {"64 KiB", "1 MiB", "16 MiB"})
    for (const Operation operation :
         {Operation::kAllReduce, Operation::kAllGather, Operation::kBroadcast, Operation::kAllToAll}) {
      table.add("8 cores", flat_torus(1, 1, 1), {operation, bytes, RankKind::kCores});
      table.add("16 chips", flat_torus(4, 4, 1), {operation, bytes});
      table.add("64 chips", flat_torus(4, 4, 4), {operation, bytes});
    }
  table.print();
  CHECK(table.collectives() == 153);
  CHECK(table.loss() == 0);
}
