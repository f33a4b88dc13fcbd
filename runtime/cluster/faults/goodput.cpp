// SPDX-License-Identifier: Apache-2.0
#include "runtime/cluster/faults/goodput.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <random>
#include <vector>

namespace tahoma::runtime::cluster {

namespace {

// A trial that has become so many times longer than its work ends: faults come faster than checkpoints.
constexpr double kMostSlowdown = 100;
// After so many interruptions the shares of a trial are known to less than 1 percent, and the rest is more of the same.
constexpr std::uint64_t kMostInterruptions = 50'000;
constexpr double kMillion = 1e6;

// A rate in a million chip-hours as one of all chips in a second.
double per_second(double rate, double chips) { return rate / kMillion / kHour * chips; }

struct Trial {
  double elapsed = 0, saved = 0, lost = 0, restarting = 0, waiting = 0, checkpointing = 0, planned = 0;
  std::uint64_t interruptions = 0;
};

class TrialSimulation {
 public:
  TrialSimulation(const FaultParams& faults, const TrainingPlan& plan, std::uint64_t seed)
      : faults_(faults), plan_(plan), random_(seed), spares_(plan.spares) {}

  Trial run() {
    next_fault_ = drawn(faults_.rates.unexpected());
    next_planned_ = drawn(faults_.rates.planned);
    while (saved_ < plan_.work && trial_.elapsed < kMostSlowdown * plan_.work &&
           trial_.interruptions < kMostInterruptions)
      segment();
    trial_.saved = saved_;
    return trial_;
  }

 private:
  double drawn(double rate) {
    const double of_all = per_second(rate, plan_.chips);
    return of_all > 0 ? now() + std::exponential_distribution<double>(of_all)(random_)
                      : std::numeric_limits<double>::infinity();
  }
  double now() const { return trial_.elapsed; }

  // From one checkpoint to the next, or to what interrupts it.
  void segment() {
    const double work = std::min(plan_.interval, plan_.work - saved_),
                 blocking = plan_.asynchronous ? 0 : plan_.checkpoint, length = work + blocking;
    const double interruption = std::min(next_fault_, next_planned_);
    if (now() + length <= interruption) {
      trial_.elapsed += length;
      trial_.checkpointing += blocking;
      // An asynchronous copy of this segment counts when it is written; a fault before that loses this segment, too.
      unsaved_ = plan_.asynchronous ? work : 0;
      written_ = now() + plan_.checkpoint;
      saved_ += work;
      return;
    }
    const double done = std::max(0.0, interruption - now());
    trial_.elapsed = interruption;
    if (next_fault_ <= next_planned_)
      fault(done);
    else
      plan_interruption(done, work);
  }

  void fault(double done) {
    ++trial_.interruptions;
    double lost = done;
    if (unsaved_ > 0 && now() < written_) {
      saved_ -= unsaved_;
      lost += unsaved_;
    }
    unsaved_ = 0;
    trial_.lost += lost;
    pause((faults_.detection_minutes + faults_.restart_minutes) * kMinute, trial_.restarting);
    const bool hardware = std::uniform_real_distribution<double>(0, faults_.rates.unexpected())(random_) <
                          faults_.rates.of_hardware();
    if (hardware) replace_chip();
    next_fault_ = drawn(faults_.rates.unexpected());
  }

  // The chips of a server leave together, but only a chip's number counts against the spares.
  void replace_chip() {
    while (!repairs_.empty() && repairs_.top() <= now()) {
      repairs_.pop();
      spares_ += 1;
    }
    repairs_.push(now() + faults_.repair_hours * kHour);
    if (spares_ >= 1) {
      spares_ -= 1;
      return;
    }
    pause(std::max(0.0, repairs_.top() - now()), trial_.waiting);
    repairs_.pop();
  }

  void plan_interruption(double done, double work) {
    ++trial_.interruptions;
    saved_ += std::min(done, work);
    trial_.checkpointing += std::max(0.0, done - work);
    unsaved_ = 0;
    pause(faults_.planned_minutes * kMinute + plan_.checkpoint, trial_.planned);
    next_planned_ = drawn(faults_.rates.planned);
  }

  // No fault occurs while the job does not run.
  void pause(double seconds, double& account) {
    trial_.elapsed += seconds;
    account += seconds;
    next_fault_ += seconds;
    next_planned_ += seconds;
  }

  const FaultParams& faults_;
  const TrainingPlan& plan_;
  std::mt19937_64 random_;
  Trial trial_;
  double saved_ = 0, unsaved_ = 0, written_ = 0, next_fault_ = 0, next_planned_ = 0;
  double spares_;
  std::priority_queue<double, std::vector<double>, std::greater<>> repairs_;
};

// By nearest rank.
double percentile(const std::vector<double>& sorted, double percent) {
  const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

double mean_time_between_faults(const FaultParams& faults, double chips) {
  const double rate = per_second(faults.rates.unexpected(), chips);
  return rate > 0 ? 1 / rate : std::numeric_limits<double>::infinity();
}

double young_interval(double checkpoint, double between) { return std::sqrt(2 * checkpoint * between); }

double daly_interval(double checkpoint, double between) {
  if (checkpoint >= 2 * between) return between;
  const double ratio = checkpoint / (2 * between);
  return young_interval(checkpoint, between) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - checkpoint;
}

Goodput simulate_goodput(const FaultParams& faults, const TrainingPlan& plan) {
  TrainingPlan simulated = plan;
  simulated.work = std::min(plan.work, faults.days * kDay);
  const double scale = plan.work / simulated.work;
  Goodput mean;
  mean.goodput = 0;
  std::vector<double> elapsed;
  double total = 0, saved = 0;
  for (std::uint64_t n = 0; n < faults.trials; ++n) {
    const Trial trial = TrialSimulation(faults, simulated, faults.seed * 1'000'003 + n).run();
    const bool cut = trial.interruptions >= kMostInterruptions && trial.saved > 0;
    elapsed.push_back(cut ? trial.elapsed * std::max(1.0, simulated.work / trial.saved) : trial.elapsed);
    total += trial.elapsed;
    saved += trial.saved;
    mean.lost += trial.lost;
    mean.restarting += trial.restarting;
    mean.waiting += trial.waiting;
    mean.checkpointing += trial.checkpointing;
    mean.planned += trial.planned;
    mean.interruptions_per_day += static_cast<double>(trial.interruptions);
  }
  mean.goodput = saved / total;
  for (double* share : {&mean.lost, &mean.restarting, &mean.waiting, &mean.checkpointing, &mean.planned})
    *share /= total;
  mean.interruptions_per_day *= kDay / total;
  std::sort(elapsed.begin(), elapsed.end());
  mean.elapsed_p50 = scale * percentile(elapsed, 50);
  mean.elapsed_p99 = scale * percentile(elapsed, 99);
  return mean;
}

}  // namespace tahoma::runtime::cluster
