// SPDX-License-Identifier: Apache-2.0
#include "workloads/delta/delta_parts.h"

#include <algorithm>

namespace tahoma::workloads {

using isa::ActFn, isa::AluOp, isa::DType;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::Stationary, runtime::TileView;

namespace {

constexpr unsigned kAllPartitions = 128;

}  // namespace

DeltaParts::DeltaParts(Kernel& kernel, const DeltaHeads& heads, const DeltaViews& views, float epsilon,
                       unsigned rows)
    : kernel_(kernel), heads_(heads), views_(views), epsilon_(epsilon), rows_(rows) {
  const auto pool = [&](const char* name, DType dtype, std::uint64_t columns, unsigned copies) {
    return kernel.sbuf(name, dtype, narrow(columns), copies);
  };
  const std::uint64_t widest = std::max(heads.key_dim, heads.normed());
  mixed_ = pool("mixed", DType::kBf16, heads.channels(), 2);
  zs_ = pool("z", DType::kBf16, heads.values(), 2);
  numbers_ = pool("numbers", DType::kBf16, heads.numbers(), 2);
  factors_ = pool("factors", DType::kFp32, heads.value_heads, 8);
  squares_ = pool("squares", DType::kBf16, widest, 2);
  columns_ = pool("sums", DType::kFp32, 1, 8);
  gates_ = pool("silu(z)", DType::kFp32, heads.normed(), 4);
  outputs_ = pool("outputs", DType::kBf16, heads.values(), 2);
  rate_ = vector("rate", views.rate);
  shift_ = vector("shift", views.shift);
  gain_ = vector("gain", views.gain);
  if (heads.scans()) skip_ = vector("skip", views.skip);
  const unsigned side = std::max(rows, narrow(heads.value_dim));
  const auto constant = [&](const char* name, DType dtype, unsigned columns) {
    return kernel.take(kernel.sbuf(name, dtype, columns), side, columns);
  };
  ones_ = constant("ones", DType::kFp32, kAllPartitions);
  identity_ = constant("identity", DType::kFp32, side);
  narrow_ = constant("bf16 identity", DType::kBf16, side);
  kernel.memset(ones_, 1);
  for (const TileView* one : {&identity_, &narrow_})
    kernel.affine_select(*one, ones_.columns(0, side), 0, 1, -1, isa::CompareOp::kEq, 0);
}

// The row on every partition.
TileView DeltaParts::vector(const char* name, const HbmView& row) {
  HbmView repeated = row;
  repeated.rows = rows_;
  repeated.row_stride = 0;
  const TileView tile =
      kernel_.take(kernel_.sbuf(name, DType::kFp32, narrow(row.columns)), rows_, narrow(row.columns));
  kernel_.load(tile, repeated);
  return tile;
}

TileView DeltaParts::Tokens::query(const DeltaHeads& heads, std::uint64_t number) const {
  return mixed.columns(narrow(number * heads.key_dim), narrow(heads.key_dim));
}
TileView DeltaParts::Tokens::key(const DeltaHeads& heads, std::uint64_t number) const {
  return mixed.columns(narrow(heads.keys() + number * heads.key_dim), narrow(heads.key_dim));
}
TileView DeltaParts::Tokens::value(const DeltaHeads& heads, std::uint64_t number) const {
  return mixed.columns(narrow(2 * heads.keys() + number * heads.value_dim), narrow(heads.value_dim));
}

DeltaParts::Tokens DeltaParts::load(std::uint64_t first, unsigned rows) {
  const unsigned count = narrow(heads_.value_heads);
  const std::uint64_t z = heads_.channels(), numbers = z + heads_.values();
  const auto take = [&](Pool pool, std::uint64_t columns) {
    return kernel_.take(pool, rows, narrow(columns));
  };
  Tokens tokens{take(mixed_, heads_.channels()), take(zs_, heads_.values()), take(factors_, count),
                take(factors_, count)};
  const TileView both = take(numbers_, heads_.numbers()), sum = take(factors_, count);
  kernel_.load(tokens.mixed, views_.mixed.window(first, 0, rows, heads_.channels()));
  kernel_.load(tokens.z, views_.in.window(first, z, rows, heads_.values()));
  kernel_.load(both, views_.in.window(first, numbers, rows, heads_.numbers()));
  if (!heads_.scans()) kernel_.activation(tokens.rate, both.columns(0, count), ActFn::kSigmoid);
  const TileView softplus = heads_.scans() ? tokens.rate : sum;
  kernel_.tensor_tensor(sum, both.columns(narrow(heads_.numbers()) - count, count),
                        shift_.partitions(0, rows), AluOp::kAdd);
  kernel_.activation(softplus, sum, ActFn::kSoftplus);
  if (heads_.least_rate > 0)
    kernel_.tensor_scalar(softplus, softplus, AluOp::kMax, {static_cast<float>(heads_.least_rate), nullptr});
  if (heads_.most_rate > 0)
    kernel_.tensor_scalar(softplus, softplus, AluOp::kMin, {static_cast<float>(heads_.most_rate), nullptr});
  kernel_.tensor_tensor(tokens.decay, softplus, rate_.partitions(0, rows), AluOp::kMult);
  return tokens;
}

void DeltaParts::normalise(const TileView& dst, const TileView& x, float factor) {
  const unsigned rows = x.shape.partitions, columns = x.shape.count[isa::kFreeDims - 1];
  const TileView sum = kernel_.take(columns_, rows, 1), root = kernel_.take(columns_, rows, 1);
  kernel_.activation_reduce(kernel_.take(squares_, rows, columns), sum, x, ActFn::kSquare);
  kernel_.activation(root, sum, ActFn::kRsqrt, {1, nullptr}, {kKeyEpsilon, nullptr});
  kernel_.tensor_scalar(dst, x, AluOp::kMult, {0, &root}, AluOp::kMult, {factor, nullptr});
}

void DeltaParts::finish(const TileView& o, const Tokens& tokens, unsigned first, const TileView& output) {
  const unsigned rows = o.shape.partitions, columns = narrow(heads_.normed());
  const TileView sum = kernel_.take(columns_, rows, 1), root = kernel_.take(columns_, rows, 1),
                 gate = kernel_.take(gates_, rows, columns), made = kernel_.take(gates_, rows, columns),
                 z = tokens.z.columns(first, columns), to = output.columns(first, columns),
                 gain = gain_.partitions(0, rows).columns(heads_.scans() ? first : 0, columns);
  const bool gated_first = heads_.scans();
  if (gated_first) {
    kernel_.activation(gate, z, ActFn::kSilu);
    kernel_.tensor_tensor(heads_.split ? to : made, o, gate, AluOp::kMult);
    if (heads_.split) return;
  }
  const TileView& x = gated_first ? made : o;
  kernel_.activation_reduce(kernel_.take(squares_, rows, columns), sum, x, ActFn::kSquare);
  kernel_.activation(root, sum, ActFn::kRsqrt, {1 / static_cast<float>(columns), nullptr},
                     {epsilon_, nullptr});
  if (gated_first) return kernel_.scalar_tensor_tensor(to, x, AluOp::kMult, {0, &root}, AluOp::kMult, gain);
  kernel_.activation(gate, z, ActFn::kSilu);
  kernel_.scalar_tensor_tensor(made, x, AluOp::kMult, {0, &root}, AluOp::kMult, gain);
  kernel_.tensor_tensor(to, made, gate, AluOp::kMult);
}

TileView DeltaParts::output(unsigned rows) { return kernel_.take(outputs_, rows, narrow(heads_.values())); }

void DeltaParts::store(const TileView& output, std::uint64_t first) {
  kernel_.store(views_.out.window(first, 0, output.shape.partitions, heads_.values()), output,
                isa::Queue::kGpSimd);
}

TileView DeltaParts::spread(const TileView& column, Pool diagonals, Pool psum) {
  const unsigned rows = column.shape.partitions;
  const TileView diagonal = kernel_.take(diagonals, rows, rows),
                 sums = kernel_.take(psum, kAllPartitions, rows);
  kernel_.tensor_scalar(diagonal, identity_.partitions(0, rows).columns(0, rows), AluOp::kMult, {0, &column});
  kernel_.matmul(sums, Stationary(ones_.partitions(0, rows), isa::MatmulMode::kOneZeroStationary), diagonal,
                 false);
  return sums;
}

}  // namespace tahoma::workloads
