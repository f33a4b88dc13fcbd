// SPDX-License-Identifier: Apache-2.0
// Price lists: the shipped one, refusals by line, and the cost of a run by its definition.
#include "report/cost/price_list.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "model/base/error.h"
#include "report/cost/priced_run.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;
using namespace base::literals;
using base::UserError;
using runtime::PriceList, runtime::read_price_list;
using tests::TempDir;

namespace {

constexpr const char* kList =
    "prices:\n"
    "  instance: small\n"
    "  chips: 4\n"
    "  dollars_per_hour: 8\n"
    "  date: 2026-02-28\n"
    "  source: a test\n"
    "  electricity: {dollars_per_kwh: 0.1}\n"
    "  facility: {pue: 1.5, litres_per_kwh: 0.2, industry_litres_per_kwh: 0.4}\n";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kList;
  return text.replace(text.find(from), from.size(), to);
}

std::string followed_by(const std::string& more) { return fmt::format("{}{}", kList, more); }

UserError refusal(const std::string& text) {
  const TempDir dir;
  const std::string file = dir.write("list.yaml", text);
  try {
    read_price_list(file);
  } catch (const UserError& e) {
    return e;
  }
  FAIL("accepted:\n" + text);
  throw std::logic_error("not reached");
}

bool at_line(const UserError& e, int line) {
  return e.place.find("list.yaml:" + std::to_string(line) + ":") != std::string::npos;
}

PriceList listed() {
  const TempDir dir;
  return read_price_list(dir.write("list.yaml", kList));
}

}  // namespace

TEST_CASE("prices: the shipped list is the published price of a chip and hour", "[cost]") {
  REQUIRE(runtime::has_price_list(runtime::kDefaultPrices));
  const PriceList prices = read_price_list(runtime::kDefaultPrices);
  CHECK(prices.instance == "trn2.48xlarge");
  CHECK(prices.date == "2026-01-31");
  CHECK(prices.dollars_per_chip_hour() == Approx(2.235).epsilon(1e-4));  // trainium2.md, section 7
  CHECK(prices.facility.litres_per_kwh == 0.15);
  CHECK(prices.facility.industry_litres_per_kwh == 0.375);
  CHECK_FALSE(prices.source.empty());
  CHECK_FALSE(prices.electricity.source.empty());
}

TEST_CASE("prices: a list may extend another, and TAHOMA_PRICES names a folder of lists", "[cost]") {
  const TempDir dir;
  dir.write("mine.yaml", "extends: trn2\nprices: {dollars_per_hour: 20, date: 2027-01-01}\n");
  CHECK(read_price_list(dir / "mine.yaml").dollars_per_chip_hour() == Approx(1.25));
  setenv("TAHOMA_PRICES", dir.path().c_str(), 1);
  CHECK(read_price_list("mine").chips == 16);
  unsetenv("TAHOMA_PRICES");
  CHECK_THROWS_WITH(read_price_list("mine"), Catch::Contains("E-CST-001"));
}

TEST_CASE("prices: bad lists are refused by line", "[cost]") {
  CHECK_THROWS_WITH(read_price_list("trn3"),
                    Catch::Contains("E-CST-001") && Catch::Contains("did you mean 'trn2'"));
  const UserError missing = refusal(with("  date: 2026-02-28\n", ""));
  CHECK(missing.code == "E-CST-002");
  CHECK_THAT(missing.message, Catch::Contains("'prices.date' is missing"));
  for (const char* date : {"2026-02-30", "2026-2-28", "today", "2026-13-01", "20260228xx"}) {
    const UserError e = refusal(with("2026-02-28", date));
    CHECK(e.code == "E-CST-003");
    CHECK(at_line(e, 5));
  }
  const UserError negative = refusal(with("dollars_per_hour: 8", "dollars_per_hour: -8"));
  CHECK(negative.code == "E-CFG-005");
  CHECK(at_line(negative, 4));
  CHECK(refusal(with("chips: 4", "chips: 0")).code == "E-CFG-005");
  CHECK(refusal(with("pue: 1.5", "pue: 0.9")).code == "E-CFG-005");
  CHECK(refusal(with("chips: 4", "chips: four")).code == "E-CFG-004");
  const UserError unknown = refusal(with("dollars_per_hour", "dollar_per_hour"));
  CHECK(unknown.code == "E-CST-002");
  const UserError extra = refusal(followed_by("  colour: red\n"));
  CHECK(extra.code == "E-CFG-002");
  CHECK(at_line(extra, 9));
  CHECK(refusal(followed_by("machine: {}\n")).code == "E-CFG-019");
  CHECK(refusal(followed_by("machine: {name: x}\n")).code == "E-CFG-002");
  CHECK(refusal(followed_by("  chips: 5\n")).code == "E-CFG-010");
  CHECK(refusal("extends: nowhere\n").code == "E-CST-001");
}

TEST_CASE("cost: an hour of an instance costs its price, and its electricity and water by the meter",
          "[cost]") {
  const runtime::CostFigures hour = runtime::cost_of(listed(), 4, 2000, 3600);
  CHECK(hour.dollars == Approx(8));
  CHECK(hour.wall_joules == Approx(7.2e6));  // 2 kWh
  CHECK(hour.facility_joules == Approx(1.5 * 7.2e6));
  CHECK(hour.electricity_dollars == Approx(2 * 1.5 * 0.1));
  CHECK(hour.litres == Approx(2 * 0.2));
  CHECK(hour.industry_litres == Approx(2 * 0.4));
}

TEST_CASE("cost: a million tokens and a step are priced at the power of the run", "[cost]") {
  const PriceList prices = listed();
  const std::vector<runtime::WorkloadFigure> figures{{"tokens_per_second", 1000, "", ""},
                                                     {"step_time_ns", 1e9, "", ""},
                                                     {"model_step_time_ns", 5e9, "", ""}};
  const runtime::PricedRun priced = runtime::priced_run(prices, 8, 4000, 1000_us, figures);
  REQUIRE(priced.per_million_tokens);
  CHECK(priced.per_million_tokens->dollars == Approx(1000.0 / 3600 * 2 * 8));
  CHECK(priced.per_million_tokens->wall_joules == Approx(4e6));
  REQUIRE(priced.per_step);
  CHECK(priced.per_step->wall_joules == Approx(4000 * 5));
  CHECK(priced.run.wall_joules == Approx(4));
  const runtime::PricedRun plain = runtime::priced_run(prices, 8, 4000, 1000_us, {});
  CHECK_FALSE(plain.per_million_tokens);
  CHECK_FALSE(plain.per_step);
  CHECK(runtime::cost_json(plain)["per_step"].is_null());
  CHECK_THAT(runtime::cost_text(priced), Catch::Contains("4.44 $ for a million tokens, 0.0222 $ for a step"));
  CHECK_THAT(runtime::cost_text(plain),
             Catch::Contains(" $, small 8 $/h (2026-02-28), ") && Catch::Contains("l of water"));
}
