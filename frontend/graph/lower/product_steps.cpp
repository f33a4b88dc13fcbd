// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/lower/product_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/graph/lower/strided_copy.h"
#include "frontend/graph/lower/tile_kernel.h"
#include "model/base/error.h"
#include "workloads/common/ceil_div.h"
#include "workloads/convolution/conv2d_kernel.h"
#include "workloads/gemm/kernel/gemm_kernel.h"

namespace tahoma::workloads::graph {

namespace {

constexpr std::uint64_t kSpare = 1024;  // of a partition, for what a blocking does not count

std::uint64_t at(std::int64_t size) { return static_cast<std::uint64_t>(size); }

ConvAxis conv_axis(const WindowAxis& w) {
  return {at(w.size), at(w.filter), at(w.stride), at(w.dilation), at(w.before), at(w.after)};
}

// Groups first .. first + count of the weights [out, in of a group, taps] as [count * in, taps, count * out],
// with zeros between groups.
Array weights_of_groups(const Array& w, const ConvolutionOf& c, std::int64_t first, std::int64_t count,
                        std::int64_t taps) {
  const std::int64_t in = c.in / c.groups, out = c.out / c.groups;
  Array all{{w.type.element, {count * in * taps, count * out}}, {}};
  all.values.resize(all.type.elements(), 0);
  for (std::int64_t g = 0; g < count; ++g)
    for (std::int64_t o = 0; o < out; ++o)
      for (std::int64_t k = 0; k < in; ++k)
        for (std::int64_t t = 0; t < taps; ++t)
          all.values[at(((g * in + k) * taps + t) * count * out + g * out + o)] =
              w.values[at((((first + g) * out + o) * in + k) * taps + t)];
  return all;
}

constexpr std::uint64_t kMostWays = 4;

// Bytes of a partition that a product takes, if there is room for so many; 0: there is not.
std::uint64_t room_of(const model::MachineParams& machine, const Blocking& blocking) {
  const std::uint64_t bytes = aligned(blocking.sbuf_bytes + kSpare);
  return bytes * kMostWays <= static_cast<std::uint64_t>(machine.chip.core.sbuf.usable.count) ? bytes : 0;
}

}  // namespace

void add_product(Lowering& lowering, const ProductStep& p) {
  GemmShape shape;
  shape.m = at(p.m);
  shape.n = at(p.n);
  shape.k = at(p.k);
  shape.dtype = lowering.dtype(p.a);
  shape.out = lowering.dtype(p.out);
  shape.a_by_rows = p.a_by_rows;
  shape.b_by_rows = p.b_by_rows;
  if (p.bias) shape.epilogue.bias = BiasOf::kColumns;
  shape.epilogue.activation = p.activation;
  shape.epilogue.residual = p.residual.has_value();
  Step step;
  step.kernel = "gemm";
  step.engine = StepEngine::kTensor;
  step.dtype = shape.dtype;
  step.on_array = true;
  step.flops = 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) *
               static_cast<double>(p.batches.size());
  step.bytes = lowering.bytes(p.a) + lowering.bytes(p.b) + lowering.bytes(p.out);
  if (p.residual) step.bytes += lowering.bytes(*p.residual);
  step.tiles = fmt::format("{}x{}x{}{}", p.m, p.n, p.k,
                           p.batches.size() > 1 ? fmt::format(", {} of them", p.batches.size()) : "");
  step.emit = [shape, p](Emission& e) {
    const Blocking blocking = choose_blocking(e.machine, shape);
    const std::uint64_t room = room_of(e.machine, blocking);
    for (std::size_t b = 0; b < p.batches.size(); ++b) {
      const ProductStep::Batch& batch = p.batches[b];
      const runtime::KernelMemory::Scope scope(e.kernel);
      // Neighbouring products use other parts of SBUF, so that the loads of one run ahead of the other.
      if (const std::uint64_t aside = b % kMostWays * room; aside > 0)
        e.kernel.sbuf("other products", isa::DType::kUint8, static_cast<unsigned>(aside));
      GemmViews views;
      views.a =
          e.matrix(p.a.slot, p.a_by_rows ? shape.m : shape.k, p.a_by_rows ? shape.k : shape.m, at(batch.a));
      views.b =
          e.matrix(p.b.slot, p.b_by_rows ? shape.n : shape.k, p.b_by_rows ? shape.k : shape.n, at(batch.b));
      views.c = e.matrix(p.out.slot, shape.m, shape.n, at(batch.out));
      if (p.bias) views.bias = e.matrix(p.bias->slot, 1, shape.n);
      if (p.residual) views.residual = e.matrix(p.residual->slot, shape.m, shape.n, at(batch.out));
      emit_gemm(blocking, e.kernel, e.machine, shape, views);
    }
  };
  lowering.add(std::move(step));
}

OutputRange outputs_inside(const WindowAxis& axis, std::int64_t tap, std::int64_t first, std::int64_t end) {
  const std::int64_t shift = tap * axis.dilation - axis.before;
  while (first < end && first * axis.stride + shift < 0) ++first;
  while (end > first && (end - 1) * axis.stride + shift >= axis.size) --end;
  return {first, end - first};
}

