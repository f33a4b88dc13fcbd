// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/page/page.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/text/format.h"
#include "studies/cluster/results/cluster_answer.h"

namespace tahoma::runtime::cluster {

using ClusterJson = nlohmann::ordered_json;

namespace {

// JSON has no infinity: null.
ClusterJson finite(double value) { return std::isfinite(value) ? ClusterJson(value) : ClusterJson(nullptr); }

// A number that is not finite is an empty field of CSV.
std::string finite_field(double value) { return std::isfinite(value) ? shortest(value) : ""; }

ClusterJson goodput_json(const Goodput& g) {
  return {{"goodput_percent", 100 * g.goodput},
          {"lost_percent", 100 * g.lost},
          {"restarting_percent", 100 * g.restarting},
          {"waiting_percent", 100 * g.waiting},
          {"checkpointing_percent", 100 * g.checkpointing},
          {"planned_percent", 100 * g.planned},
          {"slowed_percent", 100 * g.slowed},
          {"maintenance_percent", 100 * g.maintenance},
          {"postponed_maintenances_per_day", g.postponed_per_day},
          {"elapsed_p50_s", finite(g.elapsed_p50)},
          {"elapsed_p99_s", finite(g.elapsed_p99)},
          {"interruptions_per_day", g.interruptions_per_day},
          {"trials", g.trials},
          {"trials_without_progress", g.stuck}};
}

ClusterJson step_json(const ClusterAnswer& a) {
  const TrainingStep& s = a.step;
  return {{"seconds", s.seconds},
          {"passes_s", s.compute},
          {"bubble_s", s.bubble},
          {"exposed_gradients_s", s.exposed_reduce},
          {"gradients_s", s.reduce},
          {"optimizer_s", s.optimizer},
          {"exposed_weights_s", s.exposed_gather},
          {"slowdown", a.slowdown},
          {"tokens", a.of.step_tokens()},
          {"tokens_per_second", a.tokens_per_second()},
          {"mfu_percent", 100 * a.mfu()},
          {"tflops_of_chip", a.flops_of_chip() / 1e12}};
}

struct NamedCurve {
  const char* name;
  std::vector<CurvePoint> Curves::*points;
};
constexpr NamedCurve kCurves[] = {
    {"interval", &Curves::intervals}, {"chips", &Curves::chips}, {"spares", &Curves::spares}};

}  // namespace

std::string cluster_json(const ClusterAnswer& a) {
  ClusterJson json{{"schema_version", 1}, {"title", a.of.title}, {"answer", cluster_headline(a)}};
  json["chips"] = a.of.fleet.chips;
  json["replicas"] = a.of.replicas();
  json["microbatches"] = a.of.microbatches();
  json["times"] = {{"source", a.times.source},
                   {"layer_forward_s", a.times.layer.forward},
                   {"layer_backward_s", a.times.layer.backward + a.times.layer.weights},
                   {"slow_factor", a.times.slow_factor}};
  json["memory_bytes"] = {{"weights", a.memory.weights},
                          {"gradients", a.memory.gradients},
                          {"optimizer", a.memory.optimizer},
                          {"activations", a.memory.activations},
                          {"capacity", a.times.hbm_bytes}};
  json["step"] = step_json(a);
  json["checkpoint"] = {{"bytes", a.checkpoint_bytes}, {"seconds", a.checkpoint_seconds},
                        {"interval_s", a.interval},    {"young_s", finite(a.young)},
                        {"daly_s", finite(a.daly)},    {"between_faults_s", finite(a.between_faults)}};
  json["goodput"] = goodput_json(a.goodput);
  json["training"] = {{"steps", a.of.steps()},
                      {"seconds", finite(a.training_seconds())},
                      {"dollars", finite(a.dollars())},
                      {"megawatts", a.megawatts()},
                      {"litres", finite(a.litres())}};
  return dump_json(json, 2) + "\n";
}

std::string spans_csv(const ClusterAnswer& a) {
  std::string text = "stage,what,microbatch,chunk,start_s,end_s\n";
  for (const StageSpan& span : a.step.spans)
    text += fmt::format("{},{},{},{},{},{}\n", span.stage, span.what, span.microbatch, span.chunk,
                        shortest(span.start), shortest(span.end));
  return text;
}

std::string goodput_csv(const ClusterAnswer& a) {
  std::string text =
      "curve,interval_minutes,chips,spares,goodput_percent,lost_percent,restarting_percent,waiting_percent,"
      "checkpointing_percent,planned_percent,slowed_percent,maintenance_percent,elapsed_p50_s,elapsed_p99_"
      "s\n";
  for (const NamedCurve& curve : kCurves)
    for (const CurvePoint& p : a.curves.*curve.points) {
      const Goodput& g = p.goodput;
      text += fmt::format("{},{},{},{}", curve.name, shortest(p.interval_minutes), shortest(p.chips),
                          shortest(p.spares));
      for (const double share :
           {g.goodput, g.lost, g.restarting, g.waiting, g.checkpointing, g.planned, g.slowed, g.maintenance})
        text += "," + shortest(100 * share);
      text += fmt::format(",{},{}\n", finite_field(g.elapsed_p50), finite_field(g.elapsed_p99));
    }
  return text;
}

std::string cluster_page(const ClusterAnswer& a) {
  constexpr std::size_t kMostSpans = 20'000;
  ClusterJson data{{"kind", "cluster"}, {"answer", cluster_headline(a)}};
  data["summary"] = ClusterJson::parse(cluster_json(a));
  data["stages"] = a.of.job.pipeline;
  data["spans"] = ClusterJson::array();
  for (std::size_t n = 0; n < std::min(kMostSpans, a.step.spans.size()); ++n) {
    const StageSpan& s = a.step.spans[n];
    data["spans"].push_back({s.stage, s.what, s.microbatch, s.chunk, s.start, s.end});
  }
  data["spans_left_out"] = a.step.spans.size() - data["spans"].size();
  ClusterJson curves = ClusterJson::object();
  for (const NamedCurve& curve : kCurves) {
    ClusterJson points = ClusterJson::array();
    for (const CurvePoint& p : a.curves.*curve.points)
      points.push_back({{"interval_minutes", p.interval_minutes},
                        {"chips", p.chips},
                        {"spares", p.spares},
                        {"goodput_percent", 100 * p.goodput.goodput}});
    curves[curve.name] = std::move(points);
  }
  data["curves"] = std::move(curves);
  const std::string title = a.of.title.empty() ? a.of.model.name : a.of.title;
  return page_of(title + " - Tahoma", dump_json(data));
}

}  // namespace tahoma::runtime::cluster
