// SPDX-License-Identifier: Apache-2.0
#include "studies/cards/claims.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/summary/peak_flops.h"
#include "report/text/text_layout.h"
#include "studies/cards/card.h"

namespace tahoma::runtime {

namespace {

constexpr double kPeta = 1e15, kExa = 1e18, kTera = 1e12;

// The chips that the press reports for the first cluster of Project Rainier.
constexpr double kRainierChips = 500'000;
// "More than five times the compute" of earlier models is claimed; the earlier cluster is unpublished.
constexpr double kRainierFactor = 5;

void add_peaks(std::vector<Claim>& all, const model::MachineParams& machine) {
  const double cores = static_cast<double>(machine.cores());
  const auto peak = [&](isa::DType dtype, isa::MatmulMode mode) {
    return cores * core_peak_flops(machine.chip.core.tensor, dtype, mode) / kPeta;
  };
  constexpr double kSparsity = 4;  // 4 of 16: a quarter of the products are executed
  all.push_back({"83.2 PFLOPS of dense fp8 in an UltraServer", "emulated peak, double row", 83.2,
                 peak(isa::DType::kFp8E4M3, isa::MatmulMode::kDoubleRow), "PFLOPS",
                 "all tensor engines at their clock"});
  all.push_back({"332 PFLOPS of sparse fp8 in an UltraServer", "emulated peak, 4 of 16", 332,
                 kSparsity * peak(isa::DType::kFp8E4M3, isa::MatmulMode::kSparse4of16), "PFLOPS",
                 "no mode of the engine is both sparse and double row; with both it would be twice as much"});
}

void add_generation(std::vector<Claim>& all, const Card& now, const Card& before) {
  const std::string statement = "4 times Trainium1";
  const auto of = [](base::Bandwidth rate) { return static_cast<double>(rate.bytes_per_second); };
  all.push_back(
      {statement, "bf16 peak of a chip", 4, now.bf16_tflops / before.bf16_tflops, "x", "published peaks"});
  all.push_back(
      {statement, "fp8 peak of a chip", 4, now.fp8_tflops / before.fp8_tflops, "x", "published peaks"});
  all.push_back({"4 times the HBM bandwidth of Trainium1", "bandwidth of a chip", 4,
                 of(now.hbm_bandwidth) / of(before.hbm_bandwidth), "x", "published peaks"});
  all.push_back({"3 times the memory of Trainium1", "HBM of a chip", 3,
                 static_cast<double>(now.hbm.count) / static_cast<double>(before.hbm.count), "x",
                 "published"});
}

void add_prices(std::vector<Claim>& all, const Card& trainium, const Card& gpu) {
  constexpr double kClaimed = 1.3;  // "30 to 40 % better"
  const std::string statement = fmt::format("30 to 40 % more for a dollar than {}", gpu.price.instance);
  const std::string assumption =
      fmt::format("${:.2f} of {} against ${:.2f} of {} for an hour and device", trainium.dollars_per_hour(),
                  trainium.price.date, gpu.dollars_per_hour(), gpu.price.date);
  const double price = gpu.dollars_per_hour() / trainium.dollars_per_hour();
  const auto of = [](base::Bandwidth rate) { return static_cast<double>(rate.bytes_per_second); };
  all.push_back({statement, "bf16 peak for a dollar", kClaimed,
                 trainium.bf16_tflops / gpu.bf16_tflops * price, "x", assumption});
  all.push_back({statement, "HBM bandwidth for a dollar", kClaimed,
                 of(trainium.hbm_bandwidth) / of(gpu.hbm_bandwidth) * price, "x", assumption});
}

void add_rainier(std::vector<Claim>& all, const Card& trainium, const Card& gpu) {
  const double exaflops = kRainierChips * trainium.bf16_tflops * kTera / kExa;
  all.push_back(
      {"Project Rainier: 5 times the compute of earlier models", "bf16 peak of 500,000 chips", 0, exaflops,
       "EFLOPS",
       fmt::format("undecidable: the earlier cluster is unpublished; a fifth is the peak of {:.0f} {}",
                   exaflops / kRainierFactor * kExa / (gpu.bf16_tflops * kTera), gpu.name)});
}

}  // namespace

std::vector<Claim> claims(const model::MachineParams& machine) {
  const Card trainium2 = read_card("trainium2");
  std::vector<Claim> all;
  add_peaks(all, machine);
  add_generation(all, trainium2, read_card("trainium1"));
  for (const char* gpu : {"h200", "h200_p5en"}) add_prices(all, trainium2, read_card(gpu));
  add_rainier(all, trainium2, read_card("h100"));
  return all;
}

std::string claims_text(const std::vector<Claim>& claims) {
  std::string text = fmt::format("{:<54} {:<27} {:>8} {:>9} {:<7} {}\n", "claim", "measure", "claimed",
                                 "computed", "", "verdict");
  for (const Claim& c : claims) {
    const bool decidable = c.claimed > 0;
    text += trimmed(fmt::format("{:<54} {:<27} {:>8} {:>9.4g} {:<7} {}", c.statement, c.measure,
                                decidable ? fmt::format("{:.4g}", c.claimed) : "-", c.computed, c.unit,
                                decidable ? c.verdict() : "undecidable")) +
            "\n";
    text += fmt::format("    {}\n", c.assumption);
  }
  return text;
}

nlohmann::ordered_json claims_json(const std::vector<Claim>& claims) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Claim& c : claims) {
    nlohmann::ordered_json json{{"claim", c.statement}, {"measure", c.measure}, {"unit", c.unit}};
    json["claimed"] = c.claimed > 0 ? nlohmann::ordered_json(c.claimed) : nlohmann::ordered_json(nullptr);
    json["computed"] = c.computed;
    json["verdict"] = c.claimed > 0 ? c.verdict() : "undecidable";
    json["assumption"] = c.assumption;
    all.push_back(std::move(json));
  }
  return all;
}

}  // namespace tahoma::runtime