TensorRef bias_in_fp32(Lowering& lowering, const std::string& name, ValueId id, const Dims& dims) {
  const Value& value = lowering.graph().value(id);
  if (value.constant) return lowering.constant(name, isa::DType::kFp32, dims, value.constant);
  TensorRef bias = lowering.tensor(id);
  if (lowering.dtype(bias) != isa::DType::kFp32) {
    const TensorRef wide = lowering.scratch(name, isa::DType::kFp32, bias.dims);
    add_activation(lowering, wide, bias, isa::ActFn::kCopy);
    bias = wide;
  }
  return {bias.slot, dims};
}

void add_convolution(const NodeView& node, Lowering& lowering, const ConvolutionStep& conv) {
  const ConvolutionOf& c = conv.of;
  const TensorRef &x = conv.x, &out = conv.out;
  node.require(c.axes.size() <= 2, "E-ONX-010", "is a convolution of three dimensions");
  node.require(conv.constant != nullptr || c.groups == 1, "E-ONX-010",
               "has groups of channels and weights that are not constant");
  const std::string& name = node.node().name;
  const TensorRef bias = conv.bias ? bias_in_fp32(lowering, name + ".bias", *conv.bias, {c.out, 1})
                                   : lowering.filled(name + ".zeros", isa::DType::kFp32, {c.out, 1}, 0);
  // A sequence is an image of one column: its length may exceed a PSUM bank.
  Conv2dShape shape;
  shape.images = at(c.images);
  shape.rows = conv_axis(c.axes[0]);
  if (c.axes.size() == 2) shape.columns = conv_axis(c.axes[1]);
  shape.dtype = lowering.dtype(x);
  shape.relu = conv.relu;
  shape.residual = conv.residual.has_value();
  shape.in_pitch = at(c.in);
  shape.out_pitch = at(c.out);
  const std::int64_t in = c.in / c.groups, out_of = c.out / c.groups,
                     most = conv2d_channels(lowering.machine().chip.core),
                     together = std::clamp<std::int64_t>(most / std::max(in, out_of), 1, c.groups);
  Step step;
  step.kernel = "conv2d";
  step.engine = StepEngine::kTensor;
  step.dtype = shape.dtype;
  step.on_array = true;
  step.flops = 2.0 * static_cast<double>(elements_of(out.dims)) * static_cast<double>(in) *
               static_cast<double>(shape.taps());
  step.bytes = lowering.bytes(x) + lowering.bytes(out) +
               static_cast<double>(conv.weights.elements() * isa::size_of(shape.dtype));
  if (conv.residual) step.bytes += lowering.bytes(*conv.residual);
  step.tiles = fmt::format("{}x{} filter, {} of {} to {} channels", shape.rows.filter, shape.columns.filter,
                           c.groups > 1 ? fmt::format("{} groups", c.groups) : "all", c.in, c.out);
  const std::uint64_t pixels_in = shape.rows.size * shape.columns.size,
                      pixels_out = shape.out_height() * shape.out_width();
  struct Part {
    Conv2dShape shape;
    TensorRef weights;
    std::int64_t first_in, first_out;
  };
  std::vector<Part> parts;
  for (std::int64_t first = 0; first < c.groups; first += together) {
    const std::int64_t count = std::min(together, c.groups - first);
    Part part{shape, {}, first * in, first * out_of};
    part.shape.in = at(count * in);
    part.shape.out = at(count * out_of);
    const auto taps = static_cast<std::int64_t>(shape.taps());
    if (conv.constant) {
      part.weights = lowering.constant(name + ".weights", shape.dtype, {count * in * taps, count * out_of},
                                       [c, first, count, taps, values = conv.constant] {
                                         return weights_of_groups(values(), c, first, count, taps);
                                       });
    } else {
      part.weights = lowering.scratch(name + ".weights", shape.dtype, {c.in * taps, c.out});
      add_permute(lowering, part.weights, {conv.tensor->slot, {c.out, c.in * taps}}, {1, 0});
    }
    parts.push_back(std::move(part));
  }
  try {
    for (const Part& part : parts) check_conv2d(part.shape);
  } catch (const base::UserError& refused) {
    node.refuse("E-ONX-010", refused.message);
  }
  step.emit = [parts, x, out, bias, pixels_in, pixels_out, residual = conv.residual](Emission& e) {
    for (const Part& part : parts) {
      const runtime::KernelMemory::Scope scope(e.kernel);
      const Conv2dShape& s = part.shape;
      const auto matrix = [&](const TensorRef& of, std::uint64_t pitch, std::uint64_t channels,
                              std::int64_t first, std::uint64_t pixels) {
        return e.matrix(of.slot, (s.images - 1) * pitch + channels, pixels, at(first) * pixels);
      };
      emit_conv2d(e.kernel, e.machine, s,
                  {matrix(x, s.in_pitch, s.in, part.first_in, pixels_in),
                   e.matrix(part.weights.slot, s.in * s.taps(), s.out),
                   e.matrix(bias.slot, s.out, 1, at(part.first_out)),
                   matrix(out, s.out_pitch, s.out, part.first_out, pixels_out),
                   matrix(residual.value_or(out), s.out_pitch, s.out, part.first_out, pixels_out)});
    }
  };
  lowering.add(std::move(step));
}

}  // namespace tahoma::workloads::graph
