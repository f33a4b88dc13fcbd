// SPDX-License-Identifier: Apache-2.0
// Execution traces in the Chakra schema of MLCommons: one file for each rank, PREFIX.0.et, PREFIX.1.et, ...,
// each a graph of computations, memory accesses and communication. A file is a sequence of protobuf messages,
// each behind its length as a varint: one GlobalMetadata, then the nodes (chakra.proto). ASTRA-sim 2 reads
// the same files.
//
// Attributes that are read: is_cpu_op, num_ops, tensor_size, comm_type, comm_size, comm_src, comm_dst,
// comm_tag, pg_name (a text or a whole number), involved_dim, and tahoma_duration_fs, which writing adds
// because duration_micros has no fractions. Any integer type is accepted; written are the types that Chakra's
// own generator uses. Others are skipped. The duration_micros of computations are rounded together: after
// each of them, their sum is the sum of the exact durations, rounded. ASTRA-sim reads only these, and many
// computations are shorter than a microsecond.
//
// Not read: operands of nodes, tensors, the attributes of metadata.
//
// UserError:
//   E-ETR-001  there is no file PREFIX.0.et, or none of a rank below that of another file
//   E-ETR-002  a file is not a Chakra trace or ends in the middle of a message; with the byte
//   E-ETR-003  a node is impossible: an id twice, a dependence on a missing node or on itself in a cycle, a
//              type, collective or peer that does not exist, an attribute that is missing, a message that HBM
//              cannot hold, a time of more than an hour
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/param_choice.h"
#include "model/base/units.h"
#include "runtime/collective/schedule/operation.h"

namespace tahoma::runtime::chakra {

enum class NodeKind : std::uint8_t {
  kInvalid,
  kMetadata,
  kLoad,
  kStore,
  kCompute,
  kSend,
  kReceive,
  kCollective
};
inline constexpr base::Named<NodeKind> kNodeKinds[] = {
    {NodeKind::kInvalid, "invalid"}, {NodeKind::kMetadata, "metadata"},    {NodeKind::kLoad, "load"},
    {NodeKind::kStore, "store"},     {NodeKind::kCompute, "compute"},      {NodeKind::kSend, "send"},
    {NodeKind::kReceive, "receive"}, {NodeKind::kCollective, "collective"}};

// Communication on the host launches that of the device; it is an operation of the host like others.
struct TraceNode {
  std::uint64_t id = 0;
  std::string name;
  NodeKind kind = NodeKind::kCompute;
  std::vector<std::uint64_t> after;  // ids that end before it starts
  base::Duration duration{0};        // as recorded; 0: not recorded
  bool on_host = false;
  std::uint64_t operations = 0, bytes = 0;  // of computations and memory accesses; 0: not known
  // Only communication has these.
  collective::Operation operation = collective::Operation::kAllReduce;
  std::uint64_t message = 0;  // comm_size, bytes
  std::uint32_t peer = 0;     // of a send or receive
  std::uint32_t tag = 0;
  std::string group;  // pg_name; "": all ranks

  bool communicates() const {
    return !on_host &&
           (kind == NodeKind::kSend || kind == NodeKind::kReceive || kind == NodeKind::kCollective);
  }
  // It computes, accesses memory, or launches.
  bool computes() const {
    return !communicates() && kind != NodeKind::kMetadata && kind != NodeKind::kInvalid;
  }
};

using RankTrace = std::vector<TraceNode>;  // in the order of the file

// Returns the traces in the order of ranks.
std::vector<RankTrace> read_traces(const std::string& prefix);
// `place`: the file's name in errors.
RankTrace parse_trace(std::string_view bytes, const std::string& place);
// `rank` says whose trace it is; it is the own end of messages.
std::string trace_bytes(const RankTrace& trace, std::uint32_t rank);

}  // namespace tahoma::runtime::chakra
