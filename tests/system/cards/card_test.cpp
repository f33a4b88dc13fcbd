// SPDX-License-Identifier: Apache-2.0
// Cards: the shipped ones, and refusals by line.
#include "studies/cards/card.h"

#include <catch2/catch.hpp>

#include "model/base/error.h"
#include "runtime/config/config.h"
#include "studies/cards/claims.h"
#include "tests/support/temp_dir.h"

using namespace tahoma;
using base::UserError;
using runtime::Card, runtime::Claim, runtime::read_card;

namespace {

constexpr const char* kCard =
    "card:\n"
    "  name: small\n"
    "  bf16_tflops: 10\n"
    "  hbm: 1GB\n"
    "  hbm_bandwidth: 1TB/s\n"
    "  links: 200GB/s\n"
    "  devices: 4\n"
    "  source: a test\n";

UserError refused(const std::string& text) {
  const tests::TempDir dir;
  const std::string file = dir.write("card.yaml", text);
  try {
    read_card(file);
  } catch (const UserError& error) {
    return error;
  }
  FAIL("accepted:\n" + text);
  throw std::logic_error("not reached");
}

}  // namespace

TEST_CASE("cards: every shipped card states its source, and the source of its price", "[cards]") {
  const std::vector<Card> cards = runtime::shipped_cards();
  REQUIRE(cards.size() > 8);
  for (const Card& card : cards) {
    INFO(card.key);
    CHECK(!card.source.empty());
    CHECK((card.price.dollars_per_hour > 0) == !card.price.source.empty());
    CHECK((card.price.dollars_per_hour > 0) == !card.price.date.empty());
  }
}

TEST_CASE("cards: a card extends another one", "[cards]") {
  const Card base = read_card("h200"), other = read_card("h200_p5en");
  CHECK(other.hbm == base.hbm);
  CHECK(other.price.instance == "p5en.48xlarge");
  CHECK(other.dollars_per_hour() > base.dollars_per_hour());
}

TEST_CASE("cards: mistakes are refused at their line", "[cards]") {
  CHECK_THROWS_WITH(read_card("h20"), Catch::Contains("E-CRD-001") && Catch::Contains("did you mean 'h200'"));
  const std::string text = kCard;
  CHECK(refused(text.substr(0, text.find("  devices"))).code == "E-CRD-002");
  const UserError date = refused(text + "  price: {date: yesterday}\n");
  CHECK(date.code == "E-CRD-003");
  CHECK(date.place.find("card.yaml:9:") != std::string::npos);
  const UserError key = refused(text + "  pover: 700W\n");
  CHECK(key.code == "E-CFG-002");
  CHECK(key.message.find("power") != std::string::npos);
  CHECK(refused(text + "  efficiency: {compute: 1.5}\n").place.find("card.yaml:9:") != std::string::npos);
  CHECK(refused("cards:\n  name: x\n").code == "E-CFG-002");
}

TEST_CASE("claims: the verdict is that of the figures, and peaks are those of the machine", "[cards]") {
  Claim claim;
  claim.claimed = 4;
  claim.computed = 3.9;
  CHECK(claim.verdict() == std::string("not reached"));
  claim.computed = 4;
  CHECK(claim.verdict() == std::string("reached"));

  const auto dense = [](const model::MachineParams& machine) {
    return runtime::claims(machine).front().computed;
  };
  const auto whole = runtime::resolve_machine_params("trainium2_ultraserver", {}),
             halved = runtime::resolve_machine_params("trainium2_ultraserver",
                                                      {"machine.chip.core.tensor.clock=1.2GHz"});
  CHECK(dense(whole) == Approx(2 * dense(halved)));
  // 512 engines of 128 x 128 cells, two FLOPs, two products at once, at 2.4 GHz.
  CHECK(dense(whole) == Approx(512 * 128 * 128 * 2 * 2 * 2.4e9 / 1e15));
}
