// SPDX-License-Identifier: Apache-2.0
// Options of `tahoma model`: the range of each number, and what --set may not change.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/program/model_study.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains;
using nlohmann::json;

namespace {

// The last wrap around to 0, or to another legal number, as a product or a sum of 64 bits.
constexpr const char* kNoCounts[] = {"0",
                                     "-1",
                                     "1.5",
                                     "1e3",
                                     "0x10",
                                     "010",
                                     "1048577",
                                     "4611686018427387904",
                                     "9223372036854775808",
                                     "18446744073709551615",
                                     "99999999999999999999"};

// Paths of the values of a case, without its kind and the machine that it extends.
void add_paths(const json& value, const std::string& path, std::vector<std::string>& paths) {
  if (!value.is_object())
    paths.push_back(path);
  else
    for (const auto& [key, below] : value.items())
      if (key != "extends") add_paths(below, path + "." + key, paths);
}

}  // namespace

TEST_CASE("model options: a count is a whole number from 1 to 2^20", "[model]") {
  const ModelStudy model(2);
  for (const char* option :
       {"--chips", "--lnc", "--tensor", "--data", "--sequence", "--pipeline", "--stage-layers",
        "--microbatches", "--batch", "--prompt", "--context", "--prompts"})
    for (const char* value : kNoCounts) {
      INFO(option << " " << value);
      const Finished f = model.run({option, value});
      check_refused(f, "E-CLI-003");
      CHECK_THAT(f.err, Contains(std::string(option) + ": expected a whole number from 1 to 1048576, got '" +
                                 value + "'"));
      CHECK(f.err.size() < 200);
    }
  check_refused(model.run({"--pipeline", "2", "--stage-layers", "1,9223372036854775809"}), "E-CLI-003");
  check_refused(model.run({"--layers", "1"}), "E-CLI-003");
  check_refused(model.run({"--jobs", "4097"}), "E-CLI-003");
}

TEST_CASE("model options: the largest counts are refused for what they ask for", "[model]") {
  const ModelStudy model(4);
  const std::string most = "1048576";
  check_refused(model.run({"--pipeline", "2", "--data", most, "--microbatches", most}), "E-HFC-011");
  check_refused(model.run({"--data", most, "--prompts", most, "--batch", most}), "E-CFG-005");
  check_refused(model.run({"--pipeline", "2", "--stage-layers", most + "," + most}), "E-HFC-014");
}

TEST_CASE("model options: --set refuses each value of a case that the command sets, and no other",
          "[model]") {
  const ModelStudy model(2);
  REQUIRE(model.run({"--out", "out", "--mode", "timing", "--set", "machine.chip.hbm.stacks=2"}).status == 0);
  std::size_t cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(model.folder / "out/study/cases")) {
    if (entry.path().extension() != ".yaml") continue;
    ++cases;
    const json written = json::parse(contents(entry.path().string()));
    std::vector<std::string> paths{"machine.chip.hbm.model", "workload.stages", "workload.model.window"};
    add_paths(written["machine"], "machine", paths);
    add_paths(written["workload"], "workload", paths);
    REQUIRE(paths.size() > 15);
    for (const std::string& path : paths) {
      const Finished f = model.run({"--set", path + "=1"});
      check_refused(f, "E-CLI-003");
      CHECK_THAT(f.err, Contains("--set " + path + ": tahoma model sets it from "));
    }
  }
  CHECK(cases == 2);
  check_refused(model.run({"--set", "machine.torus={x: 2}"}), "E-CLI-003");
}

TEST_CASE("model options: a mistake in another option is not blamed on --tensor", "[model]") {
  const ModelStudy model(2);
  const auto refused = [&](const std::vector<std::string>& options, const std::string& code,
                           const std::string& text) {
    const Finished f = model.run(with({"--tensor", "1"}, options));
    check_refused(f, code);
    CHECK_THAT(f.err, Contains(text) && !Contains("--tensor"));
  };
  refused({"--set", "machine.bogus=1"}, "E-CFG-002", "machine.bogus");
  refused({"--batch", "3"}, "E-HFC-011", "--batch");
  refused({"--most-hbm", "1kB"}, "E-CFG-005", "--most-hbm");
  check_refused(model.run({"--tensor", "3"}), "E-HFC-012");
}

TEST_CASE("model options: a file's name may have any bytes", "[model]") {
  const ModelStudy model(2);
  const std::string name = "n\xff.json";
  model.folder.write(name, small_model(2).dump());
  const Finished f =
      tahoma_in(model.folder.path().string(), {"model", name, "--batch", "4", "--prompt", "64"});
  INFO(f.err);
  CHECK(f.status == 0);
  CHECK_NOTHROW(model.summary("out-model"));
}
