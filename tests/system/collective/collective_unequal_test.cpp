// SPDX-License-Identifier: Apache-2.0
// Chunks of different sizes, some of them empty, from the schedule to programs: properties that schedules and
// slots must keep, and whole channels run without time in random order, compared with the definition of the
// operation.
#include <catch2/catch.hpp>
#include <memory>
#include <random>

#include "model/base/error.h"
#include "runtime/collective/algorithm/algorithm.h"
#include "runtime/collective/lowering/lowering.h"
#include "runtime/collective/lowering/windows.h"
#include "runtime/collective/schedule/slots.h"
#include "tests/support/bench/grids.h"
#include "tests/support/program/small_gemm.h"
#include "tests/support/reference/interpreter.h"
#include "tests/support/reference/reference_gemm.h"
#include "tests/support/reference/symbolic.h"

using namespace tahoma;
using namespace tahoma::runtime::collective;
using isa::DType;
using runtime::HbmView;
using runtime::Kernel;
using tests::problem_for;

namespace {

template <class Visit>
void for_each_unequal_schedule(const Grid& grid, Visit&& visit) {
  for (const AlgorithmRow& row : algorithms())
    for (const Operation operation : row.operations) {
      const Problem problem = problem_for(operation, grid.ranks());
      if (!row.refusal(problem, grid).empty()) continue;
      for (const ChannelPlan& channel : row.plan(problem, grid, 2)) {
        INFO(grid.ranks() << " ranks, " << name_of(operation) << ": " << channel.schedule->what);
        visit(*channel.schedule);
      }
    }
}

// Sizes of every chunk in elements, from none to several pieces.
std::vector<std::uint64_t> sizes_for(std::uint32_t chunks, std::uint64_t most, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint64_t> sizes;
  for (std::uint32_t c = 0; c < chunks; ++c) sizes.push_back(random() % 4 == 0 ? 0 : random() % (most + 1));
  return sizes;
}

// One channel, a core for each rank, matrices of chunks that are `kPitch` elements apart.
class Run {
 public:
  static constexpr std::uint64_t kPitch = 61, kPiece = 16;

  Run(const Schedule& schedule, std::vector<std::uint64_t> units, DType out, std::uint32_t seed)
      : problem_(schedule.problem),
        chunks_(schedule.chunks),
        out_(out),
        units_(units),
        interpreter_(machine_, seed) {
    Channel channel{
        std::make_shared<const Schedule>(schedule), {}, std::move(units), kPiece, isa::AluOp::kAdd};
    for (std::uint32_t r = 0; r < problem_.ranks; ++r) add_rank(r);
    for (Rank& rank : ranks_) channel.seats.push_back(rank.seat);
    staging_.resize(ranks_.size());
    lower(channel, [&](std::uint32_t rank, std::uint64_t elements) {
      staging_[rank] += elements;
      return interpreter_.allocate(elements * sizeof(float));
    });
    foretold_ = staging_of(channel);
    for (std::uint32_t r = 0; r < problem_.ranks; ++r) {
      interpreter_.load(r, tests::valid(machine_, ranks_[r].kernel->finish()),
                        {ranks_[r].seat.at->address, r});
    }
    interpreter_.run();
  }

  bool staging_as_foretold() const { return staging_ == foretold_; }

  // Every rank ends with each of its chunks containing the contributions of all ranks that begin with it.
  bool right() {
    for (std::uint32_t r = 0; r < problem_.ranks; ++r) {
      bool same = true;
      const Problem::Held held = problem_.output_of(r, chunks_);
      const auto got =
          tests::load_all(interpreter_.at(ranks_[r].seat.output.address), places(held) * kPitch, out_);
      held.for_each([&](std::uint32_t c) {
        for (std::uint64_t e = 0; e < units_of(c); ++e) {
          float want = 0;
          for (std::uint32_t from = 0; from < problem_.ranks; ++from)
            problem_.input_of(from, chunks_).for_each([&](std::uint32_t begins) {
              if (begins == c) want += value(from, c, e);
            });
          same = same && got[held.place_of(c) * kPitch + e] == want;
        }
      });
      if (!same) return false;
    }
    return true;
  }

 private:
  struct Rank {
    std::unique_ptr<Kernel> kernel;
    std::unique_ptr<CoreKernel> at;
    Seat seat;
  };

  // Integers whose sums are exact even in bf16.
  static float value(std::uint32_t rank, std::uint32_t chunk, std::uint64_t element) {
    return static_cast<float>((rank * 7 + chunk * 5 + element) % 16);
  }
  std::uint64_t units_of(std::uint32_t chunk) const { return units_.size() == 1 ? units_[0] : units_[chunk]; }
  // A rank that ends with no part of a reduction may still fold a part of it.
  std::uint64_t places(const Problem::Held& held) const { return std::max(held.count, chunks_); }

  Strip strip(const CoreKernel& at, std::uint64_t address, DType dtype, std::uint64_t count) {
    Strip strip;
    strip.block =
        at.kernel->beside(at.memory, static_cast<std::int64_t>(address - at.address), dtype, count, kPitch);
    strip.block.rows = 1;
    strip.pitch = kPitch;
    strip.places = count;
    strip.address = address;
    return strip;
  }

