// SPDX-License-Identifier: Apache-2.0
#include "workloads/gemm/gemm_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "runtime/collective/result/collective_measure.h"
#include "workloads/gemm/kernel/gemm_kernel.h"

namespace tahoma::workloads {

namespace {

using Program = std::shared_ptr<const isa::Program>;

void load_single(runtime::Machine& machine, const GemmLayout& layout, GemmNest nest) {
  std::map<std::array<std::uint64_t, 3>, Program> programs;
  for (const GemmTile& tile : layout.tiles()) {
    Program& program = programs[{tile.m.count, tile.n.count, tile.k.count}];
    if (!program)
      program =
          std::make_shared<const isa::Program>(gemm_program(machine.params(), layout.shape_of(tile), nest));
    std::vector<std::uint64_t> addresses{tile.a.address, tile.b.address, tile.c.address};
    for (const runtime::Tensor* more : {&tile.tags, &tile.bias, &tile.residual})
      if (!more->shape.empty()) addresses.push_back(more->address);
    machine.load(tile.core, program, addresses);
  }
}

// Tiles of one group.
struct GemmGroup {
  const GemmLayout& layout;
  const GemmSum& sum;
  const GemmTile* tiles;

  std::vector<GemmSum::Rank> ranks() const {
    std::vector<GemmSum::Rank> ranks;
    for (const GemmTile* t = tiles; t != tiles + sum.ranks(); ++t) {
      GemmShape part = layout.shape_of(*t);
      part.out = isa::DType::kFp32;
      ranks.push_back({part, t->partial.address, t->c.address, t->staging.address});
    }
    return ranks;
  }
  // Sizes, and places relative to the first rank.
  std::vector<std::uint64_t> likeness() const {
    std::vector<std::uint64_t> likeness = sum.likeness();
    for (const GemmTile* t = tiles; t != tiles + sum.ranks(); ++t)
      for (const std::uint64_t number :
           {t->k.count, std::uint64_t{t->core} - tiles->core, t->partial.address - tiles->partial.address,
            t->c.address - t->partial.address, t->staging.address - t->partial.address})
        likeness.push_back(number);
    return likeness;
  }
};

}  // namespace

void GemmPrograms::load(runtime::Machine& machine, const GemmLayout& layout, GemmNest nest) {
  if (layout.sums().empty()) return load_single(machine, layout, nest);
  std::map<std::vector<std::uint64_t>, std::vector<Program>> programs;
  const GemmTile* tiles = layout.tiles().data();
  for (const GemmSum& sum : layout.sums()) {
    const GemmGroup group{layout, sum, tiles};
    std::vector<Program>& by_rank = programs[group.likeness()];
    if (by_rank.empty())
      for (isa::Program& program : sum.programs(machine.params(), group.ranks(), nest))
        by_rank.push_back(std::make_shared<const isa::Program>(std::move(program)));
    for (std::uint32_t r = 0; r < sum.ranks(); ++r, ++tiles) {
      stopwatch_.expect(tiles->core, *by_rank[r]);
      machine.load(tiles->core, by_rank[r],
                   {tiles->a.address, tiles->b.address, tiles->partial.address, tiles->core});
    }
  }
  machine.observe(&stopwatch_);
}

std::vector<runtime::CollectiveResult> GemmPrograms::sums(const model::MachineParams& machine,
                                                          const GemmLayout& layout,
                                                          std::optional<bool> correct) const {
  struct Alike {
    const GemmSum* first;
    std::size_t groups = 0;
    std::vector<runtime::RankTimes> ranks;
  };
  std::vector<Alike> all;
  const GemmTile* tiles = layout.tiles().data();
  for (const GemmSum& sum : layout.sums()) {
    auto alike = std::find_if(all.begin(), all.end(), [&](const Alike& a) {
      return a.first->bytes() == sum.bytes() &&
             a.first->planned().spec.algorithm == sum.planned().spec.algorithm;
    });
    if (alike == all.end()) alike = all.insert(all.end(), Alike{&sum, 0, {}});
    ++alike->groups;
    for (std::uint32_t r = 0; r < sum.ranks(); ++r, ++tiles)
      alike->ranks.push_back(runtime::collective::times_of(stopwatch_, sum.spans(tiles->core)));
  }
  std::vector<runtime::CollectiveResult> results;
  for (Alike& alike : all) {
    const GemmSum& sum = *alike.first;
    const runtime::collective::Spec& spec = sum.planned().spec;
    runtime::CollectiveResult& result = results.emplace_back();
    result.operation = runtime::collective::name_of(spec.problem.operation);
    result.name = fmt::format("partial sums of {} B by {} groups", sum.bytes(), alike.groups);
    result.combiner = "sum";
    result.algorithm = spec.algorithm->name;
    result.why = sum.why();
    result.group = fmt::format("{} groups of {} cores at once", alike.groups, sum.ranks());
    result.bytes = sum.bytes();
    result.dtype = isa::DType::kFp32;
    result.bus_factor = runtime::collective::bus_factor(spec.problem.operation, sum.ranks());
    result.ranks = std::move(alike.ranks);
    const GemmSum::Estimate estimate = sum.estimate(machine);
    result.estimate = estimate.time;
    result.split = runtime::split_time(result.ranks, estimate.bounds);
    result.correct = correct;
  }
  return results;
}

}  // namespace tahoma::workloads
