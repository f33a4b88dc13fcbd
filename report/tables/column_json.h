// SPDX-License-Identifier: Apache-2.0
// Declared columns (model/base/columns.h) as keys of a JSON object, in the order of the declaration.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/base/columns.h"

namespace tahoma::runtime {

nlohmann::ordered_json json_of(const base::Cell& cell);
// A dot in `key` goes down a level.
void put(nlohmann::ordered_json& object, const std::string& key, nlohmann::ordered_json value);

template <class Record>
nlohmann::ordered_json columns_json(const base::Columns<Record>& columns, const Record& record) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const base::Column<Record>& column : columns.columns()) {
    if (column.text.json.empty()) continue;
    nlohmann::ordered_json value = json_of(column.value(record));
    if (!column.null_is_omitted || !value.is_null()) put(object, column.text.json, std::move(value));
  }
  return object;
}

}  // namespace tahoma::runtime
