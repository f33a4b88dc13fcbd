// SPDX-License-Identifier: Apache-2.0
// The experts of tokens and the layout of their rows: laws that hold for every routing.
#include "workloads/transformer/experts/expert_layout.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "tests/support/program/transformer_run.h"

using namespace tahoma;
using tests::params_with, tests::Settings, tests::with;
using workloads::ExpertCase, workloads::ExpertLayout, workloads::ExpertRouting, workloads::Segment;

namespace {

constexpr std::uint64_t kRowsOfCore = 5, kPerToken = 2;

ExpertRouting routing_of(const Settings& more, std::uint64_t seed = 1) {
  return {params_with(with({{"tokens", "240"}, {"model.experts", "12"}}, more)), seed};
}

ExpertLayout layout_of(const ExpertCase& shape, const ExpertRouting& routing) {
  return {shape, kPerToken, [&](std::uint64_t row, std::uint64_t k) { return routing.expert(0, row, k); },
          [&](std::size_t r, std::size_t h) {
            return runtime::Part{(r * shape.physical_cores + h) * kRowsOfCore, kRowsOfCore};
          }};
}

// The rows of a segment, and the data that places without rows transfer, are inside it and do not overlap.
void check_apart(const Segment& segment) {
  std::set<std::uint64_t> seen;
  for (std::size_t place = 0; place < segment.counts.size(); ++place) {
    CHECK(segment.elements(place) >= runtime::collective::Communicator::kLeast);
    for (std::uint64_t i = 0; i < segment.elements(place); ++i) {
      CHECK(segment.start(place) + i < segment.all() * segment.columns);
      if (!seen.insert(segment.start(place) + i).second) FAIL("two places share an element");
    }
  }
}

// Each choice of each row is sent to the rows of its expert once, and back to its own position.
void check_exchange(const ExpertCase& shape, const ExpertRouting& routing) {
  const ExpertLayout layout = layout_of(shape, routing);
  std::map<std::uint64_t, std::uint64_t> wanted, taken, arrived;
  for (std::size_t r = 0; r < shape.ranks; ++r)
    for (std::size_t h = 0; h < shape.physical_cores; ++h) {
      const std::uint64_t first = (r * shape.physical_cores + h) * kRowsOfCore;
      for (std::uint64_t row = first; row < first + kRowsOfCore; ++row)
        for (std::uint64_t k = 0; k < kPerToken; ++k) ++wanted[routing.expert(0, row, k)];
      const std::vector<std::uint64_t> back = layout.returned(r, h);
      CHECK(std::set<std::uint64_t>(back.begin(), back.end()).size() == kRowsOfCore * kPerToken);
      for (std::size_t slot = 0; slot < shape.slots; ++slot) {
        const Segment& sent = layout.sent(r, h, slot);
        const std::vector<std::uint64_t> rows = layout.taken(r, h, slot);
        REQUIRE(rows.size() == sent.rows());
        check_apart(sent);
        check_apart(layout.arrived(r, h, slot));
        for (std::size_t block = 0; block < shape.blocks(); ++block)
          for (std::uint64_t i = 0; i < sent.counts[block]; ++i) {
            const std::uint64_t expert = block * shape.slots + slot, row = rows[sent.before(block) + i];
            ++taken[expert];
            // It returns to its origin, for the choice that named the expert.
            for (std::uint64_t k = 0; k < kPerToken; ++k)
              if (routing.expert(0, first + row, k) == expert)
                CHECK(back[row * kPerToken + k] == sent.first + sent.before(block) + i);
          }
      }
    }
  CHECK(taken == wanted);
  for (std::size_t r = 0; r < shape.ranks; ++r)
    for (std::size_t slot = 0; slot < shape.slots; ++slot) {
      const Segment& rows = layout.rows(r, slot);
      check_apart(rows);
      std::uint64_t of_cores = 0;
      for (std::size_t h = 0; h < shape.physical_cores; ++h)
        of_cores += layout.rows_of_core(r, slot, h).count;
      CHECK(of_cores == rows.rows());
      CHECK(rows.rows() == wanted[r / shape.block * shape.slots + slot]);
    }
}

}  // namespace

TEST_CASE("expert layout: every choice is sent to its expert and back, for any routing", "[transformer]") {
  for (const char* routing : {"balanced", "skewed"})
    for (const std::uint64_t block : {1, 2, 6}) {
      const ExpertCase shape{6, 2, block, 12 / (6 / block), 48, true};
      check_exchange(shape, routing_of({{"routing", routing}, {"skew", "2"}}));
    }
}

TEST_CASE("expert layout: if all ranks have all tokens, each takes those of its experts", "[transformer]") {
  const ExpertRouting routing = routing_of({{"routing", "skewed"}});
  const ExpertCase shape{4, 1, 2, 6, 48, false};
  const ExpertLayout layout(
      shape, kPerToken, [&](std::uint64_t row, std::uint64_t k) { return routing.expert(0, row, k); },
      [](std::size_t, std::size_t) {
        return runtime::Part{0, 20};
      });
  for (std::size_t r = 0; r < shape.ranks; ++r) {
    const std::vector<std::uint64_t> back = layout.returned(r, 0);
    const std::uint64_t nobody = layout.rows(r, shape.slots - 1).end();
    for (std::uint64_t row = 0; row < 20; ++row)
      for (std::uint64_t k = 0; k < kPerToken; ++k)
        CHECK((back[row * kPerToken + k] == nobody) == (routing.expert(0, row, k) / shape.slots != r / 2));
  }
}

TEST_CASE("expert routing: balanced gives every expert equally many tokens", "[transformer]") {
  const ExpertRouting routing = routing_of({});
  CHECK(routing.most_tokens() == 40);
  CHECK(routing.mean_tokens() == 40);
}

TEST_CASE("expert routing: skewed draws different experts, in the declared proportion", "[transformer]") {
  const Settings many{{"tokens", "40000"}, {"model.experts", "4"}, {"routing", "skewed"}};
  const ExpertRouting routing = routing_of(many);
  std::map<std::uint64_t, double> first;
  for (std::uint64_t row = 0; row < 40000; ++row) {
    if (routing.expert(0, row, 0) == routing.expert(0, row, 1)) FAIL("an expert twice");
    first[routing.expert(0, row, 0)] += 1.0 / 40000;
  }
  const double all = 1 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4;
  // Six deviations of a share of 40,000 draws are below 0.015.
  for (std::uint64_t e = 0; e < 4; ++e)
    CHECK(first[e] == Approx(1.0 / static_cast<double>(e + 1) / all).margin(0.015));
}

TEST_CASE("expert routing: replicas are alike if all their tokens have the same experts", "[transformer]") {
  const Settings two{{"batch", "2"}, {"parallel.data", "2"}};
  CHECK(routing_of(two).alike(0, 1));
  CHECK_FALSE(routing_of(with(two, {{"routing", "skewed"}})).alike(0, 1));
  const ExpertRouting one = routing_of({{"routing", "skewed"}}),
                      other = routing_of({{"routing", "skewed"}}, 2);
  bool same = true;
  for (std::uint64_t row = 0; row < 240; ++row)
    same = same && one.expert(0, row, 0) == other.expert(0, row, 0);
  CHECK_FALSE(same);
}
