// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/config.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "model/base/error.h"
#include "runtime/config/config_files.h"
#include "tests/support/program/fake_workload.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;
using runtime::ConfigRequest, runtime::ResolvedConfig, runtime::preset_names, runtime::resolve_machine_params;
using tests::TempDir;

namespace {

struct Refused {
  std::string code, place, message;
};

std::unique_ptr<ResolvedConfig> resolve(const ConfigRequest& request) {
  return runtime::resolve_config(request, tests::fake_kinds());
}

Refused refusal_of_config(const ConfigRequest& request) {
  try {
    resolve(request);
  } catch (const base::UserError& e) {
    CHECK(e.status == base::ExitStatus::kUsage);
    return {e.code, e.place, e.message};
  }
  return {};
}

// A request for a case with these lines in a fresh folder.
struct Case {
  TempDir dir;
  ConfigRequest request;
  explicit Case(const std::string& text) { request.workload = dir.write("case.yaml", text); }
  std::string place(const std::string& line_and_column) const {
    return request.workload + ":" + line_and_column;
  }
};

std::unique_ptr<ResolvedConfig> with_machine(const std::string& machine) {
  Case c("kind: product\n");
  c.request.machine = machine;
  return resolve(c.request);
}

}  // namespace

TEST_CASE("presets: every file loads, passes its checks and has its own name", "[config]") {
  const std::filesystem::path folder = std::filesystem::path(TAHOMA_SOURCE_DIR) / "model/configs";
  std::size_t presets = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    CAPTURE(entry.path());
    const auto by_path = with_machine(entry.path().string());
    const auto by_name = with_machine(entry.path().stem().string());
    CHECK(by_path->to_yaml() == by_name->to_yaml());
    CHECK(by_path->machine.name == entry.path().stem().string());
    ++presets;
  }
  CHECK(presets >= 5);
}

TEST_CASE("presets: a chip is one chip, a server 16 and a Trn2 UltraServer 64, whatever the generation",
          "[config]") {
  for (const std::string& name : runtime::preset_names()) {
    CAPTURE(name);
    const std::uint64_t chips = with_machine(name)->machine.chips();
    if (name.ends_with("_chip")) CHECK(chips == 1);
    if (name.ends_with("_server")) CHECK(chips == 16);
    if (name.ends_with("_ultraserver")) CHECK(chips == 64);
  }
  CHECK(with_machine("trainium2_chip")->machine.chips() == 1);
}

