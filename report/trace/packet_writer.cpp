// SPDX-License-Identifier: Apache-2.0
#include "report/trace/packet_writer.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <trace.pb.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime {

namespace {

namespace io = google::protobuf::io;

constexpr int kBuffer = 1 << 20;               // bytes
constexpr std::size_t kMostStrings = 1 << 16;  // of one table
constexpr std::size_t kMostText = 8 << 20;     // bytes of one table
constexpr std::uint32_t kSequence = 1;         // there is one writer
constexpr std::uint32_t kPacketTag = 1 << 3 | 2;

// The names on Perfetto's pages, by TraceArgument.
constexpr std::array<const char*, 18> kArgumentNames{
    "start_fs",   "length_fs", "instruction", "nki_isa",       "index",          "queue",
    "region",     "source",    "complete_ns", "first_data_ns", "packets",        "bytes",
    "wire_bytes", "written",   "other_kinds", "other_cores",   "outside_window", "beyond_limit"};

std::uint64_t timestamp(base::Time t) { return static_cast<std::uint64_t>(t.fs / 1'000'000); }

// Numbers for strings that occur often in a trace: each string is written once and then referenced by
// number. A full table is emptied, so its size is bounded for any length of the run; numbers are never
// reused for another string.
class InternTable {
 public:
  struct Entry {
    std::uint64_t iid = 0;
    bool added = false;  // true if the trace does not have the string yet
  };
  Entry find_or_add(std::string_view text) {
    if (const auto known = iids_.find(text); known != iids_.end()) return {known->second, false};
    bytes_ += text.size();
    return {iids_.emplace(text, next_++).first->second, true};
  }
  void clear() {
    iids_.clear();
    bytes_ = 0;
  }
  std::size_t entries() const { return iids_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, std::uint64_t, Hash, std::equal_to<>> iids_;
  std::uint64_t next_ = 1;  // Perfetto uses 0 for none
  std::size_t bytes_ = 0;
};

}  // namespace

struct PacketWriter::Impl {
  explicit Impl(const std::string& name) : path(name), file(create_new_file(name)) {
    stream.emplace(file, kBuffer);
  }
  ~Impl() {
    if (file < 0) return;
    stream.reset();
    ::close(file);
  }

  trace::TrackEvent& event(PacketWriter::Track track, trace::TrackEvent::Type type, base::Time when);
  void annotate(trace::TrackEvent& event, std::span<const TraceValue> values);
  using Tell = trace::InternedName* (trace::InternedData::*)();
  std::uint64_t intern(InternTable& table, std::string_view text, Tell tell);
  void clear_when_full();
  PacketWriter::Track describe(PacketWriter::Track parent, std::string_view name);
  void send();

