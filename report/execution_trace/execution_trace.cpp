// SPDX-License-Identifier: Apache-2.0
#include "report/execution_trace/execution_trace.h"

#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "chakra.pb.h"
#include "model/base/error.h"
#include "report/execution_trace/trace_schema.h"

namespace tahoma::runtime::chakra {

using base::UserError, collective::Operation;

namespace {

// An hour, so that times stay far inside the range of a Duration.
constexpr std::uint64_t kMostMicroseconds = 3'600'000'000;

// -1 for what is no number that an integer can hold.
std::int64_t whole(double value) { return std::abs(value) < 0x1p63 ? static_cast<std::int64_t>(value) : -1; }

std::int64_t integer_of(const wire::Attribute& a) {
  switch (a.value_case()) {
    case wire::Attribute::kInt32Val:
      return a.int32_val();
    case wire::Attribute::kInt64Val:
      return a.int64_val();
    case wire::Attribute::kUint32Val:
      return a.uint32_val();
    case wire::Attribute::kUint64Val:
      return static_cast<std::int64_t>(a.uint64_val());
    case wire::Attribute::kSint32Val:
      return a.sint32_val();
    case wire::Attribute::kSint64Val:
      return a.sint64_val();
    case wire::Attribute::kFixed32Val:
      return a.fixed32_val();
    case wire::Attribute::kFixed64Val:
      return static_cast<std::int64_t>(a.fixed64_val());
    case wire::Attribute::kDoubleVal:
      return whole(a.double_val());
    case wire::Attribute::kFloatVal:
      return whole(static_cast<double>(a.float_val()));
    case wire::Attribute::kBoolVal:
      return a.bool_val() ? 1 : 0;
    default:
      return -1;
  }
}

// One node of the file while its attributes are read.
class NodeReader {
 public:
  NodeReader(const wire::Node& from, const std::string& place) : from_(from), place_(place) {}

  TraceNode read() {
    node_.id = from_.id();
    node_.name = from_.name();
    node_.kind = static_cast<NodeKind>(from_.type());
    std::unordered_set<std::uint64_t> known;
    for (const auto* ids : {&from_.ctrl_deps(), &from_.data_deps()})
      for (const std::uint64_t id : *ids)
        if (known.insert(id).second) node_.after.push_back(id);
    read_duration();
    for (const wire::Attribute& a : from_.attr()) read(a);
    require_complete();
    return std::move(node_);
  }

 private:
  void read(const wire::Attribute& a) {
    const std::string& name = a.name();
    if (name == "pg_name") node_.group = group_of(a);
    if (name == "involved_dim") read_dimensions(a.bool_list());
    if (name == "is_cpu_op") node_.on_host = integer_of(a) == 1;
    if (name == "num_ops") node_.operations = count_of(a);
    if (name == "tensor_size") node_.bytes = count_of(a);
    if (name == "comm_size") {
      node_.message = count_of(a);
      has_size_ = true;
    }
    if (name == "comm_tag") node_.tag = word_of(a);
    if (name == "comm_src" && node_.kind == NodeKind::kReceive) read_peer(a);
    if (name == "comm_dst" && node_.kind == NodeKind::kSend) read_peer(a);
    if (name == "comm_type") read_operation(a);
    if (name == kExactDuration) node_.duration = {integer_of(a)};
  }

  void read_duration() {
    if (from_.duration_micros() > kMostMicroseconds)
      refuse(fmt::format("a duration of {} us; expected at most {}", from_.duration_micros(),
                         kMostMicroseconds));
    node_.duration = {static_cast<std::int64_t>(from_.duration_micros()) * kFsPerMicrosecond};
  }
  // ASTRA-sim's logical dimensions; a choice among them says nothing without its topology.
  void read_dimensions(const wire::BoolList& list) {
    if (node_.kind == NodeKind::kCollective &&
        std::count(list.values().begin(), list.values().end(), false) > 0)
      partial_ = true;
  }
  std::string group_of(const wire::Attribute& a) const {
    return a.value_case() == wire::Attribute::kStringVal ? a.string_val() : std::to_string(count_of(a));
  }
  void read_peer(const wire::Attribute& a) {
    node_.peer = word_of(a);
    has_peer_ = true;
  }
  void read_operation(const wire::Attribute& a) {
    const std::int64_t type = integer_of(a);
    if (type < 0 || type >= static_cast<std::int64_t>(std::size(kCollectives)))
      refuse(fmt::format("comm_type {} does not exist; expected 0 to {}", type, std::size(kCollectives) - 1));
    node_.operation = kCollectives[type];
    has_operation_ = true;
  }
  std::uint64_t count_of(const wire::Attribute& a) const {
    const std::int64_t value = integer_of(a);
    if (value < 0) refuse(fmt::format("attribute {} is negative or no number", a.name()));
    return static_cast<std::uint64_t>(value);
  }
  std::uint32_t word_of(const wire::Attribute& a) const {
    const std::uint64_t value = count_of(a);
    if (value > std::numeric_limits<std::uint32_t>::max())
      refuse(fmt::format("attribute {} is {}; expected below 2^32", a.name(), value));
    return static_cast<std::uint32_t>(value);
  }