TEST_CASE("presets: the UltraServer has Amazon's totals", "[config]") {
  const auto config = with_machine("trainium2_ultraserver");
  const model::MachineParams& m = config->machine;
  CHECK(m.chips() == 64);
  CHECK(m.cores() == 512);
  CHECK(m.chip.hbm.stacks * m.chip.hbm.bandwidth.bytes_per_second ==
        2'900'000'000'000ULL);                                          // 2.9 TB/s a chip
  CHECK(m.chip.hbm.stacks * m.chip.hbm.capacity.count == 96ULL << 30);  // 96 GiB a chip
  // 1.28 TB/s of NeuronLink a chip: four neighbours in x and y, two in z, both directions.
  const auto both_ways = [](base::Bandwidth b) { return 2 * 2 * b.bytes_per_second; };
  CHECK(both_ways(m.link.x) + both_ways(m.link.y) == 1'024'000'000'000ULL);
  CHECK(both_ways(m.link.z) == 256'000'000'000ULL);
  const model::CoreParams& core = m.chip.core;
  CHECK(core.sbuf.partitions * core.sbuf.per_partition.count == 28ULL << 20);  // 28 MiB
  CHECK(core.sbuf.partitions * core.psum.per_partition.count == 2ULL << 20);   // 2 MiB
  CHECK(core.psum.per_partition.count / core.psum.bank.count == 8);
  // Dense bf16: 79 TFLOPS a core as documented, rounded.
  const auto flops = 2 * core.tensor.rows * core.tensor.columns * core.tensor.clock.hz;
  CHECK(static_cast<double>(flops) * 1e-12 == Approx(79).epsilon(0.01));
}

TEST_CASE("presets: the declared default is the UltraServer, and smaller presets differ in the torus only",
          "[config]") {
  const auto declared = with_machine("");
  const auto ultraserver = with_machine("trainium2_ultraserver");
  CHECK(declared->to_yaml() == ultraserver->to_yaml());
  for (const auto& [name, chips] :
       {std::pair{"trainium2_server", 16U}, std::pair{"trainium2_one_chip", 1U}}) {
    const auto config = with_machine(name);
    CHECK(config->machine.chips() == chips);
    const auto& params = config->machine_tree.params();
    for (std::size_t i = 0; i < params.size(); ++i) {
      if (params[i].path == "machine.name" || params[i].path.starts_with("machine.torus.")) continue;
      CHECK(base::text_of(params[i].value) == base::text_of(declared->machine_tree.params()[i].value));
    }
  }
}

TEST_CASE("presets: the what-if machines differ from the UltraServer only in their memory", "[config]") {
  const auto ultraserver = with_machine("trainium2_ultraserver");
  for (const char* const name : {"whatif_hbm3", "whatif_hbm4"}) {
    const auto config = with_machine(name);
    std::vector<std::string> changed;
    for (std::size_t i = 0; i < config->machine_tree.params().size(); ++i) {
      const base::Param& param = config->machine_tree.params()[i];
      if (base::text_of(param.value) != base::text_of(ultraserver->machine_tree.params()[i].value))
        changed.push_back(param.path);
    }
    REQUIRE(changed.size() > 2);
    CHECK(changed[0] == "machine.name");
    for (std::size_t i = 1; i < changed.size(); ++i) CHECK(changed[i].starts_with("machine.chip.hbm."));
  }
}

// Pins x rate of the standards, JESD238 and JESD270-4; a cycle of the command clock is four bits of a pin.
TEST_CASE("presets: stacks have their standard's pins, and a command clock of a quarter of their rate",
          "[config]") {
  struct Standard {
    const char* preset;
    std::uint64_t pins, rate;  // bits a second and pin
  };
  for (const Standard& s :
       {Standard{"whatif_hbm3", 1024, 6'400'000'000}, {"whatif_hbm4", 2048, 8'000'000'000}}) {
    const auto config = with_machine(s.preset);
    const model::HbmParams& hbm = config->machine.chip.hbm;
    CAPTURE(s.preset);
    CHECK(hbm.bandwidth.bytes_per_second == s.pins * s.rate / 8);
    CHECK(hbm.dram.channels * hbm.dram.pseudo_channels * 32 == s.pins);
    // Each access is a burst of 8 on the 32 pins of a pseudo-channel, and takes ccd_short cycles.
    CHECK(hbm.dram.access.count == 32);
    CHECK(hbm.dram.channels * hbm.dram.pseudo_channels * hbm.dram.access.count * (s.rate / 4) ==
          hbm.bandwidth.bytes_per_second * static_cast<std::uint64_t>(hbm.dram.timing.ccd_short.count));
  }
}

TEST_CASE("presets: every machine's DRAM fits together", "[config]") {
  for (const std::string& name : preset_names())
    CHECK(resolve_machine_params(name, {"machine.chip.hbm.model=dram"}).chip.hbm.has_dram());
}

// The reference simulations' organisations: a stack of one channel.
TEST_CASE("presets: machines of the reference simulations have one channel of 512 MiB and 1 GiB",
          "[config]") {
  const std::string folder = TAHOMA_SOURCE_DIR "/workloads/micro/hbm/";
  for (const auto& [name, capacity, rfc] :
       {std::tuple{"channel_8gb", 512ULL << 20, 260}, {"channel_16gb", 1024ULL << 20, 350}}) {
    const model::MachineParams machine = resolve_machine_params(folder + name + ".yaml", {});
    const model::HbmParams& hbm = machine.chip.hbm;
    CAPTURE(name);
    CHECK(machine.name == name);
    CHECK(machine.chips() * machine.chip.hbm.stacks == 1);
    CHECK(hbm.has_dram());
    CHECK(hbm.capacity.count == capacity);
    CHECK(hbm.dram.timing.rfc_all.fs == rfc * 1'000'000LL);
    // 1,600,000,000 cycles a second of two pseudo-channels, 32 B every 2 cycles.
    CHECK(hbm.bandwidth.bytes_per_second == 2 * 32 * 1'600'000'000ULL / 2);
  }
}

TEST_CASE("config: a workload file sets kind, machine, mode, seed and parameters", "[config]") {
  Case c(
      "kind: product\nmachine: trainium2_one_chip\nmode: timing\nseed: 7\nworkload: {m: 256, shard: {m: "
      "2}}\n");
  const auto config = resolve(c.request);
  CHECK(config->run.kind == "product");
  CHECK(config->mode() == model::Mode::kTiming);
  CHECK(config->run.seed == 7);
  CHECK(config->machine.chips() == 1);
  CHECK(config->workload_tree.find("workload.m")->set_at == c.place("5:15"));
  CHECK(tests::fake(*config->workload).m == 256);
  CHECK(tests::fake(*config->workload).shard.m == 2);
}

TEST_CASE("config: without options the mode is functional and the seed 1", "[config]") {
  Case c("kind: other\n");
  const auto config = resolve(c.request);
  CHECK(config->mode() == model::Mode::kFunctional);
  CHECK(config->run.seed == 1);
  CHECK(config->run.kind == "other");
}

TEST_CASE(
    "config: --machine, --mode and --seed win over the file, --set over everything, the last over the first",
    "[config]") {
  Case c("kind: product\nmachine: {torus: {x: 2, y: 2, z: 2}}\nmode: timing\nseed: 7\nworkload: {m: 256}\n");
  CHECK(resolve(c.request)->machine.chips() == 8);
  c.request.machine = "trainium2_server";
  c.request.mode = "functional";
  c.request.seed = "9";
  c.request.overrides = {"machine.torus.z=2", "workload.m=5", "workload.m=6",
                         "machine.chip.hbm.bandwidth=ideal", "workload.shard={m: 2, n: 8, k: 4}"};
  const auto config = resolve(c.request);
  CHECK(config->machine.chips() == 32);  // nothing of the file's machine remains
  CHECK(config->mode() == model::Mode::kFunctional);
  CHECK(config->run.seed == 9);
  CHECK(config->machine.chip.hbm.bandwidth.ideal);
  const tests::FakeWorkload& workload = tests::fake(*config->workload);
  CHECK(workload.m == 6);
  CHECK(workload.shard.m == 2);
  CHECK(workload.shard.n == 8);
  CHECK(workload.shard.k == 4);
}

TEST_CASE("config: --set reaches mode, seed and kind too", "[config]") {
  Case c("kind: product\n");
  c.request.overrides = {"mode=timing", "seed=3", "kind=other", "workload.n=4"};
  const auto config = resolve(c.request);
  CHECK(config->mode() == model::Mode::kTiming);
  CHECK(config->run.seed == 3);
  CHECK(config->run.kind == "other");
  CHECK(config->workload_tree.find("workload.n") != nullptr);
}

TEST_CASE("config: a machine in the workload file may extend a preset or a file beside it", "[config]") {
  Case c("kind: product\nmachine:\n  extends: mine\n  torus: {z: 2}\n");
  c.dir.write("mine.yaml", "extends: trainium2_one_chip\nmachine: {name: mine, torus: {x: 2}}\n");
  const auto config = resolve(c.request);
  CHECK(config->machine.name == "mine");
  CHECK(config->machine.chips() == 4);
}

TEST_CASE("config: a workload file may extend another one", "[config]") {
  Case c("extends: base.yaml\nworkload: {m: 5}\n");
  c.dir.write("base.yaml", "kind: product\nseed: 4\nworkload: {m: 1, n: 2}\n");
  const auto config = resolve(c.request);
  CHECK(tests::fake(*config->workload).m == 5);
  CHECK(tests::fake(*config->workload).n == 2);
  CHECK(config->run.seed == 4);
}

TEST_CASE("config: a machine alone is a preset or file with overrides, checked", "[config]") {
  CHECK(runtime::resolve_machine_params("", {}).chips() == 64);
  CHECK(runtime::resolve_machine_params("trainium2_server", {"machine.torus.z=2"}).chips() == 32);
  CHECK_THROWS_WITH(runtime::resolve_machine_params("", {"machine.chip.core.psum.bank=3 KiB"}),
                    Catch::Contains("E-CFG-020"));
  CHECK_THROWS_WITH(runtime::resolve_machine_params("", {"workload.m=3"}), Catch::Contains("E-CFG-002"));
}

TEST_CASE("config: presets are also searched in TAHOMA_CONFIGS", "[config]") {
  const TempDir presets;
  presets.write("elsewhere.yaml", "machine: {name: elsewhere, torus: {x: 3}}\n");
  setenv("TAHOMA_CONFIGS", presets.path().c_str(), 1);
  CHECK(with_machine("elsewhere")->machine.torus.x == 3);
  CHECK(with_machine("elsewhere.yaml")->machine.name == "elsewhere");
  unsetenv("TAHOMA_CONFIGS");
  Case c("kind: product\n");
  c.request.machine = "elsewhere";
  CHECK(refusal_of_config(c.request).code == "E-CFG-021");
}

TEST_CASE("config: the resolved configuration resolves to itself, byte by byte", "[config]") {
  Case c(
      "kind: product\nmachine: whatif_hbm4\nseed: 18446744073709551615\nworkload: {input: 'a \"b\": "
      "c#.npy'}\n");
  c.request.mode = "timing";
  c.request.overrides = {"machine.link.wire=ideal", "machine.link.x=ideal",
                         "machine.chip.core.tensor.throttle=false",
                         "machine.chip.core.tensor.pipeline_latency=165.123456 ns", "machine.name=010"};
  const auto first = resolve(c.request);
  Case again(first->to_yaml());
  const auto second = resolve(again.request);
  CHECK(second->to_yaml() == first->to_yaml());
  CHECK(second->machine.link.x.ideal);
  CHECK(second->machine.chip.core.tensor.pipeline_latency.fs == 165'123'456);
  CHECK(second->machine.name == "010");
  CHECK(tests::fake(*second->workload).input == "a \"b\": c#.npy");
  CHECK_THAT(first->to_yaml(), !Catch::Contains("extends"));
}

TEST_CASE("config: unknown keys are refused at their place, with the nearest name", "[config]") {
  Case top("kind: product\nmachin: trainium2_server\n");
  Refused r = refusal_of_config(top.request);
  CHECK(r.code == "E-CFG-002");
  CHECK(r.place == top.place("2:1"));
  CHECK_THAT(r.message, Catch::Contains("did you mean 'machine'?"));

  Case below("kind: product\nmachine:\n  chip:\n    hbm: {bandwith: 725 GB/s}\n");
  r = refusal_of_config(below.request);
  CHECK(r.code == "E-CFG-002");
  CHECK(r.place == below.place("4:11"));
  CHECK_THAT(r.message, Catch::Contains("did you mean 'machine.chip.hbm.bandwidth'?"));

  Case in_machine("kind: product\nmachine: mine\n");
  const std::string mine = in_machine.dir.write("mine.yaml", "machine: {name: a}\nchip: {cores: 2}\n");
  r = refusal_of_config(in_machine.request);
  CHECK(r.code == "E-CFG-002");
  CHECK(r.place == mine + ":2:8");

  Case set("kind: product\n");
  for (const char* wrong :
       {"machine.chip.hbm.stack=6", "workload.mm=6", "machne.chip.hbm.stacks=6", "modes=timing"}) {
    set.request.overrides = {wrong};
    r = refusal_of_config(set.request);
    CHECK(r.code == "E-CFG-002");
    CHECK(r.place == "--set " + std::string(wrong));
    CHECK_THAT(r.message, Catch::Contains("did you mean"));
  }
}

TEST_CASE("config: values of the command line are checked like those of files", "[config]") {
  Case c("kind: product\n");
  const auto code_of = [&](const std::string& argument) {
    c.request.overrides = {argument};
    return refusal_of_config(c.request).code;
  };
  CHECK(code_of("machine.chip.hbm.bandwidth=725") == "E-CFG-003");
  CHECK(code_of("workload.m=many") == "E-CFG-004");
  CHECK(code_of("machine.torus.x=17") == "E-CFG-005");
  CHECK(code_of("workload.dtype=bf15") == "E-CFG-006");
  CHECK(code_of("machine.torus.x=ideal") == "E-CFG-007");
  CHECK(code_of("workload.m=010") == "E-CFG-013");
  CHECK(code_of("workload.m") == "E-CFG-018");
  CHECK(code_of("workload.shard=4") == "E-CFG-019");
  CHECK(code_of("workload=4") == "E-CFG-019");
  CHECK(code_of("workload.m=4").empty());
  c.request.overrides.clear();
  c.request.mode = "fast";
  CHECK(refusal_of_config(c.request).code == "E-CFG-006");
  CHECK(refusal_of_config(c.request).place == "--mode fast");
  c.request.mode.clear();
  c.request.seed = "-1";
  CHECK(refusal_of_config(c.request).code == "E-CFG-005");
}

TEST_CASE("config: the kind must be given and known", "[config]") {
  Case missing("workload: {m: 4}\n");
  CHECK(refusal_of_config(missing.request).code == "E-CFG-022");
  CHECK_THAT(refusal_of_config(missing.request).message, Catch::Contains("product, other"));
  Case unknown("kind: produkt\n");
  CHECK(refusal_of_config(unknown.request).code == "E-CFG-006");
  CHECK(refusal_of_config(unknown.request).place == unknown.place("1:7"));
  CHECK_THAT(refusal_of_config(unknown.request).message, Catch::Contains("did you mean 'product'?"));
}

TEST_CASE("config: machines and parents that do not exist are refused by name", "[config]") {
  Case machine("kind: product\nmachine: trainium2_ultrasever\n");
  Refused r = refusal_of_config(machine.request);
  CHECK(r.code == "E-CFG-021");
  CHECK(r.place == machine.place("2:10"));
  CHECK_THAT(r.message, Catch::Contains("did you mean 'trainium2_ultraserver'?"));
  machine.request.machine = "nowhere/at/all.yaml";
  CHECK(refusal_of_config(machine.request).place == "--machine nowhere/at/all.yaml");
  Case empty("kind: product\nmachine: ''\n");
  CHECK(refusal_of_config(empty.request).code == "E-CFG-021");
  Case parent("extends: gone.yaml\nkind: product\n");
  CHECK(refusal_of_config(parent.request).code == "E-CFG-016");
  CHECK(refusal_of_config(parent.request).place == parent.place("1:10"));
  Case itself("extends: ./case.yaml\nkind: product\n");
  CHECK(refusal_of_config(itself.request).code == "E-CFG-016");
}

TEST_CASE("config: an unreadable file is reported with the reason", "[config]") {
  const TempDir dir;
  ConfigRequest request;
  request.workload = dir / "missing.yaml";
  Refused r = refusal_of_config(request);
  CHECK(r.code == "E-RUN-001");
  CHECK(r.place == request.workload);
  CHECK_THAT(r.message, Catch::Contains("No such file or directory"));
  request.workload = dir.path().string();
  CHECK_THAT(refusal_of_config(request).message, Catch::Contains("Is a directory"));
}

TEST_CASE("config: a file without end is refused for its size", "[config]") {
  ConfigRequest request;
  request.workload = "/dev/zero";
  CHECK(refusal_of_config(request).code == "E-CFG-014");
}

TEST_CASE("config: values that do not fit together are refused where one of them was set", "[config]") {
  Case c("kind: product\nmachine:\n  chip: {core: {psum: {bank: 3 KiB}}}\n");
  Refused r = refusal_of_config(c.request);
  CHECK(r.code == "E-CFG-020");
  CHECK(r.place == c.place("3:30"));
  CHECK_THAT(r.message, Catch::Contains("'machine.chip.core.psum.bank'"));
  Case workload("kind: product\nworkload: {shard: {n: 3}}\n");
  r = refusal_of_config(workload.request);  // the fake's own check refuses 3
  CHECK(r.code == "E-TST-001");
  CHECK(r.place == workload.place("2:23"));
}