  void add_rank(std::uint32_t r) {
    Rank& rank = ranks_.emplace_back();
    rank.kernel = std::make_unique<Kernel>("channel", machine_);
    rank.at = std::make_unique<CoreKernel>();
    CoreKernel& at = *rank.at;
    at.core = r;
    at.kernel = rank.kernel.get();
    at.memory = rank.kernel->argument("memory", DType::kUint8, 1, 64);
    at.own = rank.kernel->own_core("core");
    at.address = interpreter_.allocate(64);
    const Problem::Held held = problem_.input_of(r, chunks_);
    const std::uint64_t in = std::max(1U, held.count), out = places(problem_.output_of(r, chunks_));
    const std::uint64_t input = interpreter_.allocate(in * kPitch * sizeof(float)),
                        output = interpreter_.allocate(out * kPitch * isa::size_of(out_));
    std::vector<float> values(in * kPitch);
    held.for_each([&](std::uint32_t c) {
      for (std::uint64_t e = 0; e < kPitch; ++e) values[held.place_of(c) * kPitch + e] = value(r, c, e);
    });
    tests::store_all(interpreter_.at(input), values, DType::kFp32);
    rank.seat = {&at, isa::Queue::kCc0, strip(at, input, DType::kFp32, in), strip(at, output, out_, out)};
  }

  model::MachineParams machine_ = tests::small_machine();
  Problem problem_;
  std::uint32_t chunks_;
  DType out_;
  std::vector<std::uint64_t> units_;
  tests::Interpreter interpreter_;
  std::vector<Rank> ranks_;
  std::vector<std::uint64_t> staging_, foretold_;
};

void check_run(const Schedule& schedule, const std::vector<std::uint64_t>& units, DType out,
               std::uint32_t seed) {
  Run run(schedule, units, out, seed);
  CHECK(run.right());
  CHECK(run.staging_as_foretold());
}

}  // namespace

TEST_CASE("unequal chunks: a schedule that moves them one by one does the same", "[collective]") {
  for (const Grid& grid : tests::grids())
    if (grid.ranks() <= 16)
      for_each_unequal_schedule(grid, [](const Schedule& schedule) {
        const Schedule single = one_by_one(schedule);
        CHECK(test::fault_of(single).empty());
        CHECK(std::all_of(single.transfers.begin(), single.transfers.end(),
                          [](const Transfer& t) { return t.chunks.size() == 1; }));
        CHECK(single.rounds == schedule.rounds);
      });
}

TEST_CASE("unequal chunks: arrivals that take place are numbered without gaps, and wait for their slots",
          "[collective]") {
  std::size_t reused = 0;
  for_each_unequal_schedule(tests::list_grid(8), [&](const Schedule& all) {
    const Schedule schedule = one_by_one(all);
    const Itinerary it = follow(schedule);
    const std::uint32_t pieces = 4;
    const std::vector<std::uint64_t> sizes = sizes_for(schedule.chunks, pieces, 5);
    const auto takes_place = [&](std::uint32_t hop, std::uint32_t piece) {
      return piece < sizes[schedule.transfers[hop].chunks.first];
    };
    for (const Box& box : it.boxes) {
      const BoxSlots slots(box, schedule, pieces, given_back_alike(it, schedule, box), takes_place);
      std::vector<std::uint32_t> tick;
      for (const std::uint32_t hop : box.hops)
        for (std::uint32_t p = 0; p < pieces; ++p) {
          if (!takes_place(hop, p)) continue;
          tick.resize(std::max<std::size_t>(tick.size(), slots.number(hop, p) + 1), kNone);
          tick[slots.number(hop, p)] = schedule.transfers[hop].round + p;
        }
      CHECK(std::find(tick.begin(), tick.end(), kNone) == tick.end());
      if (!slots.reused()) continue;
      ++reused;
      for (std::size_t i = 0; i + slots.slots() < tick.size(); ++i)
        CHECK(tick[i] + box.lifetime < tick[i + slots.slots()]);
    }
  });
  CHECK(reused > 0);
}

TEST_CASE("unequal chunks: every operation by every algorithm, in any order of events", "[collective]") {
  std::uint32_t seed = 0;
  for (const Grid& grid : {tests::list_grid(5), tests::torus_grid({{4, 1}, {2, 1}})})
    for_each_unequal_schedule(grid, [&](const Schedule& schedule) {
      for (int i = 0; i < 2; ++i, ++seed)
        check_run(one_by_one(schedule), sizes_for(schedule.chunks, Run::kPitch, seed), DType::kFp32, seed);
    });
}

TEST_CASE("equal chunks: outputs may have another dtype than transferred data", "[collective]") {
  std::uint32_t seed = 0;
  for_each_unequal_schedule(tests::torus_grid({{4, 1}, {2, 1}}), [&](const Schedule& schedule) {
    check_run(schedule, {40}, DType::kBf16, seed++);
  });
}

TEST_CASE("unequal chunks: in one transfer they are a fault of ours", "[collective]") {
  const Problem problem = problem_for(Operation::kReduceScatter, 4);
  const Grid grid = tests::list_grid(4);
  const Schedule schedule =
      *algorithm_named("recursive", problem, grid).plan(problem, grid, 1).front().schedule;
  CHECK_THROWS_AS(Run(schedule, {1, 2, 3, 4}, DType::kFp32, 0), base::InvariantError);
}
