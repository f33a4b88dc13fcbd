// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/text/text_layout.h"
#include "runtime/host/text/format.h"
#include "studies/cluster/results/cluster_answer.h"

namespace tahoma::runtime::cluster {

namespace {

// Writes a time of any length: "12.3 ms", "4.5 min", "54 days".
std::string span_text(double seconds) {
  if (std::isinf(seconds)) return "never";
  if (seconds < kMinute)
    return fmt::format("{:.4g} {}", seconds < 1 ? seconds * 1e3 : seconds, seconds < 1 ? "ms" : "s");
  if (seconds < kHour) return fmt::format("{:.3g} min", seconds / kMinute);
  return seconds < 2 * kDay ? fmt::format("{:.3g} h", seconds / kHour)
                            : fmt::format("{:.4g} days", seconds / kDay);
}

std::string share_row(const char* label, double seconds, double whole) {
  return fmt::format("  {:<26}{:>12}{:>9.1f} %\n", label, span_text(seconds), 100 * seconds / whole);
}

std::string step_table(const ClusterAnswer& a) {
  const TrainingStep& s = a.step;
  std::string text = "a step, mean over the stages\n";
  text += share_row("passes", s.compute, s.seconds) + share_row("bubble", s.bubble, s.seconds);
  text += share_row("gradients, exposed", s.exposed_reduce, s.seconds) +
          share_row("optimizer", s.optimizer, s.seconds);
  text += share_row("weights, exposed", s.exposed_gather, s.seconds);
  return text + fmt::format("  {:<26}{:>12}\n", "gradients, in all", span_text(s.reduce));
}

std::string slow_text(const ClusterAnswer& a) {
  const TimeParams& times = a.of.times;
  const std::string part = times.slow_instance.empty()
                               ? "as the case says"
                               : fmt::format("executed with {} {} {:.4g}", times.slow_instance,
                                             times.slow_parameter, times.slow_value);
  return fmt::format(
      "passes of its stage take {:.3f} times as long, {}; a step {:.3f} times; {:.2f} % of the time is lost "
      "to it",
      a.times.slow_factor, part, a.slowdown, 100 * a.goodput.slowed);
}

std::string fault_rows(const ClusterAnswer& a) {
  const Goodput& g = a.goodput;
  std::string text = wrapped_row(
      "faults",
      fmt::format("{:.3g} interruptions a day, {} between faults; at the rates of Llama 3's GPUs unless set",
                  g.interruptions_per_day, span_text(a.between_faults)));
  text +=
      wrapped_row("checkpoint", fmt::format("{} in {}{}, every {}; optimum {} (Young), {} (Daly)",
                                            si_text(a.checkpoint_bytes, "B"), span_text(a.checkpoint_seconds),
                                            a.of.checkpoint.asynchronous ? " beside training" : "",
                                            span_text(a.interval), span_text(a.young), span_text(a.daly)));
  if (a.slowdown > 1) text += wrapped_row("slow part", slow_text(a));
  if (a.of.faults.maintenance_days > 0)
    text += wrapped_row(
        "maintenance",
        fmt::format(
            "each UltraServer every {:.4g} days for {}; the job stands for {:.2f} % of the time, and {:.3g} "
            "turns a day are left out for want of spares",
            a.of.faults.maintenance_days, span_text(a.of.faults.maintenance_hours * kHour),
            100 * g.maintenance, g.postponed_per_day));
  return text +
         wrapped_row("time",
                     fmt::format("{:.2f} % of it useful; {:.2f} % lost work, {:.2f} % restarts, {:.2f} % "
                                 "waiting for chips, {:.2f} % checkpoints, {:.2f} % planned",
                                 100 * g.goodput, 100 * g.lost, 100 * g.restarting, 100 * g.waiting,
                                 100 * g.checkpointing, 100 * g.planned));
}

std::string stuck_text(const Goodput& g) {
  const std::string which =
      g.stuck == g.trials ? fmt::format("any of {}", g.trials) : fmt::format("{} of {}", g.stuck, g.trials);
  return fmt::format("no progress in {} trials within {:.4g} simulated days", which, g.stuck_seconds / kDay);
}

std::string training_text(const ClusterAnswer& a) {
  const Goodput& g = a.goodput;
  std::string text = fmt::format("{:.4g} steps, {:.4g} tokens/s; {} (p50), {} (p99)", a.of.steps(),
                                 a.tokens_per_second(), span_text(g.elapsed_p50), span_text(g.elapsed_p99));
  if (std::isfinite(a.litres())) text += fmt::format("; {:.3g} million litres", a.litres() / 1e6);
  return g.stuck > 0 ? text + "; " + stuck_text(g) : text;
}

// States the time and the price of the training.
std::string end_text(const ClusterAnswer& a) {
  const double seconds = a.training_seconds();
  if (std::isinf(seconds)) return fmt::format("never end, {}", stuck_text(a.goodput));
  return fmt::format("in {}, ${:.3g} million", span_text(seconds), a.dollars() / 1e6);
}

std::string layout_text(const JobParams& job, std::uint64_t replicas) {
  std::string text = fmt::format("tensor {} x context {} x pipeline {} x {} replicas", job.tensor,
                                 job.context, job.pipeline, replicas);
  return text + fmt::format(", {}, sharding {}, recompute {}", base::name_in(kSchedules, job.schedule),
                            base::name_in(kShardings, job.sharding),
                            base::name_in(kRecomputes, job.recompute));
}

}  // namespace

std::string cluster_headline(const ClusterAnswer& a) {
  return fmt::format(
      "{} on {} chips: step {}, {:.0f} TFLOPS a chip (MFU {:.1f} %), goodput {:.1f} %; {} tokens {}, {:.3g} "
      "MW",
      a.of.title.empty() ? a.of.model.name : a.of.title, a.of.fleet.chips, span_text(a.step.seconds),
      a.flops_of_chip() / 1e12, 100 * a.mfu(), 100 * a.goodput.goodput, si_text(a.of.job.tokens, ""),
      end_text(a), a.megawatts());
}

std::string cluster_text(const ClusterAnswer& a) {
  const ClusterCase& c = a.of;
  const MemoryShares& m = a.memory;
  std::string text = cluster_headline(a) + "\n\n";
  text += wrapped_row("layout", layout_text(c.job, c.replicas()));
  text += wrapped_row("batch",
                      fmt::format("{} sequences of {} tokens: {} micro-batches of {} for each replica",
                                  c.job.global_batch, c.job.sequence, c.microbatches(), c.job.micro_batch));
  text += wrapped_row("times", fmt::format("{}; a layer takes {} forward, {} backward", a.times.source,
                                           span_text(a.times.layer.forward),
                                           span_text(a.times.layer.backward + a.times.layer.weights)));
  text += wrapped_row(
      "memory", fmt::format("{:.1f} of {:.1f} GB a chip: weights {:.1f}, gradients {:.1f}, optimizer {:.1f}, "
                            "activations {:.1f}",
                            m.total() / 1e9, a.times.hbm_bytes / 1e9, m.weights / 1e9, m.gradients / 1e9,
                            m.optimizer / 1e9, m.activations / 1e9));
  text += fault_rows(a);
  text += wrapped_row("training", training_text(a));
  return text + "\n" + step_table(a);
}

}  // namespace tahoma::runtime::cluster
