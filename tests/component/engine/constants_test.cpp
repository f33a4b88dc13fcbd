// SPDX-License-Identifier: Apache-2.0
// No timing constant of a NeuronCore changes unnoticed: each has a witness with a recorded figure
// (tests/support/witness/witness.h), and one step of the constant changes the witness.
#include <catch2/catch.hpp>
#include <fstream>
#include <set>

#include "tests/support/bench/machine_fixture.h"
#include "tests/support/witness/witness.h"

using namespace tahoma;
using tests::Witness;

namespace {

const std::string kCore = "machine.chip.core.";
// A figure is written to a thousandth of a nanosecond; the finest clock has 0.417 ns.
constexpr double kMargin = 0.002;
// Sizes and choices, which describe the machine's capabilities and not its times.
const std::set<std::string> kNoTimes{
    "sbuf.partitions", "sbuf.per_partition", "sbuf.usable", "psum.per_partition", "psum.bank", "rounding",
    "version",         "tensor.model",       "dma.model",   "dma.look_ahead"};

std::string below_core(const std::string& path) { return path.substr(kCore.size()); }
bool is_timing(const std::string& path) {
  return path.rfind(kCore, 0) == 0 && kNoTimes.count(below_core(path)) == 0;
}

struct Tree {
  model::MachineParams machine;
  base::ParamTree params{"machine"};
  Tree() {
    machine.declare(params);
    machine = tests::flat_chip();
  }
};

// One step up or down: a count, a cycle of the group's clock for a duration, a hundredth for rates and
// clocks. Returns false if the parameter cannot take that value.
bool move(base::Param& param, int direction, base::Frequency clock) {
  const auto count = [direction](auto& n) {
    using T = std::remove_reference_t<decltype(n)>;
    if (direction < 0 && n == 0) return false;
    n = static_cast<T>(direction < 0 ? n - 1 : n + 1);
    return true;
  };
  const bool moved = std::visit(
      [&](const auto& value) {
        using T = std::remove_pointer_t<std::remove_cvref_t<decltype(value)>>;
        if constexpr (std::is_same_v<T, bool>) return *value = !*value, true;
        if constexpr (std::is_same_v<T, std::uint64_t>) return count(*value);
        if constexpr (std::is_same_v<T, base::Cycles> || std::is_same_v<T, base::Bytes>)
          return count(value->count);
        if constexpr (std::is_same_v<T, base::Duration>)
          return *value += base::Clock(clock).length({1}) * direction, value->fs >= 0;
        if constexpr (std::is_same_v<T, base::Frequency>)
          return value->hz +=
                 static_cast<std::uint64_t>(direction * static_cast<std::int64_t>(value->hz / 100)),
                 true;
        if constexpr (std::is_same_v<T, base::Bandwidth>)
          return value->bytes_per_second += static_cast<std::uint64_t>(
                     direction * static_cast<std::int64_t>(value->bytes_per_second / 100)),
                 true;
        if constexpr (std::is_same_v<T, double>) return *value *= 1 + 0.01 * direction, true;
        return false;  // texts and choices do not determine times
      },
      param.value);
  return moved && param.check().empty();
}

base::Frequency clock_of(const std::string& path, const model::CoreParams& core) {
  const std::string group = below_core(path).substr(0, below_core(path).find('.'));
  if (group == "tensor") return core.tensor.clock;
  if (group == "vector") return core.vector.clock;
  return group == "dma" ? core.dma.clock : core.sequencer.clock;
}

void check(const std::vector<Witness>& witnesses) {
  for (const Witness& witness : witnesses) {
    CAPTURE(witness.path, witness.source);
    Tree defaults;
    CHECK(witness.value(defaults.machine) == Approx(witness.figure).margin(kMargin).epsilon(0));
    int seen = 0;
    for (const int direction : {1, -1}) {
      Tree moved;
      base::Param* param = moved.params.find(kCore + witness.path);
      REQUIRE(param != nullptr);
      if (!move(*param, direction, clock_of(param->path, moved.machine.chip.core))) continue;
      if (std::abs(witness.value(moved.machine) - witness.figure) > kMargin) ++seen;
    }
    CHECK(seen > 0);
  }
}

std::multiset<std::string> witnessed_paths() {
  std::multiset<std::string> paths;
  for (const auto& table : {tests::tensor_witnesses(), tests::lane_witnesses(), tests::sequencer_witnesses(),
                            tests::dma_witnesses()})
    for (const Witness& w : table) {
      CHECK_FALSE(std::string(w.source).empty());
      paths.insert(w.path);
    }
  return paths;
}

}  // namespace

TEST_CASE("constants: every timing parameter of a NeuronCore has one witness", "[timing]") {
  const std::multiset<std::string> witnessed = witnessed_paths();
  const Tree tree;
  std::size_t parameters = 0;
  for (const base::Param& param : tree.params.params())
    if (is_timing(param.path)) {
      CAPTURE(param.path);
      CHECK(witnessed.count(below_core(param.path)) == 1);
      ++parameters;
    }
  CHECK(witnessed.size() == parameters);
}

TEST_CASE("constants: parameters with a witness among the regression cases have one", "[timing]") {
  const std::multiset<std::string> witnessed = witnessed_paths();
  std::ifstream table(TAHOMA_SOURCE_DIR "/workloads/regression/constants.csv");
  std::size_t found = 0;
  for (std::string line; std::getline(table, line);) {
    const std::size_t end = line.find(",witness,");
    if (end == std::string::npos) continue;
    CAPTURE(line);
    CHECK(witnessed.count(below_core(line.substr(0, end))) == 1);
    ++found;
  }
  CHECK(found > 0);
}

TEST_CASE("constants: the tensor engine's equal their recorded figures, and a step shows", "[timing]") {
  check(tests::tensor_witnesses());
}
TEST_CASE("constants: the other engines' equal their recorded figures, and a step shows", "[timing]") {
  check(tests::lane_witnesses());
}
TEST_CASE("constants: the sequencers' equal their recorded figures, and a step shows", "[timing]") {
  check(tests::sequencer_witnesses());
}
TEST_CASE("constants: the DMA engines' equal their recorded figures, and a step shows", "[timing]") {
  check(tests::dma_witnesses());
}
