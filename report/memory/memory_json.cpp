// SPDX-License-Identifier: Apache-2.0
#include "report/memory/memory_json.h"

#include "report/tables/declared_json.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

Json busiest_stacks_json(const std::vector<StackLoad>& stacks) {
  Json list = Json::array();
  for (const StackLoad& stack : stacks) {
    Json users = Json::array();
    for (const auto& user : stack.most_used)
      users.push_back(
          {{"core", user.core}, {"read_bytes", user.read_bytes}, {"write_bytes", user.write_bytes}});
    Json json{{"name", stack.name}};
    add_declared(json, stack);
    json["most_used"] = users;
    list.push_back(std::move(json));
  }
  return list;
}

void add_dram(const std::optional<DramSummary>& dram, Json& json) {
  for (const char* const key : {"rows", "pins", "queues", "channels"}) json[key] = nullptr;
  if (!dram) return;
  json["rows"] = declared_json(dram->rows);
  json["pins"] = declared_json(dram->pins);
  json["queues"] = {{"reads", declared_json(dram->reads)}, {"writes", declared_json(dram->writes)}};
  json["channels"] = {{"working", dram->channels}, {"failed", dram->failed_channels}};
}

Json latency_json(const LatencySummary& l) {
  if (l.count == 0) return nullptr;
  return declared_json(l);
}

Json events_json(const HbmSummary& hbm) {
  Json first = Json::array();
  for (const StackEvent& e : hbm.first_events)
    first.push_back({{"time_ns", e.event.when.ns()}, {"stack", e.stack}, {"what", e.event.what}});
  return {{"count", hbm.events}, {"first", first}};
}

Json stack_faults_json(const std::vector<StackFault>& faults) {
  Json list = Json::array();
  for (const StackFault& f : faults)
    list.push_back({{"stack", f.stack},
                    {"rate", f.faults.rate},
                    {"failed_channels", f.faults.failed()},
                    {"correctable_errors", f.faults.correctable_errors}});
  return list;
}

}  // namespace

Json hbm_json(const HbmSummary& hbm, base::Duration elapsed) {
  Json json = declared_json(hbm, elapsed);
  json["busiest_stack"] = {{"name", hbm.busiest_stack}, {"busy_percent", hbm.busiest_percent}};
  json["saturated_stacks"] = hbm.saturated_stacks;
  json["shared_stacks"] = hbm.shared_stacks;
  json["busiest_stacks"] = busiest_stacks_json(hbm.busiest);
  add_dram(hbm.dram, json);
  json["latency"] = {{"reads", latency_json(hbm.reads)}, {"writes", latency_json(hbm.writes)}};
  json["corrected_errors"] = hbm.corrected_errors;
  json["events"] = events_json(hbm);
  json["faults"] = stack_faults_json(hbm.faults);
  return json;
}

}  // namespace tahoma::runtime
