// SPDX-License-Identifier: Apache-2.0
#include "model/system/parallel/event_log.h"

#include "model/base/error.h"
#include "model/sim/time.h"

namespace tahoma::base {

template <class Stream, class T>
requires std::same_as<std::remove_const_t<T>, InstructionActivity>
void fields(Stream& stream, T& a) {
  stream(a.core, a.queue, a.index, a.start, a.next, a.complete, a.busy, a.hardware_flops, a.cause,
         a.released_by);
}

template <class Stream, class T>
requires std::same_as<std::remove_const_t<T>, TransferActivity>
void fields(Stream& stream, T& a) {
  stream(a.core, a.ring, a.queue, a.index, a.cause, a.packets, a.bytes, a.read_bytes, a.read_address,
         a.write_bytes, a.write_address, a.more_reads, a.busy, a.blocked, a.starved, a.held, a.reads_far,
         a.writes_far, a.rung, a.issued, a.start, a.read_done, a.end);
}

}  // namespace tahoma::base

namespace tahoma::model {

namespace {

// Some microseconds of work, as long as an exchange between processes takes.
constexpr int kSome = 16;
// Bytes of events that have yet to be passed on.
constexpr std::size_t kMostWaiting = std::size_t{64} << 20;

enum EventKind : std::uint8_t { kInstruction, kTransfer, kPacket, kSemaphore, kStretch, kRing, kLink };

template <class Activity>
Activity read_activity(base::ByteReader& from) {
  Activity activity;
  from(activity);
  return activity;
}

}  // namespace

template <class Activity>
void EventLog::add(std::uint8_t kind, const Activity& activity) {
  log_(sim::now(), kind, activity);
}

void EventLog::instruction(const base::InstructionActivity& activity) {
  add(kInstruction, activity);
  log_(std::vector<base::Duration>(activity.engine_time.begin(), activity.engine_time.end()));
}
void EventLog::transfer(const base::TransferActivity& activity) { add(kTransfer, activity); }
void EventLog::packet(const base::PacketActivity& activity) { add(kPacket, activity); }
void EventLog::semaphore(const base::SemaphoreActivity& activity) { add(kSemaphore, activity); }
void EventLog::stretch(const base::StretchActivity& activity) { add(kStretch, activity); }
void EventLog::ring(const base::RingActivity& activity) { add(kRing, activity); }
void EventLog::link(const base::LinkActivity& a) {
  log_(sim::now(), std::uint8_t{kLink}, std::string(a.path), a.chip, a.from_chip, a.to_chip, a.payload_bytes,
       a.wire_bytes, a.start, a.end);
}

ByteString EventLog::take() { return std::exchange(log_.bytes(), {}); }

void EventReplay::add(std::vector<ByteString> logs) {
  for (const ByteString& log : logs) bytes_ += log.size();
  waiting_.push_back(std::move(logs));
  if (waiting_.size() == 1) begin();
  while (bytes_ > kMostWaiting) some();
}

void EventReplay::begin() {
  readers_ = {waiting_.front().begin(), waiting_.front().end()};
  for (std::size_t process = 0; process < readers_.size(); ++process) announce(process);
}

void EventReplay::announce(std::size_t process) {
  if (readers_[process].empty()) return;
  base::Time when{0};
  readers_[process](when);
  next_.emplace(when, process);
}

bool EventReplay::some() {
  for (int n = 0; n < kSome && !next_.empty(); ++n) {
    const std::size_t process = next_.top().second;
    next_.pop();
    one(readers_[process]);
    announce(process);
  }
  if (!next_.empty()) return true;
  if (waiting_.empty()) return false;
  for (const ByteString& log : waiting_.front()) bytes_ -= log.size();
  waiting_.pop_front();
  if (!waiting_.empty()) begin();
  return !waiting_.empty();
}

void EventReplay::all() {
  while (some()) {
  }
}

void EventReplay::one(base::ByteReader& from) {
  std::uint8_t kind = 0;
  from(kind);
  switch (kind) {
    case kInstruction: {
      auto a = read_activity<base::InstructionActivity>(from);
      std::vector<base::Duration> times;
      from(times);
      a.engine_time = times;
      return observers_.observer->instruction(a);
    }
    case kTransfer:
      return observers_.observer->transfer(read_activity<base::TransferActivity>(from));
    case kPacket:
      return observers_.probes->packet(read_activity<base::PacketActivity>(from));
    case kSemaphore:
      return observers_.probes->semaphore(read_activity<base::SemaphoreActivity>(from));
    case kStretch:
      return observers_.timeline->stretch(read_activity<base::StretchActivity>(from));
    case kRing:
      return observers_.timeline->ring(read_activity<base::RingActivity>(from));
    case kLink: {
      std::string path;
      base::LinkActivity a;
      from(path, a.chip, a.from_chip, a.to_chip, a.payload_bytes, a.wire_bytes, a.start, a.end);
      a.path = paths_.insert(path).first->c_str();
      return observers_.timeline->link(a);
    }
    default:
      TAHOMA_INVARIANT(false, "an event of an unknown kind");
  }
}

}  // namespace tahoma::model
