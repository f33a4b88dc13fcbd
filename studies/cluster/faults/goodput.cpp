// SPDX-License-Identifier: Apache-2.0
#include "studies/cluster/faults/goodput.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <random>
#include <utility>
#include <vector>

namespace tahoma::runtime::cluster {

namespace {

// A trial is cut after so many events. Where it has progressed, its shares are known to less than 1 percent
// by then, and the rest is more of the same; where it has not, faults come faster than checkpoints.
constexpr std::uint64_t kMostEvents = 50'000;
constexpr double kMillion = 1e6;
constexpr double kRounding = 1e-9;  // of an interval of work

// Returns a rate in a million chip-hours as one of all chips in a second.
double per_second(double rate, double chips) { return rate / kMillion / kHour * chips; }

constexpr double kNever = std::numeric_limits<double>::infinity();

struct Trial {
  double elapsed = 0, saved = 0, lost = 0, restarting = 0, waiting = 0, checkpointing = 0, planned = 0;
  double slowed = 0, maintenance = 0;
  std::uint64_t events = 0, interruptions = 0, postponed = 0;
};

class TrialSimulation {
 public:
  TrialSimulation(const FaultParams& faults, const TrainingPlan& plan, std::uint64_t seed)
      : faults_(faults), plan_(plan), random_(seed), spares_(plan.spares) {}

  Trial run() {
    next_fault_ = drawn(faults_.rates.unexpected());
    next_planned_ = drawn(faults_.rates.planned);
    next_slow_ = drawn(faults_.rates.slow);
    next_maintenance_ = maintenance_period();
    while (!done() && trial_.events < kMostEvents) segment();
    trial_.saved = saved_;
    return trial_;
  }

 private:
  double drawn(double rate) {
    const double of_all = per_second(rate, plan_.chips);
    return of_all > 0 ? now() + std::exponential_distribution<double>(of_all)(random_) : kNever;
  }
  double now() const { return trial_.elapsed; }
  double maintenance_period() const {
    const double all = faults_.maintenance_days * kDay;
    return all > 0 ? all * plan_.unit / plan_.chips : kNever;
  }
  double time_of_work() const { return found_slow_ < kNever ? plan_.slowdown : 1; }  // elapsed, of a second

  // How many checkpoints follow each other before anything happens: at least the next one.
  double checkpoints_before(double next, double length) const {
    if (since_ > 0) return 1;
    const double whole =
        std::min((next - now()) / length, (plan_.work - saved_) / plan_.interval + kRounding);
    return std::max(1.0, std::floor(whole));
  }
  bool done() const { return plan_.work - saved_ <= kRounding * plan_.interval; }

  // Advances to the last checkpoint before the next event, or to the event.
  void segment() {
    const double work = std::min(plan_.interval, plan_.work - saved_),
                 blocking = plan_.asynchronous ? 0 : plan_.checkpoint, left = work - since_,
                 length = left * time_of_work() + blocking;
    const double next = std::min({next_fault_, next_planned_, next_slow_, found_slow_, next_maintenance_});
    if (now() + length <= next) {
      const double count = checkpoints_before(next, length);
      trial_.elapsed += count * length;
      trial_.checkpointing += count * blocking;
      trial_.slowed += count * left * (time_of_work() - 1);
      // An asynchronous copy of this segment counts when it is written; a fault before that loses this
      // segment, too.
      unsaved_ = plan_.asynchronous ? work : 0;
      written_ = now() + plan_.checkpoint;
      saved_ += count * work;
      since_ = 0;
      return;
    }
    const double done = std::max(0.0, next - now()), worked = std::min(left, done / time_of_work());
    trial_.elapsed = now() + done;
    trial_.slowed += worked * (time_of_work() - 1);
    since_ += worked;
    happens(next, std::max(0.0, done - worked * time_of_work()));
  }

  // `writing` is the time in the checkpoint that this interrupts; it is written again.
  void happens(double next, double writing) {
    ++trial_.events;
    if (next == next_fault_) return fault(writing);
    trial_.checkpointing += writing;
    if (next == next_planned_) {
      interrupt(faults_.planned_minutes * kMinute, trial_.planned);
      next_planned_ = drawn(faults_.rates.planned);
    } else if (next == next_slow_) {
      found_slow_ = now() + faults_.slow_hours * kHour;
      next_slow_ = kNever;
    } else if (next == found_slow_) {
      found_slow_ = kNever;
      interrupt(faults_.restart_minutes * kMinute, trial_.slowed);
      replace_chip();
      next_slow_ = drawn(faults_.rates.slow);
    } else {
      maintain();
    }
  }

