// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/memory/memory_json.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

Json busiest_json(const std::vector<StackLoad>& stacks) {
  Json list = Json::array();
  for (const StackLoad& stack : stacks) {
    Json users = Json::array();
    for (const auto& user : stack.most_used)
      users.push_back(
          {{"core", user.core}, {"read_bytes", user.read_bytes}, {"write_bytes", user.write_bytes}});
    list.push_back({{"name", stack.name},
                    {"busy_percent", stack.busy_percent},
                    {"achieved_percent", stack.achieved_percent},
                    {"read_bytes", stack.read_bytes},
                    {"write_bytes", stack.write_bytes},
                    {"cores", stack.cores},
                    {"most_used", users}});
  }
  return list;
}

void add_dram(const std::optional<DramSummary>& dram, Json& json) {
  for (const char* const key : {"rows", "pins", "queues", "channels"}) json[key] = nullptr;
  if (!dram) return;
  const auto queue = [](const QueueSummary& q) { return Json{{"mean", q.mean}, {"most", q.most}}; };
  json["rows"] = {{"accesses", dram->rows.accesses},
                  {"hit_percent", dram->rows.hit},
                  {"miss_percent", dram->rows.miss},
                  {"conflict_percent", dram->rows.conflict}};
  json["pins"] = {{"data_percent", dram->pins.data},
                  {"refresh_percent", dram->pins.refresh},
                  {"turnaround_percent", dram->pins.turnaround},
                  {"bank_percent", dram->pins.bank},
                  {"idle_percent", dram->pins.idle}};
  json["queues"] = {{"reads", queue(dram->reads)}, {"writes", queue(dram->writes)}};
  json["channels"] = {{"working", dram->channels}, {"failed", dram->failed_channels}};
}

Json latency_json(const LatencySummary& l) {
  if (l.count == 0) return nullptr;
  return {{"count", l.count}, {"mean_ns", l.mean}, {"p50_ns", l.p50},
          {"p90_ns", l.p90},  {"p99_ns", l.p99},   {"longest_ns", l.longest}};
}

Json events_json(const HbmSummary& hbm) {
  Json first = Json::array();
  for (const StackEvent& e : hbm.first_events)
    first.push_back({{"time_ns", e.event.when.ns()}, {"stack", e.stack}, {"what", e.event.what}});
  return {{"count", hbm.events}, {"first", first}};
}

Json faults_json(const std::vector<StackFault>& faults) {
  Json list = Json::array();
  for (const StackFault& f : faults)
    list.push_back({{"stack", f.stack},
                    {"rate", f.faults.rate},
                    {"failed_channels", f.faults.failed()},
                    {"correctable_errors", f.faults.correctable_errors}});
  return list;
}

}  // namespace

Json hbm_json(const HbmSummary& hbm) {
  Json json{{"bytes", hbm.read_bytes + hbm.write_bytes},
            {"stacks_used", hbm.stacks_used},
            {"achieved_bandwidth", hbm.achieved_bandwidth}};
  json["peak_bandwidth"] = hbm.peak_bandwidth ? Json(*hbm.peak_bandwidth) : Json(nullptr);
  json["busiest_stack"] = {{"name", hbm.busiest_stack}, {"busy_percent", hbm.busiest_percent}};
  json["saturated_stacks"] = hbm.saturated_stacks;
  json["shared_stacks"] = hbm.shared_stacks;
  json["busiest_stacks"] = busiest_json(hbm.busiest);
  add_dram(hbm.dram, json);
  json["latency"] = {{"reads", latency_json(hbm.reads)}, {"writes", latency_json(hbm.writes)}};
  json["corrected_errors"] = hbm.corrected_errors;
  json["events"] = events_json(hbm);
  json["faults"] = faults_json(hbm.faults);
  return json;
}

}  // namespace tahoma::runtime
