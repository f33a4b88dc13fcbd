// SPDX-License-Identifier: Apache-2.0
// Statistics are declared at their counters: none is forgotten, and every declared one is listed.
#include <catch2/catch.hpp>
#include <set>

#include "model/base/measurements.h"
#include "model/base/statistics_walk.h"
#include "tests/support/reference/fields.h"

using namespace tahoma::base;
using namespace tahoma::base::literals;
using namespace tahoma::tests;

namespace {

struct Complete {
  std::string path;
  std::uint32_t number = 0;  // an identity, not a count
  Bandwidth peak;
  Series series;

  TAHOMA_STATISTICS(Complete);
  TAHOMA_COUNTER(std::uint64_t, packets, kCount, "packets sent");
  TAHOMA_COUNTER(Duration, busy, kNanoseconds, "time spent sending");
  TAHOMA_LEVEL(double, mean, kCount, "packets in the queue, mean over the run");
  TAHOMA_COUNTER_IF(self.errors > 0, std::uint64_t, errors, kCount, "packets sent again");
  TAHOMA_FIGURE(std::optional<double>, rate, kRatio, "packets over what the peak allows",
                achieved_share(self.packets, self.peak, elapsed));
};

struct Forgetful {
  TAHOMA_STATISTICS(Forgetful);
  TAHOMA_COUNTER(std::uint64_t, told, kCount, "declared");
  std::uint64_t untold = 0;
  Duration untold_time;
  double untold_mean = 0;
};

struct Owner {
  TAHOMA_STATISTICS(Owner);
  TAHOMA_PART(std::vector<Complete>, parts);
  TAHOMA_TOTALS(std::vector<Complete>, all);
};

std::vector<Stat> listed(const auto& of, const std::string& path, Lister::What what) {
  StatSink sink;
  Lister(sink, 1_us, what).list(of, path);
  return sink.stats();
}

std::set<std::string> paths(const std::vector<Stat>& stats) {
  std::set<std::string> all;
  for (const Stat& stat : stats) all.insert(stat.path);
  return all;
}

}  // namespace

TEST_CASE("declared statistics: a counter that no line declares is found", "[stats]") {
  CHECK(field_count<Complete>() == 8);
  CHECK(undeclared_numbers<Complete>() == 0);
  CHECK(undeclared<Forgetful, std::uint64_t>() == 1);
  CHECK(undeclared<Forgetful, Duration>() == 1);
  CHECK(undeclared<Forgetful, double>() == 1);
}

TEST_CASE("declared statistics: every counter of a measurement is declared", "[stats]") {
  CHECK(undeclared_numbers<ArrayCounts>() == 0);
  CHECK(undeclared<EngineMeasurement, Duration>() == 2);  // first_start and last_end are points in time
  CHECK(undeclared_numbers<EngineMeasurement>() == 2);
  CHECK(undeclared_numbers<DmaMeasurement>() == 0);
  CHECK(undeclared_numbers<DramCounts>() == 0);
  CHECK(undeclared_numbers<ChannelMeasurement>() == 0);
  CHECK(undeclared_numbers<LatencyMeasurement>() == 0);
  CHECK(undeclared_numbers<HbmUser>() == 0);
  CHECK(undeclared_numbers<HbmMeasurement>() == 0);
  CHECK(undeclared_numbers<CrossingMeasurement>() == 0);
  CHECK(undeclared_numbers<LinkMeasurement>() == 0);
  CHECK(undeclared_numbers<TrafficMeasurement>() == 0);
  CHECK(undeclared_numbers<RunCounts>() == 0);
  CHECK(undeclared_numbers<RunMeasurement>() == 0);
  // A run consists only of declared parts: all of its structs are reachable.
  std::size_t members = 0, figures = 0;
  for_each_declaration<RunMeasurement>([&]<class D>(const D&) {
    if constexpr (requires(D d) { d.value; })
      ++figures;
    else
      ++members;
  });
  CHECK(field_count<RunMeasurement>() == members);
  CHECK(figures == 1);
}

TEST_CASE("declared statistics: parts that took no part are omitted unless everything is requested",
          "[stats]") {
  Complete c;
  c.packets = 3;
  c.busy = 2_ns;
  const auto measured = listed(c, "a.b", Lister::What::kMeasured);
  CHECK(paths(measured) == std::set<std::string>{"a.b.packets", "a.b.busy", "a.b.mean"});
  CHECK(std::get<std::uint64_t>(measured[0].value) == 3);
  CHECK(std::get<double>(measured[1].value) == 2);
  CHECK(measured[1].unit == Unit::kNanoseconds);
  CHECK(std::string(measured[1].doc) == "time spent sending");
  CHECK(measured[1].adds);
  CHECK_FALSE(measured[2].adds);
  CHECK(paths(listed(c, "a.b", Lister::What::kDeclared)) ==
        std::set<std::string>{"a.b.packets", "a.b.busy", "a.b.mean", "a.b.errors", "a.b.rate"});
  c.errors = 1;
  c.peak = 3_GBps;
  const auto more = listed(c, "a.b", Lister::What::kMeasured);
  CHECK(more.size() == 5);
  CHECK(std::get<double>(more[4].value) == Approx(3.0 / 3000));
}

TEST_CASE("declared statistics: parts have their own paths, totals add counters and no levels", "[stats]") {
  Owner owner;
  owner.parts.emplace_back().path = "x.y";
  for (const std::uint64_t packets : {3U, 4U}) {
    Complete& c = owner.all.emplace_back();
    c.packets = packets;
    c.mean = 5;
  }
  const auto stats = listed(owner, "", Lister::What::kMeasured);
  REQUIRE(stats.size() == 6);
  CHECK(stats[0].path == "x.y.packets");
  CHECK(stats[3].path == "all.packets");
  CHECK(std::get<std::uint64_t>(stats[3].value) == 7);
  CHECK(stats[5].path == "all.mean");
  CHECK(std::get<double>(stats[5].value) == 0);
  // A list of everything needs an instance of everything.
  CHECK_THROWS_WITH(listed(Owner{}, "", Lister::What::kDeclared), Catch::Contains("parts"));
}
