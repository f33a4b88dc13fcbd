// SPDX-License-Identifier: Apache-2.0
// A SystemVerilog port whose wire is looped back to its own receiving end, cycle by cycle: messages are
// requested, granted, cross the wire as words, and arrive. Words and control words may be damaged or
// lost in transit.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

#include "model/rtl/link/link_pins.h"

namespace tahoma::rtl {

struct LinkMessage {
  std::uint64_t number = 0;  // global number from which its data are generated
  std::uint8_t vc = 0;
  std::uint16_t words = 0;  // on the wire, headers included
  LinkInfo info{};
};

// Returns data word `index` of a message.
LinkWord link_data(std::uint64_t number, std::uint32_t index);

struct LinkSettings {
  LinkRooms room{};                                // words of each of the receiver's buffers
  std::uint16_t frame_words = 128;                 // data words of a frame
  std::uint16_t timeout = 4096;                    // cycles
  std::int64_t flight = 8;                         // cycles on the wire, in each direction
  std::function<void(LinkWire&)> on_wire{};        // may modify a word; not called if empty
  std::function<void(LinkControl&)> on_control{};  // may modify a control word
};

// A message that has arrived complete and intact.
struct LinkArrival {
  LinkHeader header;     // of its last frame
  std::uint32_t words;   // on the wire
  std::uint64_t digest;  // of its data
  std::int64_t cycle;    // in which its last word left the receiving end
};
std::uint64_t link_digest(const LinkMessage& message, std::uint16_t frame_words);

class SteppedLink {
 public:
  // Latencies in cycles: from a grant to the first word on the wire; from a word at the wire's far end to its
  // data in the router; from a freed buffer to the control word that reports it.
  static constexpr std::int64_t kSending = 2, kReceiving = 1, kTelling = 1;

  SteppedLink(LinkPins& pins, const LinkSettings& settings);

  // Takes effect in the next cycle. A requester keeps its request until it is granted.
  void ask(unsigned requester, const LinkMessage& message);
  void free(unsigned vc, std::uint16_t words);

  struct Grant {
    unsigned requester;
    LinkMessage message;
    LinkRooms room;  // before it
  };
  struct Step {
    std::optional<Grant> grant;
    bool word = false;  // on the wire
    std::optional<LinkArrival> arrival;
  };
  Step step();
  // Nothing moves: without new inputs all further cycles are identical.
  bool quiet() const { return still_ > 2; }
  std::int64_t cycle() const { return cycle_; }         // the next one
  void skip_to(std::int64_t cycle) { cycle_ = cycle; }  // when quiet: the clock is stopped meanwhile
  bool asks(unsigned requester) const { return (pins_.in.ask >> requester & 1) != 0; }

 private:
  void reset();
  void serve_data();
  void receive(Step& step);

  LinkPins& pins_;
  LinkSettings settings_;
  std::array<LinkMessage, kLinkRequesters> asking_{};
  LinkMessage sending_;
  std::uint32_t sent_ = 0;  // data words of it
  std::deque<LinkWire> wire_;
  std::deque<LinkControl> control_;
  LinkArrival arriving_{};  // of the frames that have arrived
  LinkHeader frame_;        // the one that is arriving
  std::uint64_t frame_digest_ = 0;
  bool frame_open_ = false;
  std::int64_t cycle_ = 0;
  std::uint64_t under_way_ = 0;  // words and control words in transit
  int still_ = 0;                // cycles in which nothing moved
};

}  // namespace tahoma::rtl