  std::string path;
  int file;
  std::optional<io::FileOutputStream> stream;
  trace::TracePacket packet;  // reused, to keep the memory of its parts
  InternTable categories, names, strings;
  std::array<bool, kArgumentNames.size()> told_arguments{};
  bool cleared = true;  // the next packet announces it
  PacketWriter::Track tracks = 0;
};

// Protobuf stores the size of a message before it.
void PacketWriter::Impl::send() {
  packet.set_sequence_id(kSequence);
  io::CodedOutputStream out(&*stream);
  out.WriteTag(kPacketTag);
  out.WriteVarint32(static_cast<std::uint32_t>(packet.ByteSizeLong()));
  packet.SerializeWithCachedSizes(&out);
  if (out.HadError()) refuse_write(path, stream->GetErrno());
  packet.Clear();
}

void PacketWriter::Impl::clear_when_full() {
  for (const InternTable* table : {&categories, &names, &strings})
    cleared = cleared || table->entries() > kMostStrings || table->bytes() > kMostText;
  packet.set_sequence_flags(trace::SEQUENCE_NEEDS_STATE);
  if (!cleared) return;
  packet.set_sequence_flags(trace::SEQUENCE_NEEDS_STATE | trace::SEQUENCE_STATE_CLEARED);
  for (InternTable* table : {&categories, &names, &strings}) table->clear();
  told_arguments.fill(false);
  cleared = false;
}

std::uint64_t PacketWriter::Impl::intern(InternTable& table, std::string_view text, Tell tell) {
  const InternTable::Entry entry = table.find_or_add(text);
  if (!entry.added) return entry.iid;
  trace::InternedName& added = *(packet.mutable_interned_data()->*tell)();
  added.set_iid(entry.iid);
  added.set_name(text.data(), text.size());
  return entry.iid;
}

trace::TrackEvent& PacketWriter::Impl::event(PacketWriter::Track track, trace::TrackEvent::Type type,
                                             base::Time when) {
  clear_when_full();
  packet.set_timestamp(timestamp(when));
  trace::TrackEvent& event = *packet.mutable_track_event();
  event.set_type(type);
  event.set_track_uuid(track);
  return event;
}

void PacketWriter::Impl::annotate(trace::TrackEvent& event, std::span<const TraceValue> values) {
  for (const TraceValue& value : values) {
    trace::DebugAnnotation& annotation = *event.add_debug_annotations();
    const auto argument = static_cast<std::size_t>(value.argument);
    annotation.set_name_iid(argument + 1);
    if (!told_arguments[argument]) {
      trace::InternedName& name = *packet.mutable_interned_data()->add_debug_annotation_names();
      name.set_iid(argument + 1);
      name.set_name(kArgumentNames[argument]);
      told_arguments[argument] = true;
    }
    if (const auto* number = std::get_if<std::uint64_t>(&value.value))
      annotation.set_uint_value(*number);
    else
      annotation.set_string_value_iid(intern(strings, std::get<std::string_view>(value.value),
                                             &trace::InternedData::add_debug_annotation_string_values));
  }
}

PacketWriter::Track PacketWriter::Impl::describe(PacketWriter::Track parent, std::string_view name) {
  trace::TrackDescriptor& track = *packet.mutable_track_descriptor();
  track.set_uuid(++tracks);
  track.set_name(name.data(), name.size());
  if (parent != kRoot) track.set_parent_uuid(parent);
  return tracks;
}

PacketWriter::PacketWriter(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
PacketWriter::~PacketWriter() = default;

PacketWriter::Track PacketWriter::add_track(Track parent, std::string_view name) {
  const Track track = impl_->describe(parent, name);
  impl_->send();
  return track;
}

PacketWriter::Track PacketWriter::add_counter(Track parent, std::string_view name, std::string_view unit) {
  const Track track = impl_->describe(parent, name);
  impl_->packet.mutable_track_descriptor()->mutable_counter()->set_unit_name(unit.data(), unit.size());
  impl_->send();
  return track;
}

void PacketWriter::begin(Track track, TraceKind kind, std::string_view name, base::Time when,
                         std::span<const TraceValue> values, std::span<const std::uint64_t> flows) {
  Impl& m = *impl_;
  trace::TrackEvent& event = m.event(track, trace::TrackEvent::SLICE_BEGIN, when);
  event.add_category_iids(m.intern(m.categories, name_of(kind), &trace::InternedData::add_event_categories));
  event.set_name_iid(m.intern(m.names, name, &trace::InternedData::add_event_names));
  m.annotate(event, values);
  for (const std::uint64_t flow : flows) event.add_flow_ids(flow);
  m.send();
}

void PacketWriter::end(Track track, base::Time when) {
  impl_->event(track, trace::TrackEvent::SLICE_END, when);
  impl_->send();
}

void PacketWriter::instant(Track track, std::string_view name, base::Time when,
                           std::span<const TraceValue> values) {
  Impl& m = *impl_;
  trace::TrackEvent& event = m.event(track, trace::TrackEvent::INSTANT, when);
  event.set_name_iid(m.intern(m.names, name, &trace::InternedData::add_event_names));
  m.annotate(event, values);
  m.send();
}

void PacketWriter::count(Track track, base::Time when, double value) {
  impl_->event(track, trace::TrackEvent::COUNTER, when).set_double_counter_value(value);
  impl_->send();
}

void PacketWriter::close() {
  Impl& m = *impl_;
  if (!m.stream->Flush()) refuse_write(m.path, m.stream->GetErrno());
  m.stream.reset();
  if (::close(std::exchange(m.file, -1)) != 0) refuse_write(m.path, errno);
}

std::uint64_t PacketWriter::bytes_written() const {
  return impl_->stream ? static_cast<std::uint64_t>(impl_->stream->ByteCount()) : 0;
}

std::size_t PacketWriter::bytes_held() const {
  std::size_t bytes = kBuffer;
  for (const InternTable* table : {&impl_->categories, &impl_->names, &impl_->strings})
    bytes += table->bytes() + table->entries() * sizeof(std::pair<std::string, std::uint64_t>);
  return bytes;
}

}  // namespace tahoma::runtime
