// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "model/base/shares.h"
#include "report/area/chip_area.h"
#include "report/tables/declared_json.h"
#include "report/text/text_layout.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

std::string die_text(const ChipArea& area) {
  const std::string reticle =
      area.reticle_percent <= 100 ? "" : ", MORE than the largest die that can be exposed";
  return fmt::format("{:.0f} mm2 a die, {:.1f} % of the reticle{}", area.die_mm2, area.reticle_percent,
                     reticle);
}

std::string dollars_text(const ChipArea& area) {
  if (!area.dies_dollars) return "a die is larger than a wafer";
  if (!area.chip_dollars) return fmt::format("dies {:.0f} $", *area.dies_dollars);
  return fmt::format("{:.0f} $ to make: dies {:.0f}, HBM {:.0f}, package {:.0f}", *area.chip_dollars,
                     *area.dies_dollars, *area.hbm_dollars, *area.package_dollars);
}

}  // namespace

Json area_json(const ChipArea& area) {
  Json json = declared_json(area);
  for (std::size_t n = 0; n < kAreaParts; ++n)
    json["parts"][name_of(static_cast<AreaPart>(n))] = area.parts[n].mm2;
  json["assumed_percent"] = area.percent_of(base::Provenance::kAssumed);
  json["lower_bound"] = area.ideal;
  return json;
}

std::string area_table(const ChipArea& area, const model::MachineParams& params) {
  std::string text = fmt::format("{}: {}{:.0f} mm2 on {} {}\n\n  {:<12}{:>9}{:>8}   \n", params.name,
                                 area.ideal ? "at least " : "", area.chip_mm2, params.chip.dies,
                                 params.chip.dies == 1 ? "die" : "dies", "part", "mm2", "share");
  for (std::size_t n = 0; n < kAreaParts; ++n) {
    const auto part = static_cast<AreaPart>(n);
    text += fmt::format("  {:<12}{:>9.1f}{:>6.1f} %   {}\n", name_of(part), area[part].mm2,
                        base::percent_of(area[part].mm2, area.chip_mm2), doc_of(part));
  }
  text += "\n" + row("die", die_text(area));
  if (area.dies_dollars)
    text += row("yield", fmt::format("{:.1f} % of {:.0f} dies of a wafer of {:.0f} $", *area.yield_percent,
                                     *area.dies_per_wafer, params.chip.area.process.wafer));
  text += row("chip", dollars_text(area)) +
          row("provenance",
              fmt::format(
                  "of the area, {:.0f} % documented, {:.0f} % derived, {:.0f} % assumed, {:.0f} % chosen",
                  area.percent_of(base::Provenance::kDocumented), area.percent_of(base::Provenance::kDerived),
                  area.percent_of(base::Provenance::kAssumed), area.percent_of(base::Provenance::kChosen)));
  return text;
}

}  // namespace tahoma::runtime
