// SPDX-License-Identifier: Apache-2.0
// The pins of a verilated ring. `Ring` is the class that Verilator generates from a module with the ports
// of dma_ring.sv. Do not include <systemc> in the same source: Verilator's headers would then use
// SystemC's time.
#pragma once

#include <verilated.h>

#include <array>
#include <initializer_list>
#include <string>
#include <utility>

#include "model/rtl/ring/ring_pins.h"
#include "model/rtl/verilated_block.h"

namespace tahoma::rtl {

// Packs fields side by side, the last one in the lowest bits.
template <std::size_t kBits>
class PackedFields {
 public:
  void put(std::uint32_t value, unsigned bits) {  // starting from the lowest bit
    for (unsigned n = 0; n < bits; ++n, ++at_)
      if ((value >> n & 1) != 0) words_[at_ / 32] |= 1U << at_ % 32;
  }
  std::uint32_t get(unsigned bits) {
    std::uint32_t value = 0;
    for (unsigned n = 0; n < bits; ++n, ++at_) value |= (words_[at_ / 32] >> at_ % 32 & 1) << n;
    return value;
  }
  std::array<std::uint32_t, (kBits + 31) / 32>& words() { return words_; }

 private:
  std::array<std::uint32_t, (kBits + 31) / 32> words_{};
  unsigned at_ = 0;
};

inline constexpr std::size_t kDescriptorBits = 276, kPacketBits = 92;

template <class Ring, class Pins = RingPins>
class VerilatedRing : public Pins {
 public:
  explicit VerilatedRing(const std::string& name) : ring_(name) {}

  void settle() override {
    ring_->clk = 0;
    drive();
    ring_.half_cycle();
    sample();
  }
  void clock() override {
    ring_->clk = 1;
    ring_.half_cycle();
  }
  bool open_waves(const std::string& file) override { return ring_.open_waves(file); }
  void show_waves(bool on) override { ring_.show_waves(on); }

  VerilatedBlock<Ring>& block() { return ring_; }

 private:
  using Pins::in, Pins::out;

  void drive() {
    ring_->rst = in.rst;
    ring_->cfg_element_overhead = in.cfg_element_overhead;
    ring_->cfg_packet_overhead = in.cfg_packet_overhead;
    ring_->cfg_semaphore = in.cfg_semaphore;
    ring_->cfg_latency = in.cfg_latency;
    ring_->write = in.write;
    if (in.write) write(in.descriptor);
    ring_->doorbell = in.doorbell;
    ring_->rung = in.rung;
    ring_->ready = in.ready;
    ring_->written = in.written;
  }

  void write(const RingDescriptor& d) {
    PackedFields<kDescriptorBits> f;
    using Field = std::pair<std::uint32_t, unsigned>;
    const std::initializer_list<Field> fields = {
        {d.unit, 24},  {d.first_from, 24}, {d.first_piece, 8}, {d.last_unit, 24}, {d.pieces, 8},
        {d.piece, 24}, {d.room, 21},       {d.whole, 21},      {d.fit, 21},       {d.sources, 8},
        {d.run, 24},   {d.joined, 8},      {d.size, 2},        {d.accumulate, 1}, {d.notify_read, 1},
        {d.value, 32}, {d.change, 8},      {d.flag, 8},        {d.notify, 1}};
    for (const auto& [value, bits] : fields) f.put(value, bits);
    for (std::size_t n = 0; n < f.words().size(); ++n) ring_->descriptor[n] = f.words()[n];
  }

  void sample() {
    out.room = ring_->room;
    out.issue = ring_->issue;
    out.post = ring_->post;
    if (out.post)
      out.posted = {static_cast<std::uint8_t>(ring_->flag), static_cast<std::uint8_t>(ring_->change),
                    ring_->value};
    if (!out.issue) return;
    PackedFields<kPacketBits> f;
    for (std::size_t n = 0; n < f.words().size(); ++n) f.words()[n] = ring_->packet[n];
    out.packet.last = f.get(1) != 0;
    out.packet.begins = f.get(1) != 0;
    out.packet.elements = f.get(21);
    out.packet.runs = f.get(21);
    out.packet.from = f.get(24);
    out.packet.unit = f.get(24);
  }

  VerilatedBlock<Ring> ring_;
};

}  // namespace tahoma::rtl