  void fault(double writing) {
    ++trial_.interruptions;
    double lost = since_ + writing;
    if (unsaved_ > 0 && now() < written_) {
      saved_ -= unsaved_;
      lost += unsaved_;
    }
    unsaved_ = since_ = 0;
    trial_.lost += lost;
    pause((faults_.detection_minutes + faults_.restart_minutes) * kMinute, trial_.restarting);
    const bool hardware = std::uniform_real_distribution<double>(0, faults_.rates.unexpected())(random_) <
                          faults_.rates.of_hardware();
    if (hardware) replace_chip();
    next_fault_ = drawn(faults_.rates.unexpected());
  }

  void take_back_repaired() {
    for (; !repairs_.empty() && repairs_.top().first <= now(); repairs_.pop())
      spares_ += repairs_.top().second;
  }

  // The chips of a server leave together, but only a chip's number counts against the spares.
  void replace_chip() {
    take_back_repaired();
    repairs_.emplace(now() + faults_.repair_hours * kHour, 1);
    while (spares_ < 1) {
      pause(std::max(0.0, repairs_.top().first - now()), trial_.waiting);
      take_back_repaired();
    }
    spares_ -= 1;
  }

  // The job saves a checkpoint first, so that nothing is lost.
  void interrupt(double seconds, double& account) {
    ++trial_.interruptions;
    saved_ += since_;
    unsaved_ = since_ = 0;
    pause(seconds + plan_.checkpoint, account);
  }

  void maintain() {
    take_back_repaired();
    next_maintenance_ += maintenance_period();
    if (spares_ < plan_.unit) {
      ++trial_.postponed;
      return;
    }
    spares_ -= plan_.unit;
    repairs_.emplace(now() + faults_.maintenance_hours * kHour, plan_.unit);
    pause(faults_.maintenance_minutes * kMinute, trial_.maintenance);
  }

  // Nothing happens to the job while it does not run.
  void pause(double seconds, double& account) {
    trial_.elapsed += seconds;
    account += seconds;
    for (double* next : {&next_fault_, &next_planned_, &next_slow_, &found_slow_, &next_maintenance_})
      *next += seconds;
  }

  const FaultParams& faults_;
  const TrainingPlan& plan_;
  std::mt19937_64 random_;
  Trial trial_;
  // Work: saved, done since the last checkpoint, and in an asynchronous checkpoint that is written until
  // `written_`.
  double saved_ = 0, since_ = 0, unsaved_ = 0, written_ = 0;
  double next_fault_ = 0, next_planned_ = 0, next_slow_ = 0, next_maintenance_ = 0;
  double found_slow_ = kNever;  // when the slow part that there is will be replaced
  double spares_;
  using Repair = std::pair<double, double>;  // its end, and how many chips
  std::priority_queue<Repair, std::vector<Repair>, std::greater<>> repairs_;
};

// Returns the time for `work`. A trial that was cut continues at its rate so far, and never ends without
// progress.
double duration_of(const Trial& trial, double work) {
  if (trial.saved <= 0) return kNever;
  return trial.elapsed * std::max(1.0, work / trial.saved);
}

void count_stuck(const Trial& trial, Goodput& of) {
  of.stuck_seconds = of.stuck == 0 ? trial.elapsed : std::min(of.stuck_seconds, trial.elapsed);
  ++of.stuck;
}

// Uses the nearest rank.
double percentile(const std::vector<double>& sorted, double percent) {
  const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

double mean_time_between_faults(const FaultParams& faults, double chips) {
  const double rate = per_second(faults.rates.unexpected(), chips);
  return rate > 0 ? 1 / rate : kNever;
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
  mean.trials = faults.trials;
  std::vector<double> elapsed;
  double total = 0, saved = 0;
  for (std::uint64_t n = 0; n < faults.trials; ++n) {
    const Trial trial = TrialSimulation(faults, simulated, faults.seed * 1'000'003 + n).run();
    elapsed.push_back(duration_of(trial, simulated.work));
    if (std::isinf(elapsed.back())) count_stuck(trial, mean);
    total += trial.elapsed;
    saved += trial.saved;
    mean.lost += trial.lost;
    mean.restarting += trial.restarting;
    mean.waiting += trial.waiting;
    mean.checkpointing += trial.checkpointing;
    mean.planned += trial.planned;
    mean.slowed += trial.slowed;
    mean.maintenance += trial.maintenance;
    mean.postponed_per_day += static_cast<double>(trial.postponed);
    mean.interruptions_per_day += static_cast<double>(trial.interruptions);
  }
  mean.goodput = saved / total;
  for (double* share : {&mean.lost, &mean.restarting, &mean.waiting, &mean.checkpointing, &mean.planned,
                        &mean.slowed, &mean.maintenance})
    *share /= total;
  mean.interruptions_per_day *= kDay / total;
  mean.postponed_per_day *= kDay / total;
  std::sort(elapsed.begin(), elapsed.end());
  mean.elapsed_p50 = scale * percentile(elapsed, 50);
  mean.elapsed_p99 = scale * percentile(elapsed, 99);
  return mean;
}

}  // namespace tahoma::runtime::cluster
