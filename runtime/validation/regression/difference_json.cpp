// SPDX-License-Identifier: Apache-2.0
#include "runtime/validation/regression/difference_json.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

// Integers stay integers, whatever their size.
Json value_json(const std::optional<std::string>& value) {
  if (!value) return nullptr;
  const Json json = Json::parse(*value, nullptr, false);
  return json.is_primitive() && !json.is_discarded() ? json : Json(*value);
}

}  // namespace

Json groups_json(const std::vector<DifferenceGroup>& groups) {
  Json list = Json::array();
  for (const DifferenceGroup& group : groups) {
    Json differences = Json::array();
    for (const Difference& d : group.differences)
      differences.push_back({{"name", d.name},
                             {"before", value_json(d.before)},
                             {"after", value_json(d.after)},
                             {"change", d.change},
                             {"explains", d.explains},
                             {"quantity", d.quantity}});
    list.push_back({{"subsystem", group.subsystem}, {"differences", std::move(differences)}});
  }
  return list;
}

Json headline_json(const Headline& h) {
  return {{"time_ns", h.time_ns},
          {"mfu_percent", h.mfu_percent},
          {"busiest", h.busiest},
          {"busiest_percent", h.busiest_percent}};
}

}  // namespace tahoma::runtime
