// SPDX-License-Identifier: Apache-2.0
// The output of `tahoma cards`: the shipped cards with their sources.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "model/base/columns.h"
#include "studies/cards/card.h"

namespace tahoma::runtime {

const base::Columns<Card>& card_columns();
std::string cards_text(const std::vector<Card>& cards);
nlohmann::ordered_json cards_json(const std::vector<Card>& cards);

}  // namespace tahoma::runtime
