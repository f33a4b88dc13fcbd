// SPDX-License-Identifier: Apache-2.0
// Runs a SystemVerilog port in lock step with a clocked port of the model. Both receive the router's requests
// and the returned credits in the same cycles of the link's clock. For each packet the following are
// compared: the buffer served, the free space of every virtual channel at that time, the cycles of its first
// and last word on the wire, and the header, data and time received at the far end. The first difference ends
// the run and prints both histories.
//
// The SystemVerilog port is clocked up to the model's last decision and is idle while nothing moves. Its data
// are generated from the packet's number, because timing runs have none. Its wire is error-free.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "model/link/port_witness.h"
#include "model/rtl/link/stepped_link.h"

namespace tahoma::rtl {

class LinkLockStep final : public model::PortWitness {
 public:
  // Throws E-CFG-020 for a link that differs from the SystemVerilog: the widths of link_pins.h.
  LinkLockStep(const model::PortSite& site, std::unique_ptr<LinkPins> pins);

  void asked(std::uint32_t buffer, std::uint8_t vc, const sim::PacketInfo& packet, base::Time head) override;
  void credited(std::uint8_t vc, std::uint64_t bytes, base::Time when) override;
  void sent(std::uint32_t buffer, base::Time start, base::Time end,
            std::span<const std::uint64_t> rooms) override;
  void ended() override;

  std::uint64_t compared() const { return arrived_; }  // packets, end to end

 private:
  struct Decided {  // by the law
    LinkMessage message;
    std::uint64_t number;     // among all
    std::int64_t start, end;  // cycles
    std::int64_t first_word() const { return start + SteppedLink::kSending; }
    std::int64_t last_word() const { return end - 1 + SteppedLink::kSending; }
  };
  struct Asked {
    std::uint32_t buffer;
    LinkMessage message;
  };
  struct Freed {
    std::uint8_t vc;
    std::uint16_t words;
  };

  void drive();
  SteppedLink::Step advance();
  void run_until(std::int64_t cycle);
  void check_word();
  void check_arrival(const std::optional<LinkArrival>& arrival);
  [[noreturn]] void differ(const std::string& what) const;
  void record_event(std::deque<std::string>& history, std::string event);

  const std::string path_;
  const model::LinkParams& params_;
  const model::WordClock clock_;
  const std::int64_t flight_;
  const std::uint16_t frame_words_;
  const std::int64_t waves_from_, waves_until_;  // cycles
  std::unique_ptr<LinkPins> pins_;
  SteppedLink link_;
  std::multimap<std::int64_t, Asked> asks_;  // by the cycle from which on they are there
  std::multimap<std::int64_t, Freed> frees_;
  std::deque<Decided> decided_;  // and not yet arrived
  std::size_t on_wire_ = 0;      // of these, packets whose words have all been sent
  std::uint32_t words_ = 0;      // of the next
  std::uint64_t asked_ = 0, sent_ = 0, arrived_ = 0;
  std::deque<std::string> law_, rtl_;  // the last events
};

}  // namespace tahoma::rtl
