// SPDX-License-Identifier: Apache-2.0
// An input-queued router of flits with virtual channels and credits, one cycle at a time. Each virtual
// channel of each input has a buffer. The packet at its head passes one stage per cycle:
//   route               the output, and the virtual channels that the packet may take there
//   virtual channel     one of them that no other packet holds; a separable allocator matches buffers to
//                       virtual channels
//   switch              per flit, with a credit for it: a separable allocator matches inputs to outputs, one
//                       flit per cycle each
// and then traverses the switch. The next packet of the buffer enters the first stage in the cycle after the
// tail has won the switch, so that a virtual channel accepts at most one packet of n flits in n + 2 cycles.
//
// Pure C++ without time: flit_network.h moves flits and credits between routers.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/link/flits/flit.h"
#include "model/link/flits/flit_routing.h"
#include "model/link/flits/separable_allocator.h"
#include "model/sim/fifo.h"

namespace tahoma::model {

class FlitRouter {
 public:
  struct Shape {
    std::uint32_t inputs, outputs;
    std::uint32_t vcs;   // of every input and output
    std::uint32_t room;  // flits in the buffer of a virtual channel
  };
  using Route = std::function<FlitWay(std::uint32_t input, const Flit& head)>;
  FlitRouter(const Shape& shape, Route route);

  struct Departure {
    std::uint32_t input, output;
    std::uint8_t input_vc;  // of the buffer that has room again
    Flit flit;              // with the virtual channel that it takes
  };

  // Call before the cycle's step when a flit has arrived in the buffer of its virtual channel, or has left
  // the buffer behind an output.
  void arrive(std::uint32_t input, const Flit& flit);
  void credit(std::uint32_t output, std::uint8_t vc);
  // Executes one cycle of all stages. Returns the flits that have won the switch, valid until the next call.
  const std::vector<Departure>& step();

  bool empty() const { return flits_ == 0; }
  // A packet's stage has changed in the latest step.
  bool advanced() const { return advanced_; }
  // Returns the outputs that sent nothing in the latest step and for which a flit had no credit.
  const std::vector<std::uint32_t>& starved() const { return starved_; }
  // Every credit is back and no virtual channel is held.
  bool at_rest() const;

 private:
  enum class Stage : std::uint8_t { kIdle, kRoute, kChannel, kSwitch };
  struct Buffer {  // of a virtual channel of an input
    sim::Fifo<Flit> flits;
    Stage stage = Stage::kIdle;
    FlitWay way;
    std::uint8_t vc = 0;  // at the output, in stage kSwitch
  };
  struct Channel {  // of an output
    std::uint32_t credits;
    bool held = false;
  };

  Buffer& buffer(std::uint32_t input, std::uint32_t vc) { return buffers_[input * shape_.vcs + vc]; }
  Channel& channel(std::uint32_t output, std::uint32_t vc) { return channels_[output * shape_.vcs + vc]; }
  void request_all(std::uint32_t input);
  void request_channels(std::uint32_t number);
  void request_switch(std::uint32_t input, std::uint32_t vc);
  void take_channel(const SeparableAllocator::Match& match);
  void depart(const SeparableAllocator::Match& match);
  void find_starved();

  const Shape shape_;
  const Route route_;
  std::vector<Buffer> buffers_;    // by (input, virtual channel)
  std::vector<Channel> channels_;  // by (output, virtual channel)
  SeparableAllocator channel_allocator_, switch_allocator_;
  std::vector<std::uint32_t> turns_;  // by input: the virtual channel that requests the switch first
  // In one step: the virtual channel that requests an output, by (input, output); buffers whose packet is
  // routed.
  std::vector<std::uint8_t> bidders_;
  std::vector<std::uint32_t> routed_;
  std::vector<bool> without_credit_, sent_;  // by output
  std::vector<std::uint32_t> starved_;
  std::vector<Departure> departures_;
  std::uint64_t flits_ = 0;
  bool advanced_ = false;
};

}  // namespace tahoma::model
