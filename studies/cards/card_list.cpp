// SPDX-License-Identifier: Apache-2.0
#include "studies/cards/card_list.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/tables/column_json.h"
#include "report/text/text_layout.h"
#include "runtime/host/text/format.h"

namespace tahoma::runtime {

namespace {

using base::Unit;

double bytes_per_second(base::Bandwidth rate) { return static_cast<double>(rate.bytes_per_second); }

std::optional<double> if_stated(double value) { return value > 0 ? std::optional(value) : std::nullopt; }

std::string price_text(const Card& card) {
  if (card.price.dollars_per_hour == 0) return "-";
  return fmt::format("{:.3f}", card.dollars_per_hour());
}

std::string power_text(const Card& card) {
  return card.power.uw == 0 ? "-" : fmt::format("{:.0f} W", card.power.watts());
}

}  // namespace

const base::Columns<Card>& card_columns() {
  using C = const Card&;
  static const base::Columns<Card> columns =
      base::Columns<Card>("", "cards.*")
          .text("card", "the name that --beside takes", [](C c) { return c.key; })
          .text("name", "the accelerator", [](C c) { return c.name; })
          .number("bf16_tflops", Unit::kTeraflops, "dense peak", [](C c) { return c.bf16_tflops; })
          .number("fp8_tflops", Unit::kTeraflops, "dense peak",
                  [](C c) { return base::cell_of(if_stated(c.fp8_tflops)); })
          .number(
              "hbm_bytes", Unit::kBytes, "memory", [](C c) { return c.hbm.count; }, base::Better::kMore)
          .number("hbm_bytes_per_second", Unit::kBytesPerSecond, "its bandwidth",
                  [](C c) { return bytes_per_second(c.hbm_bandwidth); })
          .number("link_bytes_per_second", Unit::kBytesPerSecond, "links, both directions",
                  [](C c) { return bytes_per_second(c.links); })
          .number("devices", Unit::kCount, "the most that the links connect", [](C c) { return c.devices; })
          .number("watts", Unit::kWatts, "at full load",
                  [](C c) { return base::cell_of(if_stated(c.power.watts())); })
          .number("dollars_per_hour", Unit::kDollars, "of a device",
                  [](C c) { return base::cell_of(if_stated(c.dollars_per_hour())); })
          .text("price_date", "date of the price", [](C c) { return c.price.date; })
          .text("price_source", "source of the price", [](C c) { return c.price.source; })
          .text("source", "source of the peaks", [](C c) { return c.source; });
  return columns;
}

std::string cards_text(const std::vector<Card>& cards) {
  std::string text = "published peaks of one device; tahoma emulates none of them\n";
  text += fmt::format("{:<12} {:<26} {:>7} {:>6} {:>9} {:>10} {:>10} {:>7} {:>7} {:>6} {}\n", "card", "name",
                      "bf16 TF", "fp8 TF", "HBM", "bandwidth", "links", "devices", "power", "$/h", "priced");
  for (const Card& c : cards)
    text +=
        trimmed(fmt::format(
            "{:<12} {:<26} {:>7.0f} {:>6} {:>9} {:>10} {:>10} {:>7} {:>7} {:>6} {}", c.key,
            fitted(c.name, 26), c.bf16_tflops, c.fp8_tflops > 0 ? fmt::format("{:.0f}", c.fp8_tflops) : "-",
            si_text(static_cast<double>(c.hbm.count), "B"), si_text(bytes_per_second(c.hbm_bandwidth), "B/s"),
            si_text(bytes_per_second(c.links), "B/s"), c.devices, power_text(c), price_text(c),
            c.price.date)) +
        "\n";
  return text;
}

nlohmann::ordered_json cards_json(const std::vector<Card>& cards) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Card& card : cards) all.push_back(columns_json(card_columns(), card));
  return all;
}

}  // namespace tahoma::runtime
