// SPDX-License-Identifier: Apache-2.0
#include "studies/cards/beside.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "report/tables/column_csv.h"
#include "report/tables/column_json.h"
#include "report/text/text_layout.h"
#include "studies/cards/model_work.h"

namespace tahoma::runtime {

namespace {

using base::Unit, base::UserError;

constexpr double kSecondsOfAnHour = 3600, kTokens = 1e6, kNanoseconds = 1e9;

struct WantedCard {
  std::string name;
  std::uint64_t devices = 0;  // 0: as many as needed
};

WantedCard parse_wanted(const std::string& wanted) {
  const std::size_t colon = wanted.rfind(':');
  if (colon == std::string::npos) return {wanted, 0};
  try {
    return {wanted.substr(0, colon), base::parse_count(wanted.substr(colon + 1))};
  } catch (const UserError&) {
    throw UserError("E-CRD-004", "--beside " + wanted, "expected CARD or CARD:DEVICES, such as h200:8");
  }
}

bool fits(const ModelConfig& config, const Card& card, const ModelDemand& demand, std::uint64_t devices) {
  return resident_bytes(config, demand) <= static_cast<double>(devices * card.hbm.count);
}

bool divides(const ModelConfig& config, std::uint64_t devices) {
  return config.heads % devices == 0 && config.ffn % devices == 0;
}

[[noreturn]] void refuse_size(const ModelConfig& config, const Card& card, const ModelDemand& demand,
                              std::uint64_t devices) {
  throw UserError("E-CRD-004", "--beside " + card.key,
                  fmt::format("weights and caches need {:.1f} GB; {} devices have {:.1f} GB",
                              resident_bytes(config, demand) / 1e9, devices,
                              static_cast<double>(devices * card.hbm.count) / 1e9));
}

std::uint64_t fewest_devices(const ModelConfig& config, const Card& card, const ModelDemand& demand) {
  std::uint64_t most = 1;
  for (std::uint64_t devices = 1; devices <= card.devices && divides(config, devices); devices *= 2) {
    if (fits(config, card, demand, devices)) return devices;
    most = devices;
  }
  refuse_size(config, card, demand, most);
}

void check_devices(const ModelConfig& config, const Card& card, const ModelDemand& demand,
                   std::uint64_t devices) {
  const std::string place = "--beside " + card.key;
  if (devices == 0 || devices > card.devices)
    throw UserError("E-CRD-004", place,
                    fmt::format("expected 1 to {} devices, got {}", card.devices, devices));
  if (!divides(config, devices))
    throw UserError(
        "E-CRD-004", place,
        fmt::format("{} devices do not divide {} heads and {} features of the feed-forward network", devices,
                    config.heads, config.ffn));
  if (!fits(config, card, demand, devices)) refuse_size(config, card, demand, devices);
}

CardTimes times_of(const ModelConfig& config, const CardRow& row, const CardEfficiency& efficiency) {
  const auto devices = static_cast<double>(row.devices);
  const auto phase_seconds = [&](ModelPhase phase) {
    return static_cast<double>(config.layers) *
               seconds_of(row.card, efficiency, devices, layer_work(config, row.demand, phase, devices)) +
           seconds_of(row.card, efficiency, devices, ends_work(config, row.demand, phase, devices));
  };
  return {phase_seconds(ModelPhase::kPrefill), phase_seconds(ModelPhase::kDecode)};
}

std::string cell(const std::optional<double>& value) { return value ? fmt::format("{:.3g}", *value) : "-"; }

std::string milliseconds(double seconds) { return fmt::format("{:.4g} ms", seconds * 1e3); }

}  // namespace

std::optional<double> CardRow::joules_per_token() const {
  if (card.power.uw == 0) return std::nullopt;
  return static_cast<double>(devices) * card.power.watts() / tokens_per_second();
}

std::optional<double> CardRow::dollars_per_million_tokens() const {
  if (card.price.dollars_per_hour == 0) return std::nullopt;
  return kTokens * static_cast<double>(devices) * card.dollars_per_hour() / kSecondsOfAnHour /
         tokens_per_second();
}

CardRow card_row(const ModelConfig& config, const std::string& text, const ModelDemand& demand) {
  const WantedCard wanted = parse_wanted(text);
  CardRow row{read_card(wanted.name), wanted.devices, demand, {}, {}};
  if (text.find(':') == std::string::npos) row.devices = fewest_devices(config, row.card, demand);
  check_devices(config, row.card, demand, row.devices);
  row.estimate = times_of(config, row, row.card.efficiency);
  row.bound = times_of(config, row, CardEfficiency::peak());
  return row;
}

const base::Columns<CardRow>& card_row_columns() {
  using R = const CardRow&;
  static const base::Columns<CardRow> columns =
      base::Columns<CardRow>("beside.csv", "beside.*")
          .text("card", "name of the card", [](R r) { return r.card.key; })
          .text("name", "the accelerator", [](R r) { return r.card.name; })
          .number("devices", Unit::kCount, "devices that share every layer", [](R r) { return r.devices; })
          .number("batch", Unit::kCount, "sequences decoded together", [](R r) { return r.demand.batch; })
          .number("prompt", Unit::kCount, "tokens of the prompt", [](R r) { return r.demand.prompt; })
          .number("context", Unit::kCount, "tokens in the caches of each sequence",
                  [](R r) { return r.demand.context; })
          .number("ttft_ns", Unit::kNanoseconds, "time to first token, estimated",
                  [](R r) { return r.estimate.ttft * kNanoseconds; })
          .number("tpot_ns", Unit::kNanoseconds, "time per output token, estimated",
                  [](R r) { return r.estimate.tpot * kNanoseconds; })
          .number("ttft_bound_ns", Unit::kNanoseconds, "the same at the published peaks, without overheads",
                  [](R r) { return r.bound.ttft * kNanoseconds; })
          .number("tpot_bound_ns", Unit::kNanoseconds, "the same at the published peaks, without overheads",
                  [](R r) { return r.bound.tpot * kNanoseconds; })
          .number(
              "tokens_per_second", Unit::kCount, "output tokens, estimated",
              [](R r) { return r.tokens_per_second(); }, base::Better::kMore)
          .number("joules_per_token", Unit::kJoules, "of the devices at full power",
                  [](R r) { return base::cell_of(r.joules_per_token()); })
          .number("dollars_per_million_tokens", Unit::kDollars, "rent",
                  [](R r) { return base::cell_of(r.dollars_per_million_tokens()); });
  return columns;
}

std::string beside_text(const std::vector<CardRow>& rows) {
  if (rows.empty()) return "";
  std::string text =
      "\nbeside it, from published peaks by a roofline; nothing below is emulated (bound: at the peaks)\n";
  text += fmt::format("{:>5} {:<25} {:>6} {:>7} {:>5} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8} {:>7} {:>6}\n",
                      "count", "card", "prompt", "context", "batch", "TTFT", "bound", "TPOT", "bound",
                      "tokens/s", "each", "J/token", "$/M");
  for (const CardRow& r : rows)
    text += trimmed(fmt::format(
                "{:>5} {:<25} {:>6} {:>7} {:>5} {:>9} {:>9} {:>9} {:>9} {:>8.4g} {:>8.4g} {:>7} {:>6}",
                r.devices, fitted(r.card.name, 25), r.demand.prompt, r.demand.context, r.demand.batch,
                milliseconds(r.estimate.ttft), milliseconds(r.bound.ttft), milliseconds(r.estimate.tpot),
                milliseconds(r.bound.tpot), r.tokens_per_second(),
                r.tokens_per_second() / static_cast<double>(r.devices), cell(r.joules_per_token()),
                cell(r.dollars_per_million_tokens()))) +
            "\n";
  return text;
}

std::string beside_csv(const std::vector<CardRow>& rows) {
  CsvLines<CardRow> lines(card_row_columns());
  for (const CardRow& row : rows) lines.add(row);
  return lines.text();
}

nlohmann::ordered_json beside_json(const std::vector<CardRow>& rows) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const CardRow& row : rows) {
    nlohmann::ordered_json json = columns_json(card_row_columns(), row);
    json["emulated"] = false;
    all.push_back(std::move(json));
  }
  return all;
}

}  // namespace tahoma::runtime
