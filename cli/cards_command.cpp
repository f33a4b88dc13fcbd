// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "runtime/config/config.h"
#include "runtime/host/json/json_text.h"
#include "studies/cards/card_list.h"
#include "studies/cards/claims.h"

namespace tahoma::runtime {

namespace {

struct CardsCommand {
  std::string table = "cards", format = "text";
};

constexpr const char* kUltraServer = "trainium2_ultraserver";

struct CardsAnswer {
  std::string text;
  nlohmann::ordered_json json;
};

CardsAnswer answer_of(const std::string& table) {
  if (table == "claims") {
    const std::vector<Claim> all = claims(resolve_machine_params(kUltraServer, {}));
    return {claims_text(all), claims_json(all)};
  }
  const std::vector<Card> cards = shipped_cards();
  return {cards_text(cards), cards_json(cards)};
}

}  // namespace

void add_cards_command(CLI::App& sub, Action& action) {
  const auto command = std::make_shared<CardsCommand>();
  add_choice(sub, "--table", command->table, {"cards", "claims"},
             "cards: what tahoma model --beside knows; claims: published claims beside what was computed");
  add_choice(sub, "--format", command->format, {"text", "json"}, "What to print");
  sub.callback([command, &action] {
    action = [command] {
      const CardsAnswer answer = answer_of(command->table);
      fmt::print("{}", command->format == "json" ? dump_json(answer.json, 2) + "\n" : answer.text);
      return base::ExitStatus::kOk;
    };
  });
}

}  // namespace tahoma::runtime
