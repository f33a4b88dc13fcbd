// SPDX-License-Identifier: Apache-2.0
#include "studies/model/kept/kept_runs.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "report/cost/price_list.h"
#include "runtime/host/sha256.h"
#include "runtime/host/text/whole_file.h"
#include "studies/batch/atomic_files.h"
#include "studies/sweep/execution/prepared.h"

namespace tahoma::runtime {

namespace fs = std::filesystem;

namespace {

// Prices are no part of a configuration. Without a list a run has no costs.
std::string text_of_prices(const std::string& name) {
  const std::optional<PriceList> prices = prices_of(name);
  if (!prices) return "";
  const PriceList& p = *prices;
  return fmt::format(
      "{} {} {} {} {:.17g} {:.17g} {} {:.17g} {:.17g} {:.17g} {} {:.17g} {:.17g} {}", p.instance, p.date,
      p.source, p.chips, p.dollars_per_hour, p.electricity.dollars_per_kwh, p.electricity.source,
      p.facility.pue, p.facility.litres_per_kwh, p.facility.industry_litres_per_kwh, p.facility.source,
      p.manufacturing.hbm_dollars_per_gib, p.manufacturing.package_dollars, p.manufacturing.source);
}

}  // namespace

std::string KeptRuns::address_of_run(const RunOptions& options) const {
  const auto config = resolve_config(options.config);
  const fs::path folder = fs::path(options.config.workload).parent_path();
  return sha256_of(address_of(*config, folder, binary_sha256_) + text_of_prices(options.prices));
}

std::optional<nlohmann::ordered_json> KeptRuns::take(const ChildRun& run) const {
  const fs::path out(run.options.out), file = out.string() + ".address";
  const std::string address = address_of_run(run.options);
  if (fs::exists(out / "summary.json") && text_of_file(file) == address)
    return nlohmann::ordered_json::parse(text_of_file(out / "summary.json"));
  // In this order: a folder never stands beside an address that is not its own.
  fs::remove_all(out);
  write_file(file.string(), address);
  return std::nullopt;
}

}  // namespace tahoma::runtime
