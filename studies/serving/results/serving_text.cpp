// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/results/serving_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/text/text_layout.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/text/format.h"

namespace tahoma::runtime::serving {

namespace {

using ServingJson = nlohmann::ordered_json;

std::string short_time(double seconds) {
  constexpr double kUnits[] = {1, 1e3, 1e6, 1e9};
  constexpr const char* kNames[] = {"s", "ms", "us", "ns"};
  std::size_t unit = 0;
  while (unit < 3 && seconds * kUnits[unit] < 1) ++unit;
  if (seconds >= 1e4) return fmt::format("{:.0f} s", seconds);
  return seconds == 0 ? "0 s" : fmt::format("{:.4g} {}", seconds * kUnits[unit], kNames[unit]);
}
std::string short_time(Nanoseconds time) { return short_time(time.seconds()); }

std::string time_row(const char* name, const TimeStatistics& times) {
  if (times.count == 0) return row(name, "no request of more than one token");
  return row(name, fmt::format("{:>10} {:>10} {:>10} {:>10} {:>10}", short_time(times.mean_seconds),
                               short_time(times.p50), short_time(times.p90), short_time(times.p99),
                               short_time(times.most)));
}

std::string group_row(const GroupSummary& g) {
  return row(
      g.name,
      fmt::format("{:>7} {:>8.1f} {:>8.4g} {:>6} {:>8.4g} {:>8} {:>7.1f} {:>6.1f} {:>10} {:>11}", g.servers,
                  g.busy_percent, g.mean_running, g.most_running, g.mean_waiting, g.most_waiting,
                  g.mean_blocks_percent, g.most_blocks_percent, g.steps, g.preemptions));
}

ServingJson times_json(const TimeStatistics& t) {
  return {{"count", t.count},       {"mean", t.mean_seconds}, {"p50", t.p50.seconds()},
          {"p90", t.p90.seconds()}, {"p99", t.p99.seconds()}, {"max", t.most.seconds()}};
}

ServingJson group_json(const GroupSummary& g) {
  return {{"name", g.name},
          {"servers", g.servers},
          {"busy_percent", g.busy_percent},
          {"mean_running", g.mean_running},
          {"most_running", g.most_running},
          {"mean_waiting", g.mean_waiting},
          {"most_waiting", g.most_waiting},
          {"mean_kv_blocks_percent", g.mean_blocks_percent},
          {"most_kv_blocks_percent", g.most_blocks_percent},
          {"steps", g.steps},
          {"preemptions", g.preemptions}};
}

ServingJson held_back_json(const HeldBack& held_back) {
  ServingJson steps = ServingJson::array();
  for (const HeldBackStep& step : held_back.steps)
    steps.push_back({{"step", step_text(step.executed.phase, step.executed.at)},
                     {"executed_s", step.executed.cost.seconds},
                     {"interpolated_s", step.interpolated.seconds},
                     {"error_percent", step.error_percent()}});
  return {{"mean_error_percent", held_back.mean_percent()},
          {"worst_error_percent", held_back.worst().error_percent()},
          {"steps", std::move(steps)}};
}

}  // namespace

std::string serving_answer(const ServingSummary& s) {
  const std::string limits = s.slo.text();
  return fmt::format("goodput {:.4g} requests/s ({:.1f} % {}), TTFT p50 {}, p99 {}", s.goodput_per_s,
                     s.within_slo_percent(), limits.empty() ? "ended; no SLO" : "within " + limits,
                     short_time(s.ttft.p50), short_time(s.ttft.p99));
}

std::string serving_text(const ServingSummary& s) {
  std::string text = serving_answer(s) + "\n";
  if (!s.title.empty()) text += s.title + "\n";
  text +=
      "\n" + row("requests", fmt::format("{} in {}: {:.4g} requests/s, {:.4g} output tokens/s", s.requests,
                                         short_time(s.elapsed_s), s.requests_per_s, s.output_tokens_per_s));
  text += row("tokens", fmt::format("{} of prompts, {} of outputs", s.prompt_tokens, s.output_tokens));
  if (s.preempted_requests > 0)
    text += row("preempted", fmt::format("{} requests; {} cached tokens were dropped and computed again",
                                         s.preempted_requests, s.dropped_tokens));
  if (s.joules)
    text += row("energy of steps", fmt::format("{}, {} per output token", si_text(*s.joules, "J"),
                                               si_text(*s.joules_per_output_token, "J")));
  text += row("in the system", fmt::format("{:.4g} requests in the mean", s.mean_in_system));
  text += "\n" +
          row("time", fmt::format("{:>10} {:>10} {:>10} {:>10} {:>10}", "mean", "p50", "p90", "p99", "max"));
  text += time_row("wait", s.wait) + time_row("TTFT", s.ttft) + time_row("TPOT", s.tpot);
  text += time_row("end to end", s.end_to_end);
  text += "\n" + row("group", fmt::format("{:>7} {:>8} {:>8} {:>6} {:>8} {:>8} {:>7} {:>6} {:>10} {:>11}",
                                          "servers", "busy %", "running", "most", "waiting", "most", "KV %",
                                          "most", "steps", "preemptions"));
  for (const GroupSummary& group : s.groups) text += group_row(group);
  if (s.held_back) text += "\n" + held_back_line(*s.held_back) + "\n";
  return text;
}

std::string serving_json(const ServingSummary& s) {
  ServingJson json{{"schema_version", 1}, {"kind", "serving"}};
  if (!s.title.empty()) json["title"] = s.title;
  json["requests"] = s.requests;
  json["elapsed_s"] = s.elapsed_s;
  json["slo"] = {{"ttft_s", s.slo.ttft.seconds()},
                 {"tpot_s", s.slo.tpot.seconds()},
                 {"within", s.within_slo},
                 {"within_percent", s.within_slo_percent()}};
  json["goodput_requests_per_s"] = s.goodput_per_s;
  json["requests_per_s"] = s.requests_per_s;
  json["output_tokens_per_s"] = s.output_tokens_per_s;
  json["prompt_tokens"] = s.prompt_tokens;
  json["output_tokens"] = s.output_tokens;
  json["preempted_requests"] = s.preempted_requests;
  json["dropped_tokens"] = s.dropped_tokens;
  json["mean_in_system"] = s.mean_in_system;
  if (s.joules) {
    json["step_joules"] = *s.joules;
    json["step_joules_per_output_token"] = *s.joules_per_output_token;
  }
  json["wait_s"] = times_json(s.wait);
  json["ttft_s"] = times_json(s.ttft);
  json["tpot_s"] = times_json(s.tpot);
  json["end_to_end_s"] = times_json(s.end_to_end);
  json["groups"] = ServingJson::array();
  for (const GroupSummary& group : s.groups) json["groups"].push_back(group_json(group));
  if (s.held_back) json["held_back"] = held_back_json(*s.held_back);
  return dump_json(json, 2) + "\n";
}

}  // namespace tahoma::runtime::serving
