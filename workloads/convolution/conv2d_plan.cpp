// SPDX-License-Identifier: Apache-2.0
#include "workloads/convolution/conv2d_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "workloads/common/ceil_div.h"

namespace tahoma::workloads {

namespace {

[[noreturn]] void refuse(const char* key, const std::string& text) {
  throw base::UserError("E-RUN-095", std::string("workload.") + key, text);
}

std::uint64_t bank_pixels(const model::CoreParams& core) {
  return std::min<std::uint64_t>(core.tensor.moving_columns, core.psum.bank.count / sizeof(float));
}

unsigned narrowed(std::uint64_t value) { return static_cast<unsigned>(value); }

std::uint64_t most_input_rows(const Conv2dShape& s, std::uint64_t rows) {
  return std::min(s.rows.size, (rows - 1) * s.rows.stride + s.rows.reach());
}

std::vector<Pixels> cut_pixels(const Pixels& whole, unsigned images, unsigned rows, unsigned columns) {
  std::vector<Pixels> pieces;
  for (const Range& i : cut(whole.images, images))
    for (const Range& r : cut(whole.rows, rows))
      for (const Range& c : cut(whole.columns, columns)) pieces.push_back({i, r, c});
  return pieces;
}

}  // namespace

Range Conv2dPlan::input_rows(const Conv2dShape& s, const Range& rows) {
  const ConvAxis& axis = s.rows;
  const std::uint64_t top = rows.first * axis.stride, bottom = (rows.end() - 1) * axis.stride + axis.reach();
  const std::uint64_t first = std::min(axis.size - 1, top > axis.before ? top - axis.before : 0);
  const std::uint64_t end = std::clamp(bottom > axis.before ? bottom - axis.before : 0, first + 1, axis.size);
  return {first, narrowed(end - first)};
}

std::vector<Pixels> Conv2dPlan::blocks(const Conv2dShape& shape) const {
  const Range columns = all_of(shape.out_width());
  return cut_pixels({all_of(shape.images), all_of(shape.out_height()), columns}, images, rows, columns.count);
}

std::vector<Pixels> Conv2dPlan::banks(const Pixels& block) const {
  return cut_pixels(block, bank_images, bank_rows, bank_columns);
}

unsigned Conv2dPlan::stacked_rows(const Conv2dShape& shape, std::uint64_t rows) const {
  return narrowed((rows - 1) * shape.rows.stride + std::uint64_t{passes - 1} * stack * shape.rows.dilation +
                  1);
}

void check_conv2d(const Conv2dShape& s) {
  for (const ConvAxis& axis : {s.rows, s.columns}) {
    const std::uint64_t padded = axis.size + axis.before + axis.after;
    if (axis.reach() > padded)
      refuse("filter", fmt::format("{} on padded images with a side of {}; expected at most that",
                                   axis.reach(), padded));
  }
}

unsigned conv2d_channels(const model::CoreParams& core) {
  return narrowed(std::min({core.tensor.rows, core.tensor.columns, core.sbuf.partitions}));
}

Conv2dPlan plan_conv2d(const model::MachineParams& machine, const Conv2dShape& s) {
  const model::CoreParams& core = machine.chip.core;
  const std::uint64_t size = isa::size_of(s.dtype), pixels = s.out_height() * s.out_width();
  const std::uint64_t in_bank = bank_pixels(core);
  Conv2dPlan plan;
  plan.height = conv2d_channels(core);
  plan.bank_images = narrowed(std::min(s.images, std::max<std::uint64_t>(1, in_bank / pixels)));
  plan.bank_columns = narrowed(std::min(s.out_width(), in_bank));
  plan.bank_rows = narrowed(std::min(s.out_height(), std::max<std::uint64_t>(1, in_bank / s.out_width())));
  // A copy of fewer channels would keep fewer DMA engines busy than there are.
  const std::uint64_t copies = s.in < isa::kDmaEngines ? 1 : plan.height / s.in;
  plan.passes = narrowed(ceil_div(s.rows.filter, std::max<std::uint64_t>(1, copies)));
  plan.stack = narrowed(ceil_div(s.rows.filter, plan.passes));
  const std::uint64_t in_tiles = (s.in + plan.height - 1) / plan.height,
                      out_tiles = (s.out + plan.height - 1) / plan.height;
  const std::uint64_t rest = out_tiles * aligned(sizeof(float)) +
                             (s.residual ? 2 : 1) * kConvolutionResults * aligned(in_bank * size) +
                             (s.residual ? 2 * aligned(plan.height * size) : 0);
  const auto weights = [&](std::uint64_t tiles) {
    if (plan.stack > 1)
      return plan.passes * aligned(s.columns.filter * std::min(s.out, tiles * plan.height) * size);
    return in_tiles * aligned(s.taps() * std::min(s.out, tiles * plan.height) * size);
  };
  // As many blocks of images as four groups of banks can use, or as SBUF has room for.
  const auto input = [&](std::uint64_t images, std::uint64_t rows) {
    const std::uint64_t of_image = plan.stack > 1 ? plan.stacked_rows(s, rows) : most_input_rows(s, rows);
    return images * of_image * s.columns.size;
  };
  for (std::uint64_t tiles = out_tiles; tiles > 0; tiles = tiles > 1 ? (tiles + 1) / 2 : 0) {
    plan.channels = narrowed(std::min(s.out, tiles * plan.height));
    if (s.taps() * plan.channels > UINT16_MAX) continue;
    const std::uint64_t taken = weights(tiles) + rest;
    const auto fits = [&](std::uint64_t images, std::uint64_t rows) {
      return input(images, rows) <= UINT16_MAX &&
             taken + kBlockCopies * in_tiles * aligned(input(images, rows) * size) <= core.sbuf.usable.count;
    };
    plan.images =
        narrowed(std::min<std::uint64_t>(s.images, std::uint64_t{plan.bank_images} * kConvolutionGroup));
    plan.rows = narrowed(s.out_height());
    while (plan.images > plan.bank_images && !fits(plan.images, plan.rows)) plan.images -= plan.bank_images;
    if (plan.images == 1)
      while (plan.rows > plan.bank_rows && !fits(1, plan.rows))
        plan.rows -= std::min(plan.rows, plan.bank_rows);
    if (plan.rows == 0 || !fits(plan.images, plan.rows)) continue;
    plan.input_columns = narrowed(input(plan.images, plan.rows));
    return plan;
  }
  refuse("in_channels",
         fmt::format("weights of {} channels by {} taps and a band of an image exceed the {} bytes of an "
                     "SBUF partition; expected fewer channels",
                     s.in, s.taps(), core.sbuf.usable.count));
}

}  // namespace tahoma::workloads