  void require_complete() const {
    if (node_.communicates()) require_communication();
    if (node_.duration.fs < 0) refuse("a negative duration");
    if (node_.duration.fs > static_cast<std::int64_t>(kMostMicroseconds) * kFsPerMicrosecond)
      refuse("a duration of more than an hour");
  }

  void require_communication() const {
    if (node_.kind == NodeKind::kCollective && !has_operation_)
      refuse("a collective without the attribute comm_type");
    if (node_.kind == NodeKind::kSend && !has_peer_) refuse("a send without the attribute comm_dst");
    if (node_.kind == NodeKind::kReceive && !has_peer_) refuse("a receive without the attribute comm_src");
    if (partial_ && node_.group.empty())
      refuse("involved_dim leaves out dimensions of ASTRA-sim's topology; expected a process group, pg_name");
    if (!has_size_ && node_.operation != Operation::kBarrier)
      refuse(fmt::format("a {} without the attribute comm_size", base::name_in(kNodeKinds, node_.kind)));
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw UserError("E-ETR-003", place_, fmt::format("node {} '{}': {}", from_.id(), from_.name(), what));
  }

  const wire::Node& from_;
  const std::string& place_;
  TraceNode node_;
  bool has_peer_ = false, has_operation_ = false, has_size_ = false, partial_ = false;
};

// The messages of a file, one after another.
class Messages {
 public:
  Messages(std::string_view bytes, const std::string& place) : bytes_(bytes), place_(place) {}

  bool over() const { return at_ == bytes_.size(); }
  template <class Message>
  void next(Message& message) {
    const std::uint64_t length = varint();
    if (length > bytes_.size() - at_)
      refuse(fmt::format("a message of {} bytes, but the file has {} more", length, bytes_.size() - at_));
    if (length > std::numeric_limits<std::int32_t>::max()) refuse("a message of more than 2 GiB");
    const google::protobuf::LogSilencer silent;  // the refusal says what is wrong, with its place
    if (!message.ParseFromArray(bytes_.data() + at_, static_cast<int>(length)))
      refuse("no message of this schema");
    at_ += length;
  }

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      if (over()) refuse("the file ends in the length of a message");
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    refuse("a length of more than five bytes");
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw UserError(
        "E-ETR-002", place_,
        fmt::format("byte {}: {}; expected a Chakra trace: messages behind their lengths", at_, what));
  }

  std::string_view bytes_;
  const std::string& place_;
  std::size_t at_ = 0;
};

}  // namespace

RankTrace parse_trace(std::string_view bytes, const std::string& place) {
  Messages messages(bytes, place);
  wire::GlobalMetadata metadata;
  messages.next(metadata);
  RankTrace trace;
  while (!messages.over()) {
    wire::Node node;
    messages.next(node);
    if (node.type() <= wire::INVALID_NODE || node.type() > wire::COMM_COLL_NODE)
      throw UserError("E-ETR-003", place,
                      fmt::format("node {} '{}': type {} {}; expected 1 to {}", node.id(), node.name(),
                                  static_cast<int>(node.type()),
                                  node.type() == wire::INVALID_NODE ? "is INVALID_NODE" : "does not exist",
                                  static_cast<int>(wire::COMM_COLL_NODE)));
    trace.push_back(NodeReader(node, place).read());
  }
  return trace;
}

}  // namespace tahoma::runtime::chakra
