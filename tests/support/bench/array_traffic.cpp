// SPDX-License-Identifier: Apache-2.0
#include "tests/support/bench/array_traffic.h"

#include <algorithm>

namespace tahoma::tests {

using rtl::Format, rtl::WeightColumns;

ArrayTraffic::ArrayTraffic(rtl::ArrayGates& gates, std::uint32_t seed)
    : gates_(gates), lock_step_(gates, "traffic"), random_(seed) {
  next_ = random_tile(false);
}

ArrayTraffic::Tile ArrayTraffic::random_tile(bool bank) {
  Tile t;
  t.format = random_.format();
  t.weight_format = random_.format();
  t.pattern = random_.pattern();
  t.is_double = is_fp8(t.format) && is_fp8(t.weight_format) && random_.one_in(2);
  t.turn = !t.is_double && random_.one_in(8);
  if (t.turn) t.weight_format = Format::kBits;
  t.bank = bank;
  const bool whole = random_.one_in(2);
  t.row = whole ? 0 : random_.below(gates_.rows());
  t.rows = whole ? gates_.rows() : 1 + random_.below(gates_.rows() - t.row);
  t.column = whole ? 0 : random_.below(gates_.columns());
  t.columns = whole ? gates_.columns() : 1 + random_.below(gates_.columns() - t.column);
  t.to_stream = 1 + random_.below(random_.one_in(4) ? 64 : 8);
  return t;
}

// Offers the next columns of the incoming tile.
void ArrayTraffic::offer_weights() {
  if (weights_offered_ || next_.loaded == next_.columns || random_.one_in(8)) return;
  const Tile& t = next_;
  weights_.format = t.weight_format;
  weights_.is_double = t.is_double;
  weights_.bank = t.bank;
  weights_.column = t.column + t.loaded;
  weights_.count = std::min(WeightColumns::kLanes, t.columns - t.loaded);
  weights_.rows.assign(gates_.rows(), 0);
  weights_.weights.assign(gates_.rows(), {});
  for (unsigned r = t.row; r < t.row + t.rows; ++r) {
    weights_.rows[r] = 1;
    for (std::uint32_t& bits : weights_.weights[r]) {
      if (t.turn) {
        bits = random_.word() & 0xFFFFU;
      } else {
        bits = random_.element(t.weight_format, t.pattern);
        if (t.is_double) bits |= random_.element(t.weight_format, t.pattern) << 8;
      }
    }
  }
  weights_offered_ = true;
}

void ArrayTraffic::offer_row() {
  if (row_offered_ || streaming_.to_stream == 0 || random_.one_in(8)) return;
  const Tile& t = streaming_;
  row_.format = t.format;
  row_.is_double = t.is_double;
  row_.turn = t.turn;
  row_.bank = t.bank;
  row_.column = t.column;
  row_.columns = t.columns;
  row_.use.assign(gates_.rows(), 0);
  row_.elements.assign(gates_.rows(), 0);
  const unsigned one = t.row + random_.below(t.rows);
  for (unsigned r = t.row; r < t.row + t.rows; ++r) {
    row_.use[r] = 1;
    if (t.turn && r != one && !random_.one_in(8)) continue;  // nearly the row of an identity
    row_.elements[r] = random_.element(t.format, t.pattern);
    if (t.is_double) row_.elements[r] |= random_.element(t.format, t.pattern) << 8;
  }
  row_offered_ = true;
}

void ArrayTraffic::cycle() {
  if (streaming_.to_stream == 0 && next_.loaded == next_.columns) {
    streaming_ = next_;
    next_ = random_tile(!streaming_.bank);
  }
  offer_weights();
  offer_row();
  const rtl::ArrayInputs inputs{row_offered_ ? &row_ : nullptr, weights_offered_ ? &weights_ : nullptr,
                                !random_.one_in(8)};
  const rtl::ArrayOutputs outputs = lock_step_.step(inputs);
  if (row_offered_ && outputs.moving_ready) {
    row_offered_ = false;
    --streaming_.to_stream;
  }
  if (weights_offered_ && outputs.weight_ready) {
    weights_offered_ = false;
    next_.loaded += weights_.count;
  }
}

void ArrayTraffic::run(std::uint64_t rows) {
  const std::uint64_t goal = rows_compared() + rows;
  while (rows_compared() < goal) cycle();
}

}  // namespace tahoma::tests
