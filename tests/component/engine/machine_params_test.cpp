// SPDX-License-Identifier: Apache-2.0
#include "model/system/machine/machine_params.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "model/base/error.h"
#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;

namespace {

struct MachineFixture {
  model::MachineParams machine;
  base::ParamTree tree{"machine"};
  MachineFixture() { machine.declare(tree); }
  void set(const std::string& path, const std::string& text) { tree.set("machine." + path, text, "test"); }
  std::string code_of_check() {
    try {
      machine.check();
    } catch (const base::UserError& e) {
      CHECK(tree.find(e.place) != nullptr);  // the place is the parameter's path
      return e.code;
    }
    return "";
  }
};

}  // namespace

TEST_CASE("machine parameters: each has a sentence, a source and a range", "[system][params]") {
  MachineFixture f;
  CHECK(f.tree.params().size() > 80);
  for (const base::Param& param : f.tree.params()) {
    CAPTURE(param.path);
    CHECK_FALSE(param.doc.empty());
    CHECK_FALSE(param.source.note.empty());
    CHECK_FALSE(param.range_text.empty());
    CHECK(param.check().empty());
    // Only free choices of the user have no provenance: a name, the model of a part, and a file.
    const std::string leaf = param.path.substr(param.path.rfind('.') + 1);
    CHECK((param.source.kind != base::Provenance::kChosen || leaf == "name" || leaf == "model" ||
           leaf == "look_ahead" || leaf == "links"));
  }
}

TEST_CASE("machine parameters: the recording of signals is not among them", "[system][params]") {
  MachineFixture f;
  const std::vector<std::string> paths = f.tree.paths();
  const auto texts = [&] {
    std::string all;
    for (const base::Param& param : f.tree.params()) all += text_of(param.value) + "\n";
    return all;
  };
  const std::string before = texts();
  f.machine.record({"folder", {1}, {2}});
  for (const base::WavesWindow& waves :
       {f.machine.chip.core.tensor.waves, f.machine.chip.core.dma.waves, f.machine.link.port.waves}) {
    CHECK(waves.folder == "folder");
    CHECK(waves.shows({1}));
    CHECK_FALSE(waves.shows({2}));
  }
  CHECK(texts() == before);
  CHECK(f.tree.paths() == paths);
}

// The figures are Amazon's, or decoded from device profiles, as collected in the project's hardware notes.
// They are repeated here, so that an error in a declaration is found.
TEST_CASE("machine parameters: the defaults are Trainium2's published and measured figures",
          "[system][params]") {
  const std::vector<std::pair<std::string, std::string>> figures{
      {"torus.x", "4"},
      {"torus.y", "4"},
      {"torus.z", "4"},
      {"chip.cores", "8"},                                // trainium2.rst
      {"chip.dies", "2"},                                 // driver headers
      {"chip.hbm.stacks", "4"},                           // trainium2.rst
      {"chip.hbm.capacity", "24 GiB"},                    // 96 GiB / 4
      {"chip.hbm.bandwidth", "725 GB/s"},                 // 2.9 TB/s / 4
      {"chip.core.tensor.clock", "2.4 GHz"},              // trainium2_arch.rst, as the other engines' clocks
      {"chip.core.vector.clock", "960 MHz"},              //
      {"chip.core.scalar.clock", "1.2 GHz"},              //
      {"chip.core.gpsimd.clock", "1.2 GHz"},              //
      {"chip.core.sequencer.clock", "1.2 GHz"},           // profile-schema-reference.rst
      {"chip.core.dma.clock", "850 MHz"},                 // profiles: 1.1765 ns quantum
      {"chip.core.dma.bytes_per_cycle", "32 B"},          // 27.2 GB/s an engine
      {"chip.core.dma.rings", "16"},                      // nki-dma-overview.rst
      {"chip.core.dma.packet", "4 KiB"},                  // runtime's default
      {"chip.core.dma.packet_elements", "64"},            // driver headers
      {"chip.core.tensor.rows", "128"},                   // trainium2_arch.rst
      {"chip.core.tensor.columns", "128"},                //
      {"chip.core.tensor.moving_columns", "512"},         // nc_matmul
      {"chip.core.tensor.weight_to_matmul", "30.83 ns"},  // profiles
      {"chip.core.tensor.throttle_window",
       "3413.33 ns"},                                 // 4096 cycles at 1.2 GHz, from releases in profiles
      {"chip.core.scalar.issue_overhead", "60 cyc"},  // profiles
      {"chip.core.scalar.table_load", "1283.33 ns"},  // profiles
      {"chip.core.sbuf.partitions", "128"},           // trainium2_arch.rst
      {"chip.core.sbuf.per_partition", "224 KiB"},    //
      {"chip.core.sbuf.usable", "212984 B"},          // nkipy
      {"chip.core.psum.per_partition", "16 KiB"},     // trainium2_arch.rst
      {"chip.core.psum.bank", "2 KiB"},               //
      {"link.x", "128 GB/s"},                         // 1,024 GB/s a chip over 4 neighbours, both ways
      {"link.y", "128 GB/s"},                         //
      {"link.z", "64 GB/s"},                          // 256 GB/s a chip over 2 neighbours, both ways
  };
  MachineFixture f;
  for (const auto& [path, figure] : figures) {
    CAPTURE(path);
    const base::Param* param = f.tree.find("machine." + path);
    REQUIRE(param != nullptr);
    CHECK(param->default_text == figure);
  }
}

