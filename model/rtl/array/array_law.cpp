// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/array/array_law.h"

#include <algorithm>
#include <bit>

#include "isa/simd/matmul_loop.h"
#include "model/engine/pipeline/timing_laws.h"

namespace tahoma::rtl {
namespace {

constexpr isa::DType kDTypes[] = {isa::DType::kBf16,    isa::DType::kFp16,    isa::DType::kFp8E4M3,
                                  isa::DType::kFp8E5M2, isa::DType::kFp8E3M4, isa::DType::kFp32};

float number(std::uint32_t bits, Format format) {
  return isa::load_as_fp32(reinterpret_cast<const std::byte*>(&bits), kDTypes[static_cast<int>(format)]);
}

constexpr std::uint32_t kByte = 0xFF, kBits = 0xFFFF;

std::uint32_t slice(std::uint32_t element, bool is_double, unsigned which) {
  return is_double ? element >> (8 * which) & kByte : element;
}

}  // namespace

Format format_of(isa::DType dtype) {
  const auto* at = std::find(std::begin(kDTypes), std::end(kDTypes), dtype);
  return static_cast<Format>(at - std::begin(kDTypes));
}

ArrayLaw::ArrayLaw(const isa::ArraySize& size)
    : size_(size), fill_(static_cast<std::uint64_t>(model::fill_cycles(size.rows, size.columns).count)) {
  for (Bank& bank : banks_) {
    const std::size_t cells = std::size_t{size.rows} * size.columns;
    bank = {std::vector<float>(cells), std::vector<float>(cells), std::vector<std::uint32_t>(cells)};
  }
}

const ArrayLaw::Row* ArrayLaw::leaving() const {
  return !inside_.empty() && inside_.front().move + fill_ == moves_ ? &inside_.front() : nullptr;
}

ArrayOutputs ArrayLaw::answer(const ArrayInputs& in) const {
  const Row* row = leaving();
  ArrayOutputs out;
  out.result_valid = row != nullptr;
  if (row != nullptr) out.result = row->sums;
  out.moving_ready = in.result_ready || row == nullptr;
  // A bank may be written when no row inside the array uses it, except the row whose sums are leaving.
  out.weight_ready = in.weights == nullptr || in.moving == nullptr || in.moving->bank != in.weights->bank;
  if (in.weights != nullptr)
    for (const Row& r : inside_)
      out.weight_ready = out.weight_ready && (&r == row || r.bank != in.weights->bank);
  return out;
}

void ArrayLaw::clock(const ArrayInputs& in) {
  const ArrayOutputs out = answer(in);
  if (in.weights != nullptr && out.weight_ready) write(*in.weights);
  if (out.moving_ready) {
    if (out.result_valid) inside_.pop_front();
    if (in.moving != nullptr)
      inside_.push_back({rows_++, cycle_, moves_, in.moving->bank, in.moving->column, in.moving->columns,
                         in.moving->turn ? turned(*in.moving) : sums(*in.moving)});
    ++moves_;
  }
  ++cycle_;
}

void ArrayLaw::write(const WeightColumns& w) {
  Bank& bank = banks_[w.bank];
  for (unsigned r = 0; r < size_.rows; ++r) {
    for (unsigned lane = 0; lane < w.count && w.rows[r] != 0; ++lane) {
      const std::size_t cell = std::size_t{r} * size_.columns + w.column + lane;
      const std::uint32_t bits = w.weights[r][lane];
      bank.bits[cell] = bits & kBits;
      if (w.format == Format::kBits) continue;
      bank.low[cell] = number(slice(bits, w.is_double, 0), w.format);
      bank.high[cell] = w.is_double ? number(slice(bits, true, 1), w.format) : 0.0F;
    }
  }
  packed_[w.bank].valid = false;
}

const ArrayLaw::Packed& ArrayLaw::packed(const MovingRow& row) {
  Packed& p = packed_[row.bank];
  if (p.valid && p.use == row.use && p.is_double == row.is_double) return p;
  const Bank& bank = banks_[row.bank];
  const auto rows =
      static_cast<std::size_t>(std::count_if(row.use.begin(), row.use.end(), [](auto u) { return u != 0; }));
  p.k = rows * (row.is_double ? 2 : 1);
  p.panels.assign(isa::panel_floats(p.k, size_.columns, isa::kWeightPanel), 0.0F);
  std::size_t k = 0;
  for (unsigned r = 0; r < size_.rows; ++r) {
    if (row.use[r] == 0) continue;
    const std::size_t at = std::size_t{r} * size_.columns;
    isa::pack<isa::kWeightPanel>(bank.low.data() + at, 0, size_.columns, k++, p.k, p.panels.data());
    if (row.is_double)
      isa::pack<isa::kWeightPanel>(bank.high.data() + at, 0, size_.columns, k++, p.k, p.panels.data());
  }
  p.use = row.use;
  p.is_double = row.is_double;
  p.valid = true;
  return p;
}

std::vector<std::uint32_t> ArrayLaw::sums(const MovingRow& row) {
  const Packed& weights = packed(row);
  std::vector<float> moving(isa::panel_floats(weights.k, 1, isa::kMovingPanel)), sums(size_.columns);
  std::size_t k = 0;
  for (unsigned r = 0; r < size_.rows; ++r)
    for (unsigned s = 0; s < (row.is_double ? 2U : 1U) && row.use[r] != 0; ++s)
      moving[k++ * isa::kMovingPanel] = number(slice(row.elements[r], row.is_double, s), row.format);
  const isa::Pass pass{weights.panels.data(), moving.data()};
  isa::matmul_panels({weights.k, size_.columns, 1, weights.k}, {&pass, 1}, {sums.data(), 1, false});
  std::vector<std::uint32_t> bits(sums.size());
  std::transform(sums.begin(), sums.end(), bits.begin(),
                 [](float f) { return std::bit_cast<std::uint32_t>(f); });
  return bits;
}

std::vector<std::uint32_t> ArrayLaw::turned(const MovingRow& row) const {
  std::vector<std::uint32_t> bits(size_.columns);
  for (unsigned r = 0; r < size_.rows; ++r)
    if (row.use[r] != 0 && number(row.elements[r], row.format) != 0.0F)
      std::copy_n(banks_[row.bank].bits.data() + std::size_t{r} * size_.columns, size_.columns, bits.data());
  return bits;
}

}  // namespace tahoma::rtl
