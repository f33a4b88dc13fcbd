// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/partition/handover.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "runtime/collective/result/collective_measure.h"
#include "workloads/transformer/partition/transformer_params.h"

namespace tahoma::workloads {

using namespace runtime::collective;
using runtime::HbmView;

namespace {

std::uint64_t bytes_in(const HbmView& rows) { return rows.rows * rows.columns * isa::size_of(rows.dtype); }

// The transfer of one physical core as an operation with a closed form.
PlannedCollective one_of(const Group& pair, std::uint64_t bytes) {
  Spec spec;
  spec.problem = {Operation::kSendRecv, 2, 0, {1, kNowhere}};
  spec.dtype = TransformerParams::kDType;
  spec.elements = vector_bytes(spec.problem, bytes) / isa::size_of(spec.dtype);
  spec.algorithm = &row_for(Algorithm::kDirect, spec.problem, pair.grid);
  return cut_up(spec, pair);
}

}  // namespace

Handover::Handover(Replica& from, Replica& to)
    : from_(from), to_(to), ways_(from.ranks() * from.physical_cores()) {
  TAHOMA_INVARIANT(from.alike().size() == to.alike().size(), "the stages have different numbers of replicas");
}

void Handover::expect(std::size_t rank, std::size_t physical_core, const Matrix& matrix,
                      const HbmView& rows) {
  Parcel& parcel = way(rank, physical_core).parcels.emplace_back();
  parcel.there = {rows, matrix.tensor.address + rows.offset, 1, false};
  parcel.signal = to_.kernel(rank, physical_core).signal();
}

void Handover::send(std::size_t rank, std::size_t physical_core, const HbmView& rows, std::uint32_t mark) {
  Way& w = way(rank, physical_core);
  Parcel& parcel = w.parcels.at(w.sent++);
  CoreProgram &from = from_.program(rank, physical_core), &to = to_.program(rank, physical_core);
  parcel.sent = mark;
  HbmView there = parcel.there.window;
  there.arg = from.at.memory.arg;
  there.offset = 0;
  there.origin = 0;
  there.distance = static_cast<std::int64_t>(parcel.there.address - from.at.address);
  from.kernel.send(
      there, rows, kQueue,
      {from.at.own, parcel.signal, static_cast<int>(to.at.core) - static_cast<int>(from.at.core)});
}

void Handover::receive(std::size_t rank, std::size_t physical_core) {
  Way& w = way(rank, physical_core);
  Parcel& parcel = w.parcels.at(w.received++);
  parcel.landed =
      to_.program(rank, physical_core)
          .mark_landed(kQueue, parcel.there.window, Semaphores::Level{parcel.signal, isa::kDmaEngines});
}

std::vector<Handover::Trip> Handover::trips(const Stopwatch& stopwatch) const {
  std::vector<Trip> trips;
  for (std::size_t g = 0; g < from_.alike().size(); ++g)
    for (std::size_t w = 0; w < ways_.size(); ++w) {
      const std::size_t rank = w / from_.physical_cores(), physical_core = w % from_.physical_cores();
      const std::uint32_t from = from_.alike()[g].cores[rank][physical_core],
                          to = to_.alike()[g].cores[rank][physical_core];
      for (std::size_t m = 0; m < ways_[w].parcels.size(); ++m) {
        const Parcel& parcel = ways_[w].parcels[m];
        trips.push_back({m,
                         from,
                         to,
                         bytes_in(parcel.there.window),
                         {stopwatch.begin({from, kQueue, parcel.sent, parcel.sent}),
                          stopwatch.end({to, kQueue, parcel.landed, parcel.landed})}});
      }
    }
  return trips;
}

std::vector<runtime::MessageResult> Handover::messages(const Stopwatch& stopwatch,
                                                       const std::string& what) const {
  std::vector<runtime::MessageResult> messages;
  for (const Trip& trip : trips(stopwatch)) {
    const auto at = [&](std::uint32_t core) {
      return runtime::RankTimes{trip.times.start, trip.times.end, core};
    };
    messages.push_back({fmt::format("{} {}", what, trip.microbatch), trip.bytes, at(trip.from), at(trip.to)});
  }
  return messages;
}

std::uint64_t Handover::bytes() const {
  std::uint64_t bytes = 0;
  for (const Way& w : ways_)
    if (!w.parcels.empty()) bytes += bytes_in(w.parcels.front().there.window);
  return bytes;
}

runtime::CollectiveResult Handover::result(Estimates& estimates, const Stopwatch& stopwatch,
                                           std::size_t microbatch) const {
  std::vector<Members> members;
  std::vector<runtime::RankTimes> times;
  for (const Trip& trip : trips(stopwatch))
    if (trip.microbatch == microbatch) {
      members.push_back({"", {{trip.from}, {trip.to}}});
      times.push_back(trip.times);
    }
  const Group pair = groups_from(estimates.machine(), std::move(members)).front();
  const std::uint64_t of_pair = bytes_in(ways_.front().parcels[microbatch].there.window);
  runtime::CollectiveResult result =
      measured(estimates, pair, one_of(pair, of_pair), of_pair, std::move(times));
  result.bytes = bytes() * from_.alike().size();
  result.why = "from the half of a rank to the same one of the next stage";
  result.group = fmt::format("{} pairs of cores at once", result.ranks.size());
  return result;
}

}  // namespace tahoma::workloads
