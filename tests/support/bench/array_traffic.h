// SPDX-License-Identifier: Apache-2.0
// Random traffic at the ports of an array in RTL, in lock-step with its law: tiles of moving rows whose
// weights were loaded while the previous tile streamed, in all formats and patterns. Both sides of every
// handshake pause at random, within the protocol of pe_array.sv.
#pragma once

#include "model/rtl/array/lock_step.h"
#include "tests/support/random/random_elements.h"

namespace tahoma::tests {

class ArrayTraffic {
 public:
  ArrayTraffic(rtl::ArrayGates& gates, std::uint32_t seed);
  // Runs until `rows` more rows have been compared. Throws at the first difference.
  void run(std::uint64_t rows);

  std::uint64_t rows_compared() const { return lock_step_.rows_compared(); }
  std::uint64_t cycles() const { return lock_step_.cycle(); }

 private:
  struct Tile {
    rtl::Format format{}, weight_format{};
    Pattern pattern{};
    bool is_double = false, turn = false, bank = false;
    unsigned row = 0, rows = 0, column = 0, columns = 0;
    unsigned loaded = 0;     // columns
    unsigned to_stream = 0;  // moving rows
  };
  Tile random_tile(bool bank);
  void offer_weights();
  void offer_row();
  void cycle();

  rtl::ArrayGates& gates_;
  rtl::LockStep lock_step_;
  RandomElements random_;
  Tile streaming_, next_;
  rtl::MovingRow row_;
  rtl::WeightColumns weights_;
  bool row_offered_ = false, weights_offered_ = false;
};

}  // namespace tahoma::tests
