// SPDX-License-Identifier: Apache-2.0
// Other accelerators beside the rows of `tahoma model`: the same model, batch, prompt and context, by the law
// of roofline.h. None of them is emulated, and every table states this. Two times are given: an estimate with
// the card's efficiency, and the bound of its peaks. All devices share every layer; joules are those of the
// devices alone, at full power; dollars are the rent.
//
// UserError: E-CRD-001 to E-CRD-003 as read_card(); E-CRD-004 a number of devices that the card or the model
// does not allow, or a model that does not fit.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/base/columns.h"
#include "studies/cards/card.h"
#include "studies/model/model_case.h"

namespace tahoma::runtime {

struct CardTimes {
  double ttft = 0, tpot = 0;  // seconds
};

struct CardRow {
  Card card;
  std::uint64_t devices = 1;
  ModelDemand demand;
  CardTimes estimate, bound;

  double tokens_per_second() const { return static_cast<double>(demand.batch) / estimate.tpot; }
  std::optional<double> joules_per_token() const;
  std::optional<double> dollars_per_million_tokens() const;
};

// `wanted` is "h200" or "h200:8"; without a number, the fewest devices that the model and its caches fit
// into, a power of two.
CardRow card_row(const ModelConfig& config, const std::string& wanted, const ModelDemand& demand);

const base::Columns<CardRow>& card_row_columns();
// Returns the text below the model's table; "" without rows.
std::string beside_text(const std::vector<CardRow>& rows);
std::string beside_csv(const std::vector<CardRow>& rows);
nlohmann::ordered_json beside_json(const std::vector<CardRow>& rows);

}  // namespace tahoma::runtime
