// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/regression/differences/difference_json.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

// Integers stay integers, whatever their size.
Json value_json(const std::optional<std::string>& value) {
  if (!value) return nullptr;
  const Json json = Json::parse(*value, nullptr, false);
  return json.is_primitive() && !json.is_discarded() ? json : Json(*value);
}

Json difference_json(const Difference& d) {
  return {{"name", d.name},     {"before", value_json(d.before)}, {"after", value_json(d.after)},
          {"change", d.change}, {"explains", d.explains},         {"quantity", d.quantity}};
}

}  // namespace

Json groups_json(const std::vector<DifferenceGroup>& groups) {
  Json list = Json::array();
  for (const DifferenceGroup& group : groups) {
    Json differences = Json::array();
    for (const Difference& d : group.differences) differences.push_back(difference_json(d));
    list.push_back({{"subsystem", group.subsystem}, {"differences", std::move(differences)}});
  }
  return list;
}

Json leads_json(const LeadingChanges& changes) {
  Json leads = Json::array();
  for (const LeadingChange& lead : changes.leads) {
    leads.push_back(difference_json(lead.difference));
    leads.back()["explained"] = lead.explained;
  }
  return {{"changes", changes.all}, {"follow_time", changes.follow_time}, {"leads", std::move(leads)}};
}

Json headline_json(const Headline& h) {
  return {{"time_ns", h.time_ns},
          {"mfu_percent", h.mfu_percent},
          {"busiest", h.busiest},
          {"busiest_percent", h.busiest_percent}};
}

}  // namespace tahoma::runtime
