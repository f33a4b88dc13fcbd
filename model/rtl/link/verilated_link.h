// SPDX-License-Identifier: Apache-2.0
// The pins of a verilated port. `Port` is the class that Verilator generates from a module with the ports
// of link_port.sv. Do not include <systemc> in the same source: Verilator's headers would then use
// SystemC's time.
#pragma once

#include <verilated.h>

#include <string>

#include "model/rtl/link/link_pins.h"
#include "model/rtl/verilated_block.h"

namespace tahoma::rtl {

template <class Port, class Pins = LinkPins>
class VerilatedLink : public Pins {
 public:
  explicit VerilatedLink(const std::string& name) : port_(name) {}

  void settle() override {
    port_->clk = 0;
    drive();
    port_.half_cycle();
    sample();
  }
  void clock() override {
    port_->clk = 1;
    port_.half_cycle();
    out.pull = port_->pull;
  }
  bool open_waves(const std::string& file) override { return port_.open_waves(file); }
  void show_waves(bool on) override { port_.show_waves(on); }
  void set_time(std::int64_t cycle) override { port_.context().time(2 * static_cast<std::uint64_t>(cycle)); }

  VerilatedBlock<Port>& block() { return port_; }

 private:
  using Pins::in, Pins::out;

  template <class Wide, class Words>
  static void put(Wide& wide, const Words& words) {
    for (std::size_t n = 0; n < words.size(); ++n) wide[n] = words[n];
  }
  template <class Wide, class Words>
  static void get(const Wide& wide, Words& words) {
    for (std::size_t n = 0; n < words.size(); ++n) words[n] = wide[n];
  }
  static QData packed(const LinkRooms& rooms) {
    QData all = 0;
    for (unsigned v = kLinkVcs; v-- > 0;) all = all << 16 | rooms[v];
    return all;
  }

  void drive() {
    port_->rst = in.rst;
    port_->cfg_room = packed(in.cfg_room);
    port_->cfg_frame_words = in.cfg_frame_words;
    port_->cfg_timeout = in.cfg_timeout;
    port_->ask = in.ask;
    QData vcs = 0;
    for (unsigned r = kLinkRequesters; r-- > 0;) vcs = vcs << 2 | in.ask_vc[r];
    port_->ask_vc = vcs;
    for (unsigned r = 0; r < kLinkRequesters; r += 2)
      port_->ask_words[r / 2] = std::uint32_t{in.ask_words[r]} | std::uint32_t{in.ask_words[r + 1]} << 16;
    put(port_->info, in.info);
    put(port_->data, in.data);
    port_->in_valid = in.in.valid;
    port_->in_sop = in.in.sop;
    port_->in_eop = in.in.eop;
    put(port_->in_word, in.in.word);
    port_->free = packed(in.free);
    port_->heard_valid = in.heard.valid;
    put(port_->heard, in.heard.control);
    port_->heard_crc = in.heard.crc;
  }

  void sample() {
    out.grant_valid = port_->grant_valid;
    out.grant = port_->grant;
    for (unsigned v = 0; v < kLinkVcs; ++v) out.room[v] = static_cast<std::uint16_t>(port_->room >> 16 * v);
    out.out.valid = port_->out_valid;
    out.out.sop = port_->out_sop;
    out.out.eop = port_->out_eop;
    get(port_->out_word, out.out.word);
    out.begins = port_->begins;
    out.data_valid = port_->data_valid;
    out.ends = port_->ends;
    out.sound = port_->sound;
    if (out.begins) sample_header();
    get(port_->arrived, out.arrived);
    out.told.valid = port_->told_valid;
    get(port_->told, out.told.control);
    out.told.crc = port_->told_crc;
  }

  // Fields: sequence number, virtual channel, last, first, words: 12, 2, 1, 1 and 16 bits.
  void sample_header() {
    const std::uint32_t low = port_->header[0];
    out.header.vc = low >> 12 & 3;
    out.header.last = low >> 14 & 1;
    out.header.first = low >> 15 & 1;
    out.header.words = static_cast<std::uint16_t>(low >> 16);
    for (std::size_t n = 0; n < out.header.info.size(); ++n) out.header.info[n] = port_->header[n + 1];
  }

  VerilatedBlock<Port> port_;
};

}  // namespace tahoma::rtl
