// SPDX-License-Identifier: Apache-2.0
#include "workloads/collective/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "runtime/golden/golden.h"
#include "workloads/collective/golden_collective.h"

namespace tahoma::workloads {

namespace {

using namespace runtime::collective;
using runtime::HostTensor;

// Whole numbers up to this value are exact.
double exact_up_to(isa::DType dtype) {
  switch (dtype) {
    case isa::DType::kFp32:
    case isa::DType::kInt32:
    case isa::DType::kUint32:
      return 0x1p24;
    case isa::DType::kTf32:
    case isa::DType::kFp16:
      return 0x1p11;
    case isa::DType::kBf16:
      return 0x1p8;
    case isa::DType::kFp8E4M3:
    case isa::DType::kFp8E4M3Fn:
      return 0x1p4;
    case isa::DType::kFp8E3M4:
      return 15;  // its largest number is 15.5
    case isa::DType::kFp8E5M2:
      return 0x1p3;
    case isa::DType::kInt16:
    case isa::DType::kUint16:
      return 0x1p15 - 1;
    default:
      return 127;
  }
}

// Returns a rank's contribution to the chunks first, first + stride, ...: one after the other, all with the
// length of the largest chunk.
HostTensor contribution(const PlannedCollective& planned, const Values& values, std::uint64_t number,
                        std::uint32_t rank, const Problem::Held& chunks) {
  const Spec& spec = planned.spec;
  const std::uint64_t length = planned.chunk_elements;
  const runtime::GeneratedValues generated(values.seed, fmt::format("collective{}.rank{}", number, rank));
  HostTensor all = runtime::make_tensor("input", spec.dtype, {1, chunks.count * length});
  const double held = exact_up_to(spec.dtype), ranks = spec.problem.ranks;
  const bool sum = spec.problem.reduces() && spec.op == isa::AluOp::kAdd;
  // If many ranks share the range, only one rank in that many contributes to an element.
  const double most = sum ? std::clamp(std::floor(held / ranks), 1.0, 100.0) : std::min(held, 100.0);
  const auto every = static_cast<std::uint64_t>(sum ? std::ceil(ranks / held) : 1);
  const bool is_signed = isa::is_float(spec.dtype) || isa::name_of(spec.dtype).substr(0, 1) == "i";
  const auto whole = [&](double unit) {  // of [0, 1)
    return is_signed ? std::floor(unit * (2 * most + 1)) - most : std::floor(unit * (most + 1));
  };
  std::byte* at = all.values.data();
  chunks.for_each([&](std::uint32_t chunk) {
    for (std::uint64_t j = 0; j < length; ++j, at += isa::size_of(spec.dtype)) {
      const std::uint64_t i = chunk * length + j;
      const float drawn = generated[i];
      const bool counts = (i + rank) % every == 0;
      const float value = values.uniform ? drawn : counts ? static_cast<float>(whole((drawn + 1) / 2)) : 0.0F;
      isa::store_from_fp32(at, spec.dtype, value);
    }
  });
  return all;
}

// Visits a rank's pieces of memory: (position in the tensor, channel, elements of the chunk).
template <class Visit>
void for_each_slice(const PlannedCollective& planned, const Problem::Held& held, Visit&& visit) {
  held.for_each([&](std::uint32_t chunk) {
    for (std::uint32_t c = 0; c < planned.channels.size(); ++c) {
      const PlannedCollective::Slice slice = planned.slice_of(c, chunk);
      const std::uint64_t in_chunk = slice.first >= planned.chunk_elements
                                         ? 0
                                         : std::min(slice.count, planned.chunk_elements - slice.first);
      if (in_chunk > 0) visit(held.place_of(chunk), c, PlannedCollective::Slice{slice.first, in_chunk});
    }
  });
}

// The contents of a rank at the end: its chunks in order.
HostTensor gathered(runtime::Machine& machine, const PlannedCollective& planned, std::uint32_t rank) {
  const Problem::Held held = planned.spec.problem.output_of(rank, planned.chunks);
  const std::size_t size = isa::size_of(planned.spec.dtype);
  HostTensor got =
      runtime::make_tensor("output", planned.spec.dtype, {1, held.count * planned.chunk_elements});
  for_each_slice(planned, held,
                 [&](std::uint32_t place, std::uint32_t c, const PlannedCollective::Slice& slice) {
                   const runtime::Tensor& tensor = planned.channels[c].output[rank];
                   std::memcpy(got.values.data() + (place * planned.chunk_elements + slice.first) * size,
                               machine.bytes(tensor) + place * tensor.shape[1] * size, slice.count * size);
                 });
  return got;
}

// The rank that contributes a chunk of an operation that only moves data.
std::uint32_t bringer(const Problem& problem, std::uint32_t chunk) {
  switch (problem.operation) {
    case Operation::kBroadcast:
    case Operation::kScatter:
      return problem.root;
    case Operation::kAllToAll:
      return chunk / problem.ranks;
    default:
      return chunk;
  }
}

CollectiveReduction reduction_of(isa::AluOp op) {
  return op == isa::AluOp::kMin   ? CollectiveReduction::kMin
         : op == isa::AluOp::kMax ? CollectiveReduction::kMax
                                  : CollectiveReduction::kSum;
}

// The expected output of an operation that only moves data.
HostTensor moved_to(const PlannedCollective& planned, const Values& values, std::uint64_t number,
                    const Problem::Held& held) {
  const std::uint64_t length = planned.chunk_elements;
  HostTensor want = runtime::make_tensor("want", planned.spec.dtype, {1, held.count * length});
  const std::size_t size = isa::size_of(planned.spec.dtype);
  held.for_each([&](std::uint32_t chunk) {
    const std::uint64_t count = planned.spec.counts.empty() ? length : planned.spec.counts[chunk];
    const HostTensor brought =
        contribution(planned, values, number, bringer(planned.spec.problem, chunk), {chunk, 1, 1});
    std::copy_n(brought.values.begin(), count * size,
                want.values.begin() + static_cast<std::ptrdiff_t>(held.place_of(chunk) * length * size));
  });
  return want;
}

// The outputs of ranks that must be equal, one per row.
runtime::GoldenResult check_alike(runtime::Machine& machine, const Group& group,
                                  const PlannedCollective& planned, const Values& values,
                                  std::uint64_t number, const std::vector<std::uint32_t>& ranks) {
  const Problem& problem = planned.spec.problem;
  const Problem::Held held = problem.output_of(ranks.front(), planned.chunks);
  HostTensor got = runtime::make_tensor(fmt::format("output in group {}", group.name), planned.spec.dtype,
                                        {ranks.size(), held.count * planned.chunk_elements});
  const std::size_t row = got.values.size() / ranks.size();
  for (std::size_t i = 0; i < ranks.size(); ++i)
    std::ranges::copy(gathered(machine, planned, ranks[i]).values,
                      got.values.begin() + static_cast<std::ptrdiff_t>(i * row));
  const auto made_by = [&](std::uint64_t at, std::uint64_t) {
    return fmt::format("rank {}, {}", ranks[at],
                       runtime::core_name(machine.params(), group.cores[ranks[at]].front()));
  };
  if (problem.reduces()) {
    std::vector<HostTensor> parts;
    for (std::uint32_t r = 0; r < problem.ranks; ++r)
      parts.push_back(contribution(planned, values, number, r, held));
    return check_collective_reduction(parts, reduction_of(planned.spec.op), got, planned.roundings, made_by);
  }
  const HostTensor want = moved_to(planned, values, number, held);
  HostTensor all = runtime::make_tensor("want", got.dtype, got.shape);
  for (std::size_t i = 0; i < ranks.size(); ++i)
    std::ranges::copy(want.values, all.values.begin() + static_cast<std::ptrdiff_t>(i * row));
  return runtime::check_moved(all, got, made_by);
}

}  // namespace

void fill_inputs(runtime::Machine& machine, const PlannedCollective& planned, const Values& values,
                 std::uint64_t number) {
  const std::size_t size = isa::size_of(planned.spec.dtype);
  for (std::uint32_t rank = 0; rank < planned.spec.problem.ranks; ++rank) {
    const Problem::Held held = planned.spec.problem.input_of(rank, planned.chunks);
    if (held.count == 0) continue;
    const HostTensor brought = contribution(planned, values, number, rank, held);
    for_each_slice(
        planned, held, [&](std::uint32_t place, std::uint32_t c, const PlannedCollective::Slice& slice) {
          const runtime::Tensor& tensor = planned.channels[c].input[rank];
          std::memcpy(machine.bytes(tensor) + place * tensor.shape[1] * size,
                      brought.values.data() + (place * planned.chunk_elements + slice.first) * size,
                      slice.count * size);
        });
  }
}

runtime::GoldenResult check_outputs(runtime::Machine& machine, const Group& group,
                                    const PlannedCollective& planned, const Values& values,
                                    std::uint64_t number) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> alike;  // by the first chunk that they hold
  for (std::uint32_t r = 0; r < planned.spec.problem.ranks; ++r) {
    const Problem::Held held = planned.spec.problem.output_of(r, planned.chunks);
    if (held.count > 0) alike[held.first].push_back(r);
  }
  runtime::GoldenResult all;
  for (const auto& [first, ranks] : alike)
    all.add(check_alike(machine, group, planned, values, number, ranks));
  return all;
}

}  // namespace tahoma::workloads
