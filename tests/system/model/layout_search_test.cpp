// SPDX-License-Identifier: Apache-2.0
// The search over layouts: pruning loses no point of the front, whatever the costs, as long as bounds are
// bounds; and the bounds of a model are the closed forms written out here.
#include "studies/model/search/layout_search.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "tests/support/llama_8b.h"

using namespace tahoma;
using runtime::LayoutSearch, runtime::ModelFigures, runtime::ModelPoint, runtime::SearchedPoint;

namespace {

// A point with the number `n` as its tensor degree, by which the executor finds its cost.
struct Space {
  std::vector<SearchedPoint> points;
  std::vector<std::pair<double, double>> costs;  // TTFT and TPOT

  // `tightness`: bounds are at least this share of the cost; `excess`: what they are multiplied with.
  Space(unsigned seed, double excess = 1) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> cost(1, 10), share(0.2, 1);
    for (std::uint64_t n = 0; n < 40; ++n) {
      const double ttft = cost(random), tpot = cost(random);
      costs.emplace_back(ttft, tpot);
      SearchedPoint point;
      point.point.layout.chips = std::uint64_t{1} << random() % 7;
      point.point.demand.batch = std::uint64_t{1} << random() % 5;
      point.point.layout.tensor = n;
      point.bounds = {excess * ttft * share(random), excess * tpot * share(random)};
      points.push_back(point);
    }
  }
  std::vector<SearchedPoint> search(const LayoutSearch& how) const {
    return runtime::search_layouts(points, how, [&](const std::vector<ModelPoint>& wanted) {
      std::vector<ModelFigures> figures;
      for (const ModelPoint& point : wanted) {
        ModelFigures f{point, {}, {}};
        f.prefill.seconds = costs[point.layout.tensor].first;
        f.decode.seconds = costs[point.layout.tensor].second;
        figures.push_back(f);
      }
      return figures;
    });
  }
  // Applies the definition to all pairs of points.
  std::vector<bool> front(const runtime::LayoutLimits& limits) const {
    std::vector<bool> front;
    const auto allowed = [&](std::size_t i) {
      return (limits.ttft == 0 || costs[i].first <= limits.ttft) &&
             (limits.tpot == 0 || costs[i].second <= limits.tpot);
    };
    const auto rate = [&](std::size_t i) {
      return static_cast<double>(points[i].point.demand.batch) / costs[i].second /
             static_cast<double>(points[i].point.layout.chips);
    };
    for (std::size_t i = 0; i < points.size(); ++i) {
      bool beaten = !allowed(i);
      for (std::size_t j = 0; j < points.size(); ++j)
        beaten |= allowed(j) && costs[j].first <= costs[i].first && costs[j].second <= costs[i].second &&
                  rate(j) >= rate(i) &&
                  (costs[j].first < costs[i].first || costs[j].second < costs[i].second || rate(j) > rate(i));
      front.push_back(!beaten);
    }
    return front;
  }
};

std::vector<bool> marked(const std::vector<SearchedPoint>& points) {
  std::vector<bool> front;
  for (const SearchedPoint& point : points) front.push_back(point.front);
  return front;
}

std::size_t executed(const std::vector<SearchedPoint>& points) {
  return static_cast<std::size_t>(std::count_if(
      points.begin(), points.end(), [](const SearchedPoint& p) { return p.figures.has_value(); }));
}

constexpr unsigned kSpaces = 200;

}  // namespace

TEST_CASE("layout search: pruning loses no point of the front, over random costs and limits",
          "[layout_search]") {
  std::size_t pruned = 0;
  for (unsigned seed = 0; seed < kSpaces; ++seed) {
    const Space space(seed);
    const runtime::LayoutLimits limits{seed % 3 == 0 ? 6.0 : 0, seed % 5 == 0 ? 5.0 : 0};
    const auto found = space.search({limits, false, 1 + seed % 4});
    INFO("seed " << seed);
    REQUIRE(marked(found) == space.front(limits));
    for (const SearchedPoint& point : found) CHECK(point.figures.has_value() == point.pruned.empty());
    pruned += found.size() - executed(found);
  }
  CHECK(pruned > kSpaces);  // it is worth the trouble
}

TEST_CASE("layout search: points of other prompts or contexts do not compete", "[layout_search]") {
  Space space(1);
  for (std::size_t n = 0; n < space.points.size(); ++n) {
    space.points[n].point.demand.prompt = 1 + n;
    space.points[n].point.demand.context = 1 + n / 2;
  }
  const auto found = space.search({{}, false, 1});
  CHECK(executed(found) == found.size());
  CHECK(std::all_of(found.begin(), found.end(), [](const SearchedPoint& point) { return point.front; }));
}

TEST_CASE("layout search: an exhaustive search executes every point and finds the same front",
          "[layout_search]") {
  for (unsigned seed = 0; seed < kSpaces; ++seed) {
    const Space space(seed);
    const auto all = space.search({{}, true, 7});
    REQUIRE(executed(all) == all.size());
    REQUIRE(marked(all) == space.front({}));
  }
}

TEST_CASE("layout search: bounds that exceed the costs lose points, so the comparison can fail",
          "[layout_search]") {
  std::size_t lost = 0;
  for (unsigned seed = 0; seed < kSpaces; ++seed) {
    const Space space(seed, 5);
    lost += marked(space.search({{}, false, 1})) != space.front({}) ? 1 : 0;
  }
  CHECK(lost > kSpaces / 2);
}

TEST_CASE("layout search: bounds of Llama 3.1 8B on one chip, by hand", "[layout_search]") {
  runtime::ModelConfig c = tests::llama_8b();
  c.file = "config.json";
  const ModelPoint point{{1, 2, 4, 1, 1}, {16, 1024, 2048}};
  const runtime::LayoutBounds bounds = runtime::bounds_of(c, point, {});
  const double weights = 32 * (4096.0 * 4096 * 2 + 4096.0 * 1024 * 2 + 3 * 4096.0 * 14336),
               head = 4096.0 * 128256, bandwidth = 4 * 725e9, flops = 8 * 2 * 128 * 128 * 2.4e9;
  CHECK(bounds.ttft ==
        Approx((1024 * 2 * weights + 2 * 32 * 4096.0 * 1024 * 1025 + 2 * head) / flops).epsilon(1e-12));
  CHECK(bounds.tpot ==
        Approx(2 * (weights + head + 16 * 2048.0 * 2 * 32 * 8 * 128) / bandwidth).epsilon(1e-12));
  const runtime::LayoutBounds ideal = runtime::bounds_of(c, point, {"machine.chip.hbm.bandwidth=ideal"});
  CHECK(ideal.tpot < bounds.tpot);
}

TEST_CASE("layout search: groups that share sequences read the weights twice, and compute a prompt once",
          "[layout_search]") {
  runtime::ModelConfig c = tests::llama_8b();
  c.file = "config.json";
  ModelPoint alone{{1, 2, 2, 1, 1}, {16, 1024, 2048}}, shared = alone;
  shared.layout.sequence = 2;
  const double weights = 32 * (4096.0 * 4096 * 2 + 4096.0 * 1024 * 2 + 3 * 4096.0 * 14336),
               head = 4096.0 * 128256, bandwidth = 4 * 725e9;
  const runtime::LayoutBounds bounds = runtime::bounds_of(c, shared, {});
  CHECK(bounds.ttft == Approx(runtime::bounds_of(c, alone, {}).ttft).epsilon(1e-12));
  CHECK(bounds.tpot ==
        Approx(2 * (2 * (weights + head) + 16 * 2048.0 * 2 * 32 * 8 * 128) / bandwidth).epsilon(1e-12));
}
