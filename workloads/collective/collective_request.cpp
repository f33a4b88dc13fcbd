// SPDX-License-Identifier: Apache-2.0
#include "workloads/collective/collective_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "model/base/error.h"
#include "runtime/collective/result/sent_counts.h"
#include "workloads/collective/sizes.h"

namespace tahoma::workloads {

namespace {

constexpr std::uint64_t kTokenBytes = 64;  // of a barrier, per rank

constexpr base::Named<ValueKind> kValues[] = {{ValueKind::kWhole, "whole"}, {ValueKind::kUniform, "uniform"}};

template <class E>
base::Choice<E> all(std::size_t count) {
  base::Choice<E> choice;
  for (std::size_t i = 0; i < count; ++i)
    choice.push(static_cast<E>(i), std::string(name_of(static_cast<E>(i))));
  return choice;
}

}  // namespace

using namespace runtime::collective;

void Request::declare(base::ParamTree& t) {
  t.add("operation", operation, Operation::kAllReduce, all<Operation>(kOperations), "operation",
        base::chosen());
  t.add("algorithm", algorithm, Algorithm::kBest, algorithm_choice(),
        "auto (by message size, as published), best (by estimates of the time), or an algorithm's name",
        base::chosen());
  t.add("dtype", dtype, isa::DType::kBf16, all<isa::DType>(isa::kDTypeCount), "element type", base::chosen());
  t.add("reduction", reduction, isa::AluOp::kAdd, kReductions, "combiner of operations that reduce",
        base::chosen());
  t.add("bytes", bytes, std::string("1 MiB"), {},
        "size of the operation: one size, a list, or '8 KiB .. 1 GiB' in factors of 2", base::chosen());
  t.add("ranks", ranks, RankKind::kChips, kRankKinds, "kind of a rank", base::chosen());
  t.add("over", over, std::string("machine"), {},
        "machine, servers, chips, or lists of ranks: 0-3|4-7 are two groups that work at once",
        base::chosen());
  t.add("root", root, std::uint64_t{0}, {0, 65535}, "root of broadcast, reduce, gather and scatter",
        base::chosen());
  t.add("shift", shift, std::uint64_t{1}, {0, 65535},
        "permute: rank r sends to rank r + shift, modulo the ranks", base::chosen());
  t.add(
      "counts", counts, std::string(), {},
      "all_to_all: elements from rank to rank: '1,2;3,4', which replaces bytes, or random; empty: all equal",
      base::chosen());
  t.add("channels", channels, std::uint64_t{0}, {0, 4096},
        "collective queues that a rank uses; 0: all of them", base::chosen());
  t.add("piece", piece, base::Bytes{0}, {base::Bytes{0}, base::Bytes{std::uint64_t{1} << 32}},
        "bytes of a chunk and channel that pass the rounds together; 0: chosen", base::chosen());
  t.add("iterations", iterations, std::uint64_t{1}, {1, 1000}, "number of runs of each size", base::chosen());
  t.add("values", values, ValueKind::kWhole, kValues,
        "inputs: whole numbers whose sums are exact, or uniform in [-1, 1)", base::chosen());
}

void Request::check(const model::MachineParams& machine) const {
  sizes_of(bytes);
  Estimates estimates(machine);
  for (const Group& group : groups(machine)) {
    const Problem problem = problem_of(group);
    if (root >= group.ranks())
      throw base::UserError("E-COL-032", "workload.root",
                            fmt::format("there is no rank {}; expected below {}", root, group.ranks()));
    if (!counts.empty() && operation != Operation::kAllToAll)
      throw base::UserError("E-COL-031", "workload.counts",
                            fmt::format("only all_to_all has counts, not {}", name_of(operation)));
    if (!counts.empty()) counts_of(counts, group.ranks(), 1, 1);
    if (algorithm == Algorithm::kBest)  // among those that are legal
      require_algorithm(problem, group.grid);
    else
      estimates.choose(algorithm, problem, group, sizes_of(bytes).front(), channels_of(group));
  }
}

std::vector<Group> Request::groups(const model::MachineParams& machine) const {
  return groups_of(machine, ranks, over);
}

std::vector<std::uint64_t> Request::sizes() const {
  if (operation == Operation::kBarrier) return {kTokenBytes};
  const std::vector<std::uint64_t> all = sizes_of(bytes);
  return lists_counts() ? std::vector<std::uint64_t>{all.front()} : all;
}

std::uint32_t Request::channels_of(const Group& group) const {
  return channels == 0 ? queues_of(group) : std::min(static_cast<std::uint32_t>(channels), queues_of(group));
}

Problem Request::problem_of(const Group& group) const {
  Problem problem{operation, group.ranks(), static_cast<std::uint32_t>(root), {}};
  for (std::uint32_t r = 0; r < group.ranks(); ++r) {
    if (operation == Operation::kPermute)
      problem.to.push_back(static_cast<std::uint32_t>((r + shift) % group.ranks()));
    if (operation == Operation::kSendRecv)
      problem.to.push_back(r % 2 == 0 && r + 1 < group.ranks() ? r + 1 : kNowhere);
  }
  return problem;
}

Request::Chosen Request::collective(Estimates& estimates, const Group& group, std::uint64_t size,
                                    std::uint64_t seed) const {
  Spec spec;
  spec.problem = problem_of(group);
  const std::uint64_t elements = std::max<std::uint64_t>(1, size / isa::size_of(element()));
  spec.elements = vector_bytes(spec.problem, elements);
  if (!counts.empty()) {
    spec.counts = counts_of(counts, group.ranks(), spec.elements / group.ranks() / group.ranks(), seed);
    size = mean_sent(spec.problem, spec.counts) * isa::size_of(element());
    spec.elements =
        std::max<std::uint64_t>(1, std::accumulate(spec.counts.begin(), spec.counts.end(), std::uint64_t{0}));
  }
  const Choice& choice =
      estimates.choose(algorithm, spec.problem, group, std::max<std::uint64_t>(1, size), channels_of(group));
  spec.algorithm = choice.algorithm;
  spec.dtype = element();
  spec.op = reduction;
  spec.channels = static_cast<std::uint32_t>(channels);
  spec.piece_bytes = piece.count;
  return {spec, size, choice.why};
}

}  // namespace tahoma::workloads
