// SPDX-License-Identifier: Apache-2.0
// The class that Verilator makes of pe_array.sv, of one size, behind its borders. Included by the file that
// CMake writes for each size.
#pragma once

#include <verilated.h>
#include <verilated_cov.h>
#include <verilated_fst_c.h>

#include <algorithm>
#include <memory>

#include "model/rtl/array_gates.h"

namespace tahoma::rtl {

// Ports of up to 64 bits are integers, wider ones arrays of words.
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

template <class Verilated>
class VerilatedArray final : public ArrayGates {
 public:
  VerilatedArray(unsigned rows, unsigned columns) : rows_(rows), columns_(columns) {
    context_.traceEverOn(true);
    outputs_.result.resize(columns);
    reset();
  }
  ~VerilatedArray() override {
    top_.final();
    if (waves_) waves_->close();
  }

  unsigned rows() const override { return rows_; }
  unsigned columns() const override { return columns_; }

  void reset() override {
    top_.moving_valid = top_.weight_valid = 0;
    top_.result_ready = 1;
    top_.reset = 1;
    clock();
    top_.reset = 0;
  }

  const ArrayOutputs& answer(const ArrayInputs& in) override {
    top_.moving_valid = in.moving != nullptr;
    top_.weight_valid = in.weights != nullptr;
    top_.result_ready = in.result_ready;
    if (in.moving != nullptr) put(*in.moving);
    if (in.weights != nullptr) put(*in.weights);
    top_.clk = 0;
    top_.eval();
    outputs_.moving_ready = top_.moving_ready;
    outputs_.weight_ready = top_.weight_ready;
    outputs_.result_valid = top_.result_valid;
    if (top_.result_valid)
      for (unsigned c = 0; c < columns_; ++c) outputs_.result[c] = word_of(top_.result, c);
    return outputs_;
  }

  // The falling edge comes first, for cycles in which nobody asked for an answer.
  void clock() override {
    top_.clk = 0;
    top_.eval();
    show();
    top_.clk = 1;
    top_.eval();
    show();
  }

  bool open_waves(const std::string& path) override {
    waves_ = std::make_unique<VerilatedFstC>();
    top_.trace(waves_.get(), kLevels);
    waves_->open(path.c_str());
    return waves_->isOpen();
  }
  void show_waves(bool on) override { shown_ = on; }
  void write_coverage(const std::string& path) override { context_.coveragep()->write(path.c_str()); }

 private:
  static constexpr int kLevels = 99;

  void put(const MovingRow& row) {
    top_.moving_format = static_cast<std::uint8_t>(row.format);
    top_.double_row = row.is_double;
    top_.turn = row.turn;
    top_.bank = row.bank;
    for (unsigned r = 0; r < rows_; ++r) {
      set_bit(top_.use_row, r, row.use[r] != 0);
      set_word(top_.moving, r, row.elements[r]);
    }
  }
  void put(const WeightColumns& w) {
    top_.weight_format = static_cast<std::uint8_t>(w.format);
    top_.weight_double = w.is_double;
    top_.weight_bank = w.bank;
    top_.weight_column = static_cast<std::uint8_t>(w.column);
    top_.weight_count = static_cast<std::uint8_t>(w.count);
    for (unsigned r = 0; r < rows_; ++r) {
      set_bit(top_.weight_rows, r, w.rows[r] != 0);
      for (unsigned lane = 0; lane < w.count; ++lane)
        set_word(top_.weights, r * WeightColumns::kLanes + lane, w.weights[r][lane]);
    }
  }
  void show() {
    context_.timeInc(1);
    if (waves_ && shown_) waves_->dump(context_.time());
  }

  unsigned rows_, columns_;
  VerilatedContext context_;
  Verilated top_{&context_, "array"};
  std::unique_ptr<VerilatedFstC> waves_;
  bool shown_ = false;
  ArrayOutputs outputs_;
};

}  // namespace tahoma::rtl
