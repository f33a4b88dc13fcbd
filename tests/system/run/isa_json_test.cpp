// SPDX-License-Identifier: Apache-2.0
// The instruction table for programs, as `tahoma isa --format json` prints it.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "isa/table/table.h"
#include "tests/support/subprocess.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains;
using nlohmann::json;

namespace {

Finished isa_with(std::vector<std::string> words) {
  words.insert(words.begin(), {"isa", "--format", "json"});
  return tahoma_in(".", words);
}

}  // namespace

TEST_CASE("tahoma isa: JSON has every row of the table with its operands", "[cli]") {
  const json rows = json::parse(isa_with({}).out);
  REQUIRE(rows.size() == isa::all_rows().size());
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const isa::OpRow& row = isa::all_rows()[n];
    CHECK(rows[n]["mnemonic"] == std::string(row.mnemonic));
    CHECK(rows[n]["meaning"] == std::string(row.formula));
    CHECK(rows[n]["operands"].size() == row.fields.size());
    CHECK(rows[n]["since"] == isa::full_name_of(row.since));
  }
}

TEST_CASE("tahoma isa: JSON of a function of nki.isa has each instruction that implements it", "[cli]") {
  std::set<std::string> found, expected;
  for (const json& row : json::parse(isa_with({"nki.isa.nc_matmul"}).out)) found.insert(row["mnemonic"]);
  for (const isa::OpRow& row : isa::all_rows())
    for (const std::string_view name : row.nki)
      if (name == "nc_matmul") expected.insert(std::string(row.mnemonic));
  CHECK(found == expected);
  CHECK(found.size() > 1);
}

TEST_CASE("tahoma isa: JSON of an unknown instruction is refused with the nearest name", "[cli][bad-input]") {
  const Finished misspelt = isa_with({"matmull"});
  CHECK(misspelt.status == 2);
  CHECK_THAT(misspelt.err, Contains("error[E-ISA-001]") && Contains("did you mean 'matmul'?"));
}
