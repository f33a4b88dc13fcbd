// SPDX-License-Identifier: Apache-2.0
#include "studies/cards/card.h"

#include <filesystem>

#include "model/base/loader/config_loader.h"
#include "runtime/config/preset_file.h"

namespace tahoma::runtime {

namespace {

using namespace base::literals;

constexpr double kMostTflops = 1e6, kMostPrice = 1e6;

const PresetRules& card_rules() {
  static const PresetRules rules{
      PresetKind::kCards,
      "card",
      "card",
      "--beside",
      {"name", "bf16_tflops", "hbm", "hbm_bandwidth", "links", "devices", "source"},
      "E-CRD-001",
      "E-CRD-002"};
  return rules;
}

}  // namespace

void CardEfficiency::declare(base::ParamTree& t) {
  t.add("compute", compute, 0.75, {0.01, 1.0},
        "share of the peak FLOPS that a matrix product or attention reaches",
        base::documented("FlashAttention-3 (arXiv 2407.08608): 740 of 989 TFLOPS on an H100"));
  t.add("memory", memory, 0.87, {0.01, 1.0}, "share of the HBM bandwidth that a kernel reaches",
        base::documented(
            "copy within an H100, 2,903 of 3,350 GB/s (benchmark of Voltage Park with Georgia Tech)"));
  t.add("links", links, 1.0, {0.01, 1.0}, "share of the links' rate that a ring of all devices reaches",
        base::documented(
            "bus bandwidth of all_reduce on 8 H100, 480 of 450 GB/s in one direction, because the switch "
            "reduces (benchmark of Voltage Park with Georgia Tech)"));
  t.add("launch", launch, 2_us, {0_us, 1000_us}, "time between two dependent kernels of a captured graph",
        base::assumed("between one and a few microseconds; no measurement at hand"));
  t.add("collective", collective, 10_us, {0_us, 1000_us}, "time of a collective beside that of its bytes",
        base::assumed("small all_reduces within a server take 10 to 20 us; no measurement at hand"));
}

void CardPrice::declare(base::ParamTree& t) {
  t.add("instance", instance, "", {}, "kind of instance", base::chosen());
  t.add("devices", devices, std::uint64_t{1}, {1, 4096}, "accelerators of one instance", base::chosen());
  t.add("dollars_per_hour", dollars_per_hour, 0.0, {0.0, kMostPrice}, "price of one instance for an hour",
        base::chosen());
  t.add("date", date, "", {}, "of that price, YYYY-MM-DD", base::chosen());
  t.add("source", source, "", {}, "where it was read", base::chosen());
}

void Card::declare(base::ParamTree& t) {
  t.add("name", name, "", {}, "name of the accelerator", base::chosen());
  t.add("bf16_tflops", bf16_tflops, 1.0, {1e-3, kMostTflops}, "dense peak of one device in bf16",
        base::chosen());
  t.add("fp8_tflops", fp8_tflops, 0.0, {0.0, kMostTflops}, "the same in fp8; 0: not stated", base::chosen());
  t.add("hbm", hbm, {80'000'000'000}, {{1'000'000}, {100'000'000'000'000}}, "memory of one device",
        base::chosen());
  t.add("hbm_bandwidth", hbm_bandwidth, 1000_GBps, {1_GBps, 1'000'000_GBps}, "its bandwidth", base::chosen());
  t.add("links", links, 600_GBps, {1_GBps, 1'000'000_GBps},
        "rate of the links of one device, both directions together", base::chosen());
  t.add("devices", devices, std::uint64_t{8}, {1, 1'000'000}, "the most devices that these links connect",
        base::chosen());
  t.add("power", power, {0}, {{0}, {100'000'000'000}}, "power of one device at full load; 0: not stated",
        base::chosen());
  t.add("source", source, "", {}, "where these were read", base::chosen());
  t.group("price", price);
  t.group("efficiency", efficiency);
}

Card read_card(const std::string& name) {
  const base::FlatConfig config = read_preset(card_rules(), name);
  if (config.find("card.price.date") != nullptr) require_date(config, "card.price.date", "E-CRD-003");
  Card card;
  card.key = std::filesystem::path(name).stem().string();
  base::ParamTree tree(card_rules().root);
  card.declare(tree);
  base::apply(config, tree);
  return card;
}

std::vector<Card> shipped_cards() {
  std::vector<Card> cards;
  for (const std::string& name : preset_names(PresetKind::kCards)) cards.push_back(read_card(name));
  return cards;
}

}  // namespace tahoma::runtime
