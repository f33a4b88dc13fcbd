// SPDX-License-Identifier: Apache-2.0
#include "report/links/link_json.h"

#include <algorithm>

#include "report/tables/declared_json.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kMostFlows = 4;  // of a link that is saturated

Json load_json(const LinkLoad& link) {
  Json json{{"name", link.name}};
  add_declared(json, link);
  return json;
}

Json named_flows_json(const LinkSummary& links, const LinkLoad& link, std::size_t most) {
  Json list = Json::array();
  for (std::size_t n = 0; n < std::min(most, link.flows.size()); ++n) {
    const FlowShare& f = link.flows[n];
    list.push_back({{"from", links.chips.at(f.from_chip)},
                    {"to", links.chips.at(f.to_chip)},
                    {"payload_bytes", f.payload_bytes},
                    {"percent", f.percent}});
  }
  return list;
}

Json busiest_links_json(const LinkSummary& links) {
  Json list = Json::array();
  for (const LinkLoad& link : links.busiest) {
    Json json = load_json(link);
    json["flows"] = named_flows_json(links, link, link.flows.size());
    list.push_back(std::move(json));
  }
  return list;
}

Json saturated_json(const LinkSummary& links) {
  Json names = Json::array(), list = Json::array();
  for (const LinkLoad& link : links.saturated) {
    names.push_back(link.name);
    Json json = load_json(link);
    json["flows"] = named_flows_json(links, link, kMostFlows);
    json["more_flows"] = link.flows.size() - json["flows"].size();
    list.push_back(std::move(json));
  }
  return {
      {"count", links.saturated.size()}, {"definition", links.saturation}, {"names", names}, {"links", list}};
}

Json axes_json(const std::vector<AxisSummary>& axes) {
  Json json = Json::object();
  for (const AxisSummary& axis : axes) json[std::string(1, axis.axis)] = declared_json(axis);
  return json;
}

Json traffic_json(const LinkSummary& links) {
  if (!links.traffic) return nullptr;
  const TrafficSummary& t = *links.traffic;
  Json json = declared_json(t);
  json["largest"] = {{"from", links.chips.at(t.largest.from_chip)},
                     {"to", links.chips.at(t.largest.to_chip)},
                     {"payload_bytes", t.largest.payload_bytes}};
  json["chips"] = links.chips;
  json["matrix"] = t.matrix.empty() ? Json(nullptr) : Json(t.matrix);
  return json;
}

Json link_faults_json(const std::vector<LinkFault>& faults) {
  Json list = Json::array();
  for (const LinkFault& f : faults)
    list.push_back({{"link", f.link}, {"rate", f.faults.rate}, {"dead", f.faults.dead}});
  return list;
}

}  // namespace

Json links_json(const LinkSummary& links) {
  Json json{{"count", links.count}, {"bytes", links.payload_bytes}, {"wire_bytes", links.wire_bytes}};
  json["busiest_link"] = links.busiest.empty() ? Json(nullptr) : load_json(links.busiest.front());
  json["busiest"] = busiest_links_json(links);
  json["saturated"] = saturated_json(links);
  json["busy_histogram"] = links.histogram;
  json["axes"] = axes_json(links.axes);
  json["traffic"] = traffic_json(links);
  json["faults"] = link_faults_json(links.faults);
  return json;
}

}  // namespace tahoma::runtime
