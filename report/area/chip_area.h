// SPDX-License-Identifier: Apache-2.0
// The area of a chip's dies by part, and what a chip costs to make: pure functions of the parameters of the
// machine (model/system/area) and of a price list. No time depends on them.
//
// The dies are equal and hold all parts between them. Links are those that the fabric gives to chip 0, so a
// machine of one chip has none; links of network adapters (EFA) are not on the chip. A rate that is ideal has
// no area, because no pins deliver it: the part counts as zero and the area is a lower bound.
//
// A wafer of 300 mm has pi r^2 / A - pi d / sqrt(2 A) dies of area A. The yield is (1 + A D / 3)^-3 at D
// defects, the negative binomial law with three clusters. Not modelled: scribe lines, binning and spare
// parts, tests, masks and design, margins.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "model/base/declared.h"
#include "model/system/machine/machine_params.h"
#include "report/cost/price_list.h"
#include "report/energy/energy_ledger.h"

namespace tahoma::runtime {

enum class AreaPart : std::uint8_t {
  kTensor,
  kVector,
  kScalar,
  kGpSimd,
  kSequencer,
  kSbuf,
  kPsum,
  kDma,
  kNetwork,
  kHbm,
  kLink,
  kPcie,
  kRest
};
inline constexpr std::size_t kAreaParts = 13;
const char* name_of(AreaPart part);
const char* doc_of(AreaPart part);

struct PartArea {
  double mm2 = 0;  // on all dies
  std::array<double, kProvenances> by_provenance{};
};

struct ChipArea {
  TAHOMA_STATISTICS(ChipArea);
  TAHOMA_LEVEL(double, chip_mm2, kSquareMillimetres, "area of the compute dies of a chip");
  TAHOMA_LEVEL(double, die_mm2, kSquareMillimetres, "area of one die");
  TAHOMA_LEVEL(double, reticle_percent, kPercent, "area of a die, of the largest that can be exposed", kLess);
  TAHOMA_LEVEL(std::optional<double>, dies_per_wafer, kCount,
               "dies of a wafer of 300 mm; none if it has no room", kMore);
  TAHOMA_LEVEL(std::optional<double>, yield_percent, kPercent, "dies without a defect");
  TAHOMA_LEVEL(std::optional<double>, dies_dollars, kDollars, "good compute dies of a chip");
  TAHOMA_LEVEL(std::optional<double>, hbm_dollars, kDollars, "HBM stacks of a chip, by the price list");
  TAHOMA_LEVEL(std::optional<double>, package_dollars, kDollars, "package, by the price list");
  TAHOMA_LEVEL(std::optional<double>, chip_dollars, kDollars, "chip to make: dies, stacks and package");
  std::array<PartArea, kAreaParts> parts;
  bool ideal = false;  // a part has an ideal rate, and counts as zero

  const PartArea& operator[](AreaPart part) const { return parts[static_cast<std::size_t>(part)]; }
  double percent_of(base::Provenance kind) const;  // of the area
};

// `machine` is the tree in which `params` are declared.
ChipArea chip_area(const model::MachineParams& params, const base::ParamTree& machine,
                   const std::optional<PriceList>& prices);

// The block `area` of summary.json, and the table that `tahoma area` prints.
nlohmann::ordered_json area_json(const ChipArea& area);
std::string area_table(const ChipArea& area, const model::MachineParams& params);

}  // namespace tahoma::runtime
