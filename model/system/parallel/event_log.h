// SPDX-License-Identifier: Apache-2.0
// The events of the chips of one process, for the observers in process 0. These receive the events of all
// chips in the order of the times at which the model reported them; within such a time, in the order of the
// processes.
#pragma once

#include <deque>
#include <queue>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/base/activity.h"
#include "model/base/byte_stream.h"
#include "model/system/parallel/processes.h"

namespace tahoma::model {

class EventLog final : public base::Observer, public base::ProbeObserver, public base::TimelineObserver {
 public:
  void instruction(const base::InstructionActivity& activity) override;
  void transfer(const base::TransferActivity& activity) override;
  void packet(const base::PacketActivity& activity) override;
  void semaphore(const base::SemaphoreActivity& activity) override;
  void stretch(const base::StretchActivity& activity) override;
  void ring(const base::RingActivity& activity) override;
  void link(const base::LinkActivity& activity) override;

  std::size_t bytes() { return log_.bytes().size(); }
  ByteString take();  // all events since the last call

 private:
  template <class Activity>
  void add(std::uint8_t kind, const Activity& activity);
  base::ByteWriter log_;
};

// These receive the events; null for none.
struct Observers {
  base::Observer* observer = nullptr;
  base::ProbeObserver* probes = nullptr;
  base::TimelineObserver* timeline = nullptr;
};

class EventReplay {
 public:
  explicit EventReplay(const Observers& observers) : observers_(observers) {}
  // `logs` are those of each process; all events are later than those of earlier calls. Passes events on if
  // too many would be in memory.
  void add(std::vector<ByteString> logs);
  // Passes some events on; returns whether more are left.
  bool some();
  void all();

 private:
  void begin();
  void announce(std::size_t process);
  void one(base::ByteReader& from);
  Observers observers_;
  std::deque<std::vector<ByteString>> waiting_;  // by call of add(); then by process
  std::size_t bytes_ = 0;                        // of these
  std::vector<base::ByteReader> readers_;
  using Next = std::pair<base::Time, std::size_t>;  // time and process of the next event
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next_;
  std::set<std::string> paths_;  // of links
};

}  // namespace tahoma::model
