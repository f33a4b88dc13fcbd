// SPDX-License-Identifier: Apache-2.0
// Defines a collective operation independently of its algorithm: which chunks of data each rank begins with
// and which it must end with.
//
// Ranks are 0 .. R-1. A vector consists of equal chunks:
//   all_reduce, reduce, broadcast   any number of chunks, the same on every rank
//   reduce_scatter, all_gather      R chunks; chunk r belongs to rank r
//   gather, scatter                 R chunks; chunk r belongs to rank r, all of them to the root
//   all_to_all                      R x R chunks; chunk i R + j goes from rank i to rank j
//   send_recv, permute              R chunks; chunk r goes from rank r to rank `to[r]` (kNowhere: not sent)
//   barrier                         an all_gather of tokens: a rank that has all of them knows that all ranks
//                                   have arrived
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tahoma::runtime::collective {

enum class Operation : std::uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kBroadcast,
  kReduce,
  kGather,
  kScatter,
  kSendRecv,
  kPermute,
  kBarrier
};
inline constexpr std::size_t kOperations = 11;

std::string_view name_of(Operation operation);
std::optional<Operation> operation_from_name(std::string_view name);
std::vector<std::string> operation_names();

inline constexpr std::uint32_t kNowhere = ~0U;

// Whether the inputs stay as they are until a barrier after the operation, so that others may read them where
// they are. A program that goes on sends them: it may overwrite an input before others have read it.
enum class Inputs : std::uint8_t { kStay, kSent };

struct Problem {
  Operation operation = Operation::kAllReduce;
  std::uint32_t ranks = 1;
  std::uint32_t root = 0;         // of broadcast, reduce, gather, scatter
  std::vector<std::uint32_t> to;  // of send_recv and permute, per rank
  Inputs inputs = Inputs::kStay;

  bool reduces() const;
  // Returns the number of chunks if the operation fixes it, 0 for any number.
  std::uint32_t fixed_chunks() const;
  bool begins_with(std::uint32_t rank, std::uint32_t chunk) const;  // the rank contributes to the chunk
  bool ends_with(std::uint32_t rank, std::uint32_t chunk) const;    // the rank must hold the finished chunk

  // The positions of a rank's chunks in its input and output: every chunk that it begins (ends) with is
  // first + i * stride for an i below count.
  struct Held {
    std::uint32_t first = 0, count = 0, stride = 1;
    std::uint32_t place_of(std::uint32_t chunk) const { return (chunk - first) / stride; }
    template <class Visit>
    void for_each(Visit&& visit) const {
      for (std::uint32_t i = 0; i < count; ++i) visit(first + i * stride);
    }
  };
  Held input_of(std::uint32_t rank, std::uint32_t chunks) const;
  Held output_of(std::uint32_t rank, std::uint32_t chunks) const;
};

// Bytes of the whole vector (all its chunks) for `bytes` as nccom-test counts them
// (runtime/collective/result/collective_result.h): in all_to_all, send_recv, permute and barrier
// each rank has `bytes`.
std::uint64_t vector_bytes(const Problem& problem, std::uint64_t bytes);

// Bus bandwidth over algorithm bandwidth, as nccom-test and NCCL's tests define it.
double bus_factor(Operation operation, std::uint32_t ranks);

}  // namespace tahoma::runtime::collective
