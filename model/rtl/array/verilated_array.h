// SPDX-License-Identifier: Apache-2.0
// Adapts the class that Verilator generates from pe_array.sv for one array size to the ArrayGates interface.
// The file that CMake generates for each size includes this header.
#pragma once

#include <verilated.h>
#include <verilated_cov.h>

#include <algorithm>
#include <memory>

#include "model/rtl/array/array_gates.h"
#include "model/rtl/verilated_block.h"

namespace tahoma::rtl {

// Ports of up to 64 bits are integers, wider ones are arrays of words.
template <class Port>
void set_bit(Port& port, unsigned i, bool value) {
  if constexpr (std::is_integral_v<Port>) {
    port = static_cast<Port>((port & ~(Port{1} << i)) | (Port{value} << i));
  } else {
    port[i / 32] = (port[i / 32] & ~(1U << i % 32)) | (std::uint32_t{value} << i % 32);
  }
}
template <class Port>
void set_word(Port& port, unsigned i, std::uint32_t value) {
  if constexpr (std::is_integral_v<Port>) {
    port = static_cast<Port>((port & ~(Port{0xFFFFFFFFU} << (32 * i))) | (Port{value} << (32 * i)));
  } else {
    port[i] = value;
  }
}
template <class Port>
std::uint32_t word_of(const Port& port, unsigned i) {
  if constexpr (std::is_integral_v<Port>) {
    return static_cast<std::uint32_t>(port >> (32 * i));
  } else {
    return port[i];
  }
}

template <class Array>
class VerilatedArray final : public ArrayGates {
 public:
  VerilatedArray(unsigned rows, unsigned columns) : rows_(rows), columns_(columns) {
    outputs_.result.resize(columns);
    reset();
  }

  unsigned rows() const override { return rows_; }
  unsigned columns() const override { return columns_; }

  void reset() override {
    block_->moving_valid = block_->weight_valid = 0;
    block_->result_ready = 1;
    block_->reset = 1;
    clock();
    block_->reset = 0;
  }

  const ArrayOutputs& answer(const ArrayInputs& in) override {
    block_->moving_valid = in.moving != nullptr;
    block_->weight_valid = in.weights != nullptr;
    block_->result_ready = in.result_ready;
    if (in.moving != nullptr) put(*in.moving);
    if (in.weights != nullptr) put(*in.weights);
    block_->clk = 0;
    block_->eval();
    outputs_.moving_ready = block_->moving_ready;
    outputs_.weight_ready = block_->weight_ready;
    outputs_.result_valid = block_->result_valid;
    if (block_->result_valid)
      for (unsigned c = 0; c < columns_; ++c) outputs_.result[c] = word_of(block_->result, c);
    return outputs_;
  }

  // The falling edge comes first, for cycles whose outputs were not requested.
  void clock() override {
    block_->clk = 0;
    block_.half_cycle();
    block_->clk = 1;
    block_.half_cycle();
  }

  bool open_waves(const std::string& file) override { return block_.open_waves(file); }
  void show_waves(bool on) override { block_.show_waves(on); }
  void write_coverage(const std::string& path) override { block_.context().coveragep()->write(path.c_str()); }

 private:
  void put(const MovingRow& row) {
    block_->moving_format = static_cast<std::uint8_t>(row.format);
    block_->double_row = row.is_double;
    block_->turn = row.turn;
    block_->bank = row.bank;
    for (unsigned r = 0; r < rows_; ++r) {
      set_bit(block_->use_row, r, row.use[r] != 0);
      set_word(block_->moving, r, row.elements[r]);
    }
  }
  void put(const WeightColumns& w) {
    block_->weight_format = static_cast<std::uint8_t>(w.format);
    block_->weight_double = w.is_double;
    block_->weight_bank = w.bank;
    block_->weight_column = static_cast<std::uint8_t>(w.column);
    block_->weight_count = static_cast<std::uint8_t>(w.count);
    for (unsigned r = 0; r < rows_; ++r) {
      set_bit(block_->weight_rows, r, w.rows[r] != 0);
      for (unsigned lane = 0; lane < w.count; ++lane)
        set_word(block_->weights, r * WeightColumns::kLanes + lane, w.weights[r][lane]);
    }
  }

  unsigned rows_, columns_;
  VerilatedBlock<Array> block_{"array"};
  ArrayOutputs outputs_;
};

}  // namespace tahoma::rtl
