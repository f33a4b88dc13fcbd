// SPDX-License-Identifier: Apache-2.0
// Goodput: without faults nothing is lost; shares add up; the optimum of checkpoint intervals is that of
// Young and Daly; and the published faults of Llama 3 leave the published share of useful time.
#include "studies/cluster/faults/goodput.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "studies/cluster/input/cluster_case.h"

using namespace tahoma::runtime::cluster;

namespace {

FaultParams published_faults() {
  ClusterCase c;
  c.declare();
  FaultParams faults = c.faults;
  faults.trials = 100;
  return faults;
}

TrainingPlan plan(double chips, double interval) {
  TrainingPlan p;
  p.work = 20 * kDay;
  p.chips = chips;
  p.spares = chips / 50;
  p.interval = interval;
  p.checkpoint = 60;
  return p;
}

double sum_of(const Goodput& g) {
  return g.goodput + g.lost + g.restarting + g.waiting + g.checkpointing + g.planned + g.slowed +
         g.maintenance;
}

}  // namespace

TEST_CASE("goodput: without faults only checkpoints cost time", "[cluster]") {
  FaultParams faults = published_faults();
  faults.rates = {};
  TrainingPlan p = plan(1000, 600);
  CHECK(simulate_goodput(faults, p).goodput == Approx(600.0 / 660));
  p.asynchronous = true;
  const Goodput free = simulate_goodput(faults, p);
  CHECK(free.goodput == Approx(1));
  CHECK(free.elapsed_p50 == Approx(p.work));
  CHECK(std::isinf(mean_time_between_faults(faults, 1000)));
}

TEST_CASE("goodput: useful and lost time add up, with and without enough spares", "[cluster]") {
  for (const double spares : {0.0, 1.0, 100.0})
    for (const bool asynchronous : {false, true}) {
      TrainingPlan p = plan(4096, 1800);
      p.spares = spares;
      p.asynchronous = asynchronous;
      const Goodput g = simulate_goodput(published_faults(), p);
      CHECK(sum_of(g) == Approx(1).epsilon(1e-9));
      CHECK(g.elapsed_p99 >= g.elapsed_p50);
      CHECK((g.waiting > 0) == (spares < 100));
    }
}

TEST_CASE("goodput: the shortest training has Daly's interval, within 5 percent of its time", "[cluster]") {
  FaultParams faults = published_faults();
  faults.rates.planned = 0;
  faults.detection_minutes = faults.restart_minutes = 0;
  faults.trials = 400;
  for (const double chips : {4096.0, 16384.0}) {
    const double between = mean_time_between_faults(faults, chips), daly = daly_interval(60, between);
    const auto overhead = [&](double interval) {
      return 1 / simulate_goodput(faults, plan(chips, interval)).goodput - 1;
    };
    double best = overhead(daly), best_factor = 1;
    for (const double factor : {0.25, 0.5, 0.8, 1.25, 2.0, 4.0})
      if (const double found = overhead(factor * daly); found < best) {
        best = found;
        best_factor = factor;
      }
    INFO(chips << " chips, best at " << best_factor);
    CHECK(best_factor >= 0.8);
    CHECK(best_factor <= 1.25);
    CHECK(overhead(daly) <= 1.05 * best);
    // The law's own overhead, C / T + T / 2M, is the simulated one.
    CHECK(overhead(daly) == Approx(60 / daly + daly / (2 * between)).epsilon(0.1));
  }
}

TEST_CASE("goodput: the mean time between faults is the published one", "[cluster]") {
  // 419 unexpected interruptions of 16,384 GPUs in 54 days.
  CHECK(mean_time_between_faults(published_faults(), 16384) == Approx(54 * kDay / 419));
}

TEST_CASE("goodput: Llama 3's faults leave more than 90 percent of useful time", "[cluster]") {
  FaultParams faults = published_faults();
  faults.days = 54;
  // 5.7 TB of weights and moments at 1 TB/s, as often as is best.
  TrainingPlan p = plan(16384, daly_interval(5.7, mean_time_between_faults(faults, 16384)));
  p.checkpoint = 5.7;
  p.asynchronous = true;
  p.work = 54 * kDay;
  const Goodput g = simulate_goodput(faults, p);
  CHECK(g.goodput > 0.9);
  CHECK(g.interruptions_per_day == Approx(466.0 / 54).epsilon(0.1));
}

