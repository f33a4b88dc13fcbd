// SPDX-License-Identifier: Apache-2.0
// The pins of a NeuronLink port in SystemVerilog (link_port.sv or another implementation): its inputs and
// outputs in a cycle.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "model/rtl/waves.h"

namespace tahoma::rtl {

inline constexpr unsigned kLinkRequesters = 32;   // buffers of a router that may request a port
inline constexpr unsigned kLinkVcs = 4;           // virtual channels, at most
inline constexpr std::uint64_t kLinkWord = 32;    // bytes on the wire in a cycle
inline constexpr std::uint64_t kLinkHeader = 32;  // bytes that a frame adds: header and CRC
inline constexpr unsigned kLinkRetryWords = 1024;

using LinkWord = std::array<std::uint32_t, kLinkWord / 4>;
using LinkInfo = std::array<std::uint32_t, 6>;  // sender's information about a message
using LinkRooms = std::array<std::uint16_t, kLinkVcs>;

struct LinkWire {
  bool valid = false, sop = false, eop = false;
  LinkWord word{};
};

struct LinkControl {
  bool valid = false;
  std::array<std::uint32_t, 3> control{};
  std::uint16_t crc = 0;
};

struct LinkHeader {
  LinkInfo info{};
  std::uint16_t words = 0;  // of data in the frame
  bool first = false, last = false;
  std::uint8_t vc = 0;
};

struct LinkInputs {
  bool rst = false;
  LinkRooms cfg_room{};
  std::uint16_t cfg_frame_words = 0, cfg_timeout = 0;
  std::uint32_t ask = 0;  // one bit per requester
  std::array<std::uint8_t, kLinkRequesters> ask_vc{};
  std::array<std::uint16_t, kLinkRequesters> ask_words{};
  LinkInfo info{};
  LinkWord data{};
  LinkWire in;
  LinkRooms free{};
  LinkControl heard;
};

struct LinkOutputs {
  bool grant_valid = false;
  std::uint8_t grant = 0;
  LinkRooms room{};
  LinkWire out;
  bool begins = false, data_valid = false, ends = false, sound = false;
  LinkHeader header;
  LinkWord arrived{};
  LinkControl told;
  bool pull = false;  // in the cycle that clock() has started
};

class LinkPins : public Waves {
 public:
  LinkInputs in;
  LinkOutputs out;
  virtual void settle() = 0;                      // computes the outputs for the inputs of this cycle
  virtual void clock() = 0;                       // ends the cycle
  virtual void set_time(std::int64_t cycle) = 0;  // of the next cycle
};

// Returns the pins of link_port.sv.
std::unique_ptr<LinkPins> verilated_link_port(const std::string& name);

}  // namespace tahoma::rtl