TEST_CASE("machine parameters: measured ranges hold their defaults", "[system][params]") {
  const MachineFixture f;
  const auto between = [](double value, double low, double high) { return low <= value && value <= high; };
  const model::CoreParams& core = f.machine.chip.core;
  CHECK(between(static_cast<double>(core.tensor.issue_overhead.count), 4, 6));
  CHECK(between(core.tensor.pipeline_latency.ns(), 396 / 2.4, 398 / 2.4));
  CHECK(between(core.tensor.weight_load_latency.ns(), 196 / 2.4, 202 / 2.4));
  const base::Clock vector(core.vector.clock), scalar(core.scalar.clock);
  const base::Cycles two_tiles = core.vector.issue_overhead + core.vector.second_operand;
  CHECK(between(static_cast<double>(two_tiles.count), 58, 71));
  CHECK(between(vector.length(two_tiles).ns() + core.vector.latency.ns(), 157, 160));
  CHECK(between(scalar.length(core.scalar.issue_overhead).ns() + core.scalar.latency.ns(), 159.1, 159.2));
  CHECK(between(static_cast<double>(core.dma.element_overhead.count), 2, 4));
  CHECK(between(core.dma.doorbell_sync.ns(), 57.5, 60.8));
  CHECK(between(core.dma.pitch_sync.ns(), 81.67, 86));
  CHECK(between(core.dma.start_up.ns(), 691, 718));
  CHECK(between(core.dma.start_up.ns() + tahoma::tests::unloaded_read(f.machine).ns(), 794, 830));
  CHECK(between(core.dma.skew_half.ns() + 7 * core.dma.skew_far.ns(), 190, 215));
  CHECK(between(core.dma.write_sbuf.ns(), 195, 235));
  CHECK(between(core.dma.write_hbm.ns(), 228, 291));
  CHECK(between(core.dma.small_element.ns(), 79, 108));
}

TEST_CASE("machine parameters: constraints between them are checked", "[system][params]") {
  CHECK(MachineFixture().code_of_check().empty());
  const std::vector<std::vector<std::pair<std::string, std::string>>> misfits{
      {{"chip.core.sbuf.usable", "225 KiB"}},         // of 224
      {{"chip.core.psum.bank", "3 KiB"}},             // banks in a partition
      {{"chip.core.psum.bank", "1 KiB"}},             // a row of 512 fp32
      {{"chip.core.tensor.moving_columns", "1024"}},  // in 2 KiB
  };
  for (const auto& changes : misfits) {
    MachineFixture f;
    for (const auto& [path, text] : changes) f.set(path, text);
    CAPTURE(changes.front().first);
    CHECK(f.code_of_check() == "E-CFG-020");
  }
}

TEST_CASE("machine parameters: what the version of the core does not allow is refused",
          "[system][params][bad-input]") {
  const auto code = [](const std::vector<std::pair<const char*, const char*>>& values) {
    MachineFixture f;
    for (const auto& [path, text] : values) f.set(path, text);
    return f.code_of_check();
  };
  CHECK(code({{"chip.lnc", "2"}}).empty());
  CHECK(code({{"chip.core.version", "v2"}, {"chip.lnc", "2"}}) == "E-CFG-020");
  CHECK(code({{"chip.core.tensor.moving_columns", "4096"}}) == "E-CFG-020");
  CHECK(code({{"chip.core.version", "v4"}, {"chip.core.tensor.moving_columns", "4096"}}).empty());
  CHECK(code({{"chip.core.tensor.model", "rtl"}}).empty());
  CHECK(code({{"chip.core.version", "v4"}, {"chip.core.tensor.model", "rtl"}}) == "E-CFG-020");
  CHECK(code({{"chip.core.version", "v4"}, {"chip.core.dma.model", "rtl"}}) == "E-CFG-020");
}
