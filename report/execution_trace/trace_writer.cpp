// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>

#include <algorithm>

#include "chakra.pb.h"
#include "model/base/error.h"
#include "report/execution_trace/execution_trace.h"
#include "report/execution_trace/trace_schema.h"

namespace tahoma::runtime::chakra {

using base::Duration, collective::Operation;

namespace {

constexpr const char* kVersion = "0.0.4";  // of the schema

void append(std::string& bytes, const google::protobuf::MessageLite& message) {
  std::uint8_t length[5];  // a varint of 32 bits
  const std::uint8_t* end = google::protobuf::io::CodedOutputStream::WriteVarint32ToArray(
      static_cast<std::uint32_t>(message.ByteSizeLong()), length);
  bytes.append(reinterpret_cast<const char*>(length), static_cast<std::size_t>(end - length));
  message.AppendToString(&bytes);
}

std::int64_t type_of(Operation operation) {
  const auto row = std::find(std::begin(kCollectives), std::end(kCollectives), operation);
  TAHOMA_INVARIANT(row != std::end(kCollectives),
                   fmt::format("{} is no collective of the schema", name_of(operation)));
  return row - std::begin(kCollectives);
}

std::uint64_t whole_microseconds(Duration duration) {
  return static_cast<std::uint64_t>((duration.fs + kFsPerMicrosecond / 2) / kFsPerMicrosecond);
}

wire::Attribute& add(wire::Node& node, const char* name) {
  wire::Attribute& attribute = *node.add_attr();
  attribute.set_name(name);
  return attribute;
}

// The nodes of one rank as messages of the file.
class NodeWriter {
 public:
  explicit NodeWriter(std::uint32_t rank) : rank_(rank) {}

  wire::Node write(const TraceNode& from) {
    wire::Node node;
    node.set_id(from.id);
    node.set_name(from.name);
    node.set_type(static_cast<wire::Type>(from.kind));
    for (const std::uint64_t id : from.after) node.add_data_deps(id);
    node.set_duration_micros(microseconds(from));
    add(node, "is_cpu_op").set_bool_val(from.on_host);
    if (from.operations > 0) add(node, "num_ops").set_int64_val(static_cast<std::int64_t>(from.operations));
    if (from.bytes > 0) add(node, "tensor_size").set_uint64_val(from.bytes);
    if (from.communicates()) add_communication(from, node);
    if (from.duration.fs > 0) add(node, kExactDuration).set_int64_val(from.duration.fs);
    return node;
  }

 private:
  // Computations pass on their rounding.
  std::uint64_t microseconds(const TraceNode& node) {
    if (node.kind != NodeKind::kCompute) return whole_microseconds(node.duration);
    unwritten_ += node.duration;
    const std::uint64_t written = whole_microseconds(unwritten_);
    unwritten_ -= Duration{static_cast<std::int64_t>(written) * kFsPerMicrosecond};
    return written;
  }

  void add_communication(const TraceNode& from, wire::Node& node) const {
    if (from.kind == NodeKind::kCollective) add_collective(from, node);
    if (from.kind == NodeKind::kSend) add_message(from, node, rank_, from.peer);
    if (from.kind == NodeKind::kReceive) add_message(from, node, from.peer, rank_);
  }
  static void add_collective(const TraceNode& from, wire::Node& node) {
    add(node, "comm_size").set_int64_val(static_cast<std::int64_t>(from.message));
    add(node, "comm_type").set_int64_val(type_of(from.operation));
    if (!from.group.empty()) add(node, "pg_name").set_string_val(from.group);
  }
  static void add_message(const TraceNode& from, wire::Node& node, std::uint32_t sender,
                          std::uint32_t receiver) {
    add(node, "comm_size").set_int64_val(static_cast<std::int64_t>(from.message));
    add(node, "comm_src").set_int32_val(static_cast<std::int32_t>(sender));
    add(node, "comm_dst").set_int32_val(static_cast<std::int32_t>(receiver));
    add(node, "comm_tag").set_int32_val(static_cast<std::int32_t>(from.tag));
  }

  std::uint32_t rank_;
  Duration unwritten_{0};  // of the computations so far; from minus to plus half a microsecond
};

}  // namespace

std::string trace_bytes(const RankTrace& trace, std::uint32_t rank) {
  std::string bytes;
  wire::GlobalMetadata metadata;
  metadata.set_version(kVersion);
  append(bytes, metadata);
  NodeWriter writer(rank);
  for (const TraceNode& node : trace) append(bytes, writer.write(node));
  return bytes;
}

}  // namespace tahoma::runtime::chakra
