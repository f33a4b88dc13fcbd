// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/schedule/operation.h"

namespace tahoma::runtime::collective {

namespace {

// Which chunks a rank holds before or after: every rank holds all, the root holds all, rank r holds chunk r,
// or each rank holds its row or column of the matrix of chunks.
enum class Share : std::uint8_t { kAll, kRoot, kOwn, kRow, kColumn, kSent, kReceived };

struct OperationRow {
  Operation operation;
  std::string_view name;
  bool reduces;
  Share before, after;
};

constexpr std::array<OperationRow, kOperations> kRows{{
    {Operation::kAllReduce, "all_reduce", true, Share::kAll, Share::kAll},
    {Operation::kAllGather, "all_gather", false, Share::kOwn, Share::kAll},
    {Operation::kReduceScatter, "reduce_scatter", true, Share::kAll, Share::kOwn},
    {Operation::kAllToAll, "all_to_all", false, Share::kRow, Share::kColumn},
    {Operation::kBroadcast, "broadcast", false, Share::kRoot, Share::kAll},
    {Operation::kReduce, "reduce", true, Share::kAll, Share::kRoot},
    {Operation::kGather, "gather", false, Share::kOwn, Share::kRoot},
    {Operation::kScatter, "scatter", false, Share::kRoot, Share::kOwn},
    {Operation::kSendRecv, "send_recv", false, Share::kSent, Share::kReceived},
    {Operation::kPermute, "permute", false, Share::kSent, Share::kReceived},
    {Operation::kBarrier, "barrier", false, Share::kOwn, Share::kAll},
}};

const OperationRow& row_of(Operation operation) { return kRows.at(static_cast<std::size_t>(operation)); }

std::uint32_t sender_to(const Problem& problem, std::uint32_t rank) {
  for (std::uint32_t r = 0; r < problem.ranks; ++r)
    if (problem.to.at(r) == rank) return r;
  return kNowhere;
}

Problem::Held held(const Problem& problem, Share share, std::uint32_t rank, std::uint32_t chunks) {
  switch (share) {
    case Share::kAll:
      return {0, chunks, 1};
    case Share::kRoot:
      return {0, rank == problem.root ? chunks : 0, 1};
    case Share::kOwn:
      return {rank, 1, 1};
    case Share::kRow:
      return {rank * problem.ranks, problem.ranks, 1};
    case Share::kColumn:
      return {rank, problem.ranks, problem.ranks};
    case Share::kSent:
      return {rank, problem.to.at(rank) == kNowhere ? 0U : 1U, 1};
    case Share::kReceived:
      break;
  }
  const std::uint32_t from = sender_to(problem, rank);
  return {from == kNowhere ? 0 : from, from == kNowhere ? 0U : 1U, 1};
}

bool contains(const Problem::Held& h, std::uint32_t chunk) {
  return chunk >= h.first && (chunk - h.first) % h.stride == 0 && (chunk - h.first) / h.stride < h.count;
}

}  // namespace

std::string_view name_of(Operation operation) { return row_of(operation).name; }

std::optional<Operation> operation_from_name(std::string_view name) {
  for (const OperationRow& row : kRows)
    if (row.name == name) return row.operation;
  return std::nullopt;
}

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const OperationRow& row : kRows) names.emplace_back(row.name);
  return names;
}

bool Problem::reduces() const { return row_of(operation).reduces; }

std::uint32_t Problem::fixed_chunks() const {
  if (operation == Operation::kAllToAll) return ranks * ranks;
  const OperationRow& row = row_of(operation);
  const bool anything = (row.before == Share::kAll || row.before == Share::kRoot) &&
                        (row.after == Share::kAll || row.after == Share::kRoot);
  return anything ? 0 : ranks;
}

Problem::Held Problem::input_of(std::uint32_t rank, std::uint32_t chunks) const {
  return held(*this, row_of(operation).before, rank, chunks);
}

Problem::Held Problem::output_of(std::uint32_t rank, std::uint32_t chunks) const {
  return held(*this, row_of(operation).after, rank, chunks);
}

bool Problem::begins_with(std::uint32_t rank, std::uint32_t chunk) const {
  const std::uint32_t all = fixed_chunks() == 0 ? kNowhere : fixed_chunks();
  return contains(input_of(rank, all), chunk);
}

bool Problem::ends_with(std::uint32_t rank, std::uint32_t chunk) const {
  const std::uint32_t all = fixed_chunks() == 0 ? kNowhere : fixed_chunks();
  return contains(output_of(rank, all), chunk);
}

std::uint64_t vector_bytes(const Problem& problem, std::uint64_t bytes) {
  switch (problem.operation) {
    case Operation::kAllToAll:
    case Operation::kSendRecv:
    case Operation::kPermute:
    case Operation::kBarrier:
      return bytes * problem.ranks;
    default:
      return bytes;
  }
}

double bus_factor(Operation operation, std::uint32_t ranks) {
  const double n = ranks;
  switch (operation) {
    case Operation::kAllReduce:
      return 2 * (n - 1) / n;
    case Operation::kAllGather:
    case Operation::kReduceScatter:
    case Operation::kAllToAll:
    case Operation::kGather:
    case Operation::kScatter:
      return (n - 1) / n;
    default:
      return ranks == 1 ? 0 : 1;
  }
}

}  // namespace tahoma::runtime::collective