TEST_CASE("goodput: more faults than checkpoints end in no goodput, not in a hang", "[cluster]") {
  FaultParams faults = published_faults();
  faults.trials = 2;
  faults.days = 0.2;
  CHECK(simulate_goodput(faults, plan(1e7, 7200)).goodput < 0.05);
}

// Without checkpoints' cost, a segment of s seconds takes on average (M + R) (exp(s / M) - 1): faults are
// exponential with mean M, each costs what was done and a restart of R, in which nothing fails.
TEST_CASE("goodput: tens of thousands of faults give the closed form, also where a trial is cut short",
          "[cluster]") {
  FaultParams faults = published_faults();
  faults.trials = 20;
  faults.repair_hours = 0;
  faults.rates = {};
  faults.rates.software = 213'210;
  for (const double interval : {2.0, 10.0, 30.0}) {
    TrainingPlan p = plan(1280, interval);
    p.checkpoint = 0;
    const double mean = mean_time_between_faults(faults, p.chips),
                 restart = 60 * (faults.detection_minutes + faults.restart_minutes);
    const double expected = interval / ((mean + restart) * std::expm1(interval / mean));
    const Goodput g = simulate_goodput(faults, p);
    CHECK(g.goodput == Approx(expected).epsilon(0.02));
    CHECK(sum_of(g) == Approx(1).epsilon(1e-6));
    CHECK(g.elapsed_p50 == Approx(p.work / expected).epsilon(0.05));
  }
}

// With a checkpoint that blocks, a segment is longer by it, and the law is the same.
TEST_CASE("goodput: checkpoints that block give the closed form, for any number between two faults",
          "[cluster]") {
  FaultParams faults = published_faults();
  faults.trials = 100;
  faults.repair_hours = 0;
  faults.rates = {};
  faults.rates.software = 2'000;
  for (const double interval : {3.0, 60.0, 2000.0}) {
    TrainingPlan p = plan(1280, interval);
    p.checkpoint = 1;
    const double mean = mean_time_between_faults(faults, p.chips),
                 restart = 60 * (faults.detection_minutes + faults.restart_minutes);
    const double expected = interval / ((mean + restart) * std::expm1((interval + p.checkpoint) / mean));
    const Goodput g = simulate_goodput(faults, p);
    CHECK(g.goodput == Approx(expected).epsilon(0.02));
    CHECK(sum_of(g) == Approx(1).epsilon(1e-6));
  }
}

// Checkpoints between two faults are counted, not simulated: here 10^12 of them.
TEST_CASE("goodput: a checkpoint after every step costs no more time to simulate than one a day",
          "[cluster]") {
  FaultParams faults = published_faults();
  faults.rates = {};
  faults.days = 1e5;
  TrainingPlan p = plan(1000, 1.0 / 128);
  p.work = 1e5 * kDay;
  p.checkpoint = 1.0 / 1024;
  const Goodput g = simulate_goodput(faults, p);
  CHECK(g.goodput == Approx(8.0 / 9).epsilon(1e-9));
  CHECK(g.checkpointing == Approx(1.0 / 9).epsilon(1e-9));
  CHECK(g.elapsed_p50 == Approx(p.work * 9 / 8).epsilon(1e-9));
  // Rounding must not add the checkpoint of an empty interval.
  for (const double interval : {0.1, 0.3, 7.7}) {
    TrainingPlan whole = plan(1000, interval);
    whole.work = 1000 * interval;
    whole.checkpoint = 60;
    CHECK(simulate_goodput(faults, whole).elapsed_p50 == Approx(1000 * (interval + 60)).epsilon(1e-9));
  }
}

