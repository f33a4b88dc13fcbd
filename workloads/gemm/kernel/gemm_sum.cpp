// SPDX-License-Identifier: Apache-2.0
#include "workloads/gemm/kernel/gemm_sum.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "runtime/builder/scheduler.h"
#include "runtime/collective/cost/cost.h"
#include "runtime/collective/lowering/lowering.h"
#include "runtime/collective/lowering/windows.h"
#include "runtime/collective/schedule/channel_semaphores.h"
#include "runtime/collective/schedule/queue_assignment.h"
#include "runtime/run/placement.h"
#include "workloads/gemm/kernel/gemm_kernel.h"

namespace tahoma::workloads {

using namespace runtime::collective;
using runtime::HbmView;
using runtime::Kernel;

namespace {

// The kernel's own transfers ring doorbells on two queues, those of the collective on two others.
static_assert(kSignals + isa::kQueueCount + 4UL * runtime::kDmaSlots <= isa::kSemaphores);

base::Duration duration(double seconds) { return {std::llround(seconds * 1e15)}; }

// The program of one rank while it is built.
struct Member {
  Member(const model::MachineParams& machine, const GemmSum::Rank& rank, const GemmSum::Tile& tile,
         std::uint64_t own_rows, std::uint32_t core)
      : kernel("gemm", machine), staging(rank.staging) {
    const GemmShape& s = rank.shape;
    views.a = kernel.argument("a", s.dtype, s.a_rows(), s.a_columns());
    views.b = kernel.argument("b", s.dtype, s.b_rows(), s.b_columns());
    views.c = kernel.argument("partial", isa::DType::kFp32, s.m, s.n);
    c = kernel.beside(views.c, static_cast<std::int64_t>(rank.c - rank.partial), tile.out, own_rows, s.n);
    at.core = core;
    at.kernel = &kernel;
    at.memory = views.c;
    at.address = rank.partial;
    at.own = kernel.own_core("core");
  }
  Kernel kernel;
  GemmViews views;  // c: the partial sums
  HbmView c;
  CoreKernel at;
  std::uint64_t staging;  // the next free
};

// A dense tensor from element `first` on.
void place(Strip& strip, const HbmView& tensor, std::uint64_t address, std::uint64_t first) {
  HbmView block = tensor;
  block.rows = 1;
  block.columns = strip.block.columns;
  block.offset += first * isa::size_of(tensor.dtype);
  strip.block = block;
  strip.address = address + block.offset;
}

void mark(const Seat& seat) {
  isa::Instruction nothing;
  nothing.op = isa::Opcode::kNop;
  seat.at->kernel->emit(seat.queue, nothing);
}

}  // namespace

base::Choice<Algorithm> GemmSum::algorithms() {
  base::Choice<Algorithm> choice{Algorithm::kBest, Algorithm::kAuto};
  for (const AlgorithmRow& row : runtime::collective::algorithms())
    if (row.performs(Operation::kReduceScatter)) choice.push(row.id, std::string(row.name));
  return choice;
}

GemmSum::GemmSum(Estimates& estimates, Group group, const Tile& tile,
                 runtime::collective::Algorithm algorithm)
    : tile_(tile), group_(std::move(group)) {
  Spec spec;
  spec.problem = {Operation::kReduceScatter, group_.ranks(), 0, {}, Inputs::kSent};
  spec.elements = tile.rows * tile.columns;
  spec.chunk_elements = runtime::part_of(tile.rows, group_.ranks(), 0).count * tile.columns;
  const Choice& choice = estimates.choose(algorithm, spec.problem, group_, bytes(), queues_of(group_));
  spec.algorithm = choice.algorithm;
  why_ = choice.why;
  planned_ = cut_up(spec, group_);
  for (const ChannelQueue& p :
       channel_queues(estimates.machine(), group_, 0, std::vector<double>(planned_.plan.size(), 1)))
    queues_.push_back(p.queue);
  staging_.resize(ranks());
  for (std::size_t c = 0; c < planned_.channels.size(); ++c) {
    if (planned_.channels[c].columns == 0) continue;
    const std::vector<std::uint64_t> more = staging_of(channel(c));
    for (std::uint32_t r = 0; r < ranks(); ++r) staging_[r] += more[r];
  }
}

GemmSum::Estimate GemmSum::estimate(const model::MachineParams& machine) const {
  const Cost cost = CostModel(machine, group_).of(planned_.together, {bytes()});
  return {duration(cost.seconds),
          {cost.rounds, duration(cost.empty_round), duration(cost.link), duration(cost.more_sources)}};
}

Channel GemmSum::channel(std::size_t number) const {
  const PlannedChannel& at = planned_.channels[number];
  Seat seat;
  seat.queue = queues_[number];
  seat.input.block.dtype = isa::DType::kFp32;
  seat.output.block.dtype = tile_.out;
  seat.input.block.columns = seat.output.block.columns = at.columns;
  seat.input.pitch = seat.output.pitch = static_cast<std::int64_t>(planned_.chunk_elements);
  seat.input.places = ranks();
  seat.output.places = 1;
  return {planned_.plan[number].schedule, std::vector<Seat>(ranks(), seat), at.units, at.piece,
          isa::AluOp::kAdd};
}

std::vector<isa::Program> GemmSum::programs(const model::MachineParams& machine,
                                            const std::vector<Rank>& ranks, GemmNest nest) const {
  std::vector<std::unique_ptr<Member>> members;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    const std::uint64_t own = runtime::part_of(tile_.rows, ranks.size(), r).count;
    members.push_back(std::make_unique<Member>(machine, ranks[r], tile_, own, group_.cores[r].front()));
    members.back()->kernel.region("gemm");
    emit_gemm(nest, members.back()->kernel, machine, ranks[r].shape, members.back()->views);
  }
  for (std::size_t c = 0; c < planned_.channels.size(); ++c) {
    const PlannedChannel& at = planned_.channels[c];
    if (at.columns == 0) continue;
    Channel channel = this->channel(c);
    for (std::uint32_t r = 0; r < ranks.size(); ++r) {
      Seat& seat = channel.seats[r];
      seat.at = &members[r]->at;
      seat.at->kernel->region(planned_.spec.name());
      place(seat.input, members[r]->views.c, ranks[r].partial, at.first);
      place(seat.output, members[r]->c, ranks[r].c, at.first);
      seat.at->kernel->wait(seat.queue, members[r]->views.c.window(0, 0, 1, 1));
      mark(seat);
    }
    lower(channel, [&](std::uint32_t rank, std::uint64_t elements) {
      return std::exchange(members[rank]->staging, members[rank]->staging + elements * sizeof(float));
    });
    for (const Seat& seat : channel.seats) mark(seat);
  }
  std::vector<isa::Program> programs;
  for (const auto& member : members) programs.push_back(finish_gemm(nest, member->kernel));
  return programs;
}

std::vector<Stopwatch::Span> GemmSum::spans(std::uint32_t core) const {
  std::vector<Stopwatch::Span> spans;
  for (std::size_t c = 0; c < queues_.size(); ++c)
    if (planned_.channels[c].columns > 0) spans.push_back({core, queues_[c], 0, 1});
  return spans;
}

std::vector<std::uint64_t> GemmSum::likeness() const {
  std::vector<std::uint64_t> likeness{
      tile_.rows, tile_.columns, group_.share, group_.sharers,
      static_cast<std::uint64_t>(planned_.spec.algorithm - &runtime::collective::algorithms().front())};
  for (const GridAxis& axis : group_.grid.axes)
    likeness.insert(likeness.end(), {axis.size, axis.stride, axis.closed ? 1U : 0U});
  return likeness;
}

}  // namespace tahoma::workloads