// Duration in units of the work, or infinite where exp(-s / M) is far below one success in 50,000 faults.
TEST_CASE("goodput: a training never gets faster with more faults, and one that never progresses never ends",
          "[cluster]") {
  FaultParams faults = published_faults();
  faults.trials = 20;
  faults.repair_hours = 0;
  faults.rates = {};
  TrainingPlan p = plan(1280, 60);
  p.checkpoint = 0;
  const double restart = 60 * (faults.detection_minutes + faults.restart_minutes);
  double before = 0, before99 = 0;
  bool progressed = false, stuck = false;
  for (double rate = 100; rate < 1e9; rate *= 2) {
    faults.rates.other = rate;
    const double mean = mean_time_between_faults(faults, p.chips);
    const Goodput g = simulate_goodput(faults, p);
    INFO("rate " << rate << ", " << g.elapsed_p50 << " s after " << before << " s");
    CHECK(g.elapsed_p50 >= before);
    CHECK(g.elapsed_p99 >= before99);
    before = g.elapsed_p50;
    before99 = g.elapsed_p99;
    if (const double successes = 50'000 * std::exp(-p.interval / mean); successes > 1000) {
      progressed = true;
      const double expected = p.work / p.interval * (mean + restart) * std::expm1(p.interval / mean);
      CHECK(g.elapsed_p50 == Approx(expected).epsilon(0.1));
      CHECK(g.stuck == 0);
    } else if (successes < 1e-3) {
      stuck = true;
      CHECK(std::isinf(g.elapsed_p50));
      CHECK(std::isinf(g.elapsed_p99));
      CHECK(g.stuck == faults.trials);
      CHECK(g.stuck_seconds == Approx(50'000 * (mean + restart)).epsilon(0.05));
      CHECK(g.goodput == 0);
    }
  }
  CHECK(progressed);
  CHECK(stuck);
}

// Parts become slow M apart on average and are found after D, in which steps take s times longer.
TEST_CASE("goodput: slow parts cost what their closed form says, and nothing if steps are as fast",
          "[cluster]") {
  FaultParams faults = published_faults();
  faults.rates = {};
  faults.rates.slow = 100;
  faults.restart_minutes = 0;
  faults.repair_hours = 0;
  faults.slow_hours = 3;
  TrainingPlan p = plan(1000, 600);
  p.checkpoint = 0;
  const double between = 1e6 / (faults.rates.slow * p.chips) * kHour, slow = faults.slow_hours * kHour;
  for (const double slowdown : {1.0, 1.5, 4.0}) {
    p.slowdown = slowdown;
    const Goodput g = simulate_goodput(faults, p);
    CHECK(g.goodput == Approx((between + slow / slowdown) / (between + slow)).epsilon(0.02));
    CHECK(sum_of(g) == Approx(1).epsilon(1e-9));
    CHECK(g.lost == 0);
  }
}

TEST_CASE("goodput: with slow parts, faults and maintenance together, useful and lost time still add up",
          "[cluster]") {
  FaultParams faults = published_faults();
  faults.rates.slow = 50;
  faults.maintenance_days = 10;
  for (const double spares : {0.0, 80.0, 400.0})
    for (const bool asynchronous : {false, true}) {
      TrainingPlan p = plan(4096, 1800);
      p.spares = spares;
      p.asynchronous = asynchronous;
      p.slowdown = 2;
      p.unit = 64;
      const Goodput g = simulate_goodput(faults, p);
      CHECK(sum_of(g) == Approx(1).epsilon(1e-9));
      CHECK(g.slowed > 0);
      CHECK((g.maintenance > 0) == (spares >= 64));
    }
}

// Every period P, the job pauses for q, and an UltraServer is away for less than P.
TEST_CASE("goodput: rolling maintenance costs its pauses, and is postponed where spares are missing",
          "[cluster]") {
  FaultParams faults = published_faults();
  faults.rates = {};
  faults.maintenance_days = 20;
  faults.maintenance_hours = 1;
  faults.maintenance_minutes = 3;
  TrainingPlan p = plan(6400, 600);
  p.checkpoint = 0;
  p.unit = 64;
  p.spares = 64;
  const double period = 20 * kDay * p.unit / p.chips;
  const Goodput enough = simulate_goodput(faults, p);
  CHECK(enough.goodput == Approx(period / (period + 180)).epsilon(1e-3));
  CHECK(enough.maintenance == Approx(180 / (period + 180)).epsilon(0.01));
  CHECK(enough.postponed_per_day == 0);
  p.spares = 63;
  const Goodput few = simulate_goodput(faults, p);
  CHECK(few.goodput == Approx(1));
  CHECK(few.postponed_per_day == Approx(kDay / period).epsilon(0.01));
  // An UltraServer's maintenance takes the spares for two periods.
  p.spares = 64;
  faults.maintenance_hours = 1.9 * period / kHour;
  faults.maintenance_minutes = 0;
  CHECK(simulate_goodput(faults, p).postponed_per_day * p.work / kDay ==
        Approx(p.work / (2 * period)).margin(1));
}
