// SPDX-License-Identifier: Apache-2.0
#include "workloads/convolution/convolution.h"

#include <fmt/format.h>

#include <cstring>
#include <map>

#include "model/base/error.h"
#include "runtime/golden/golden.h"
#include "runtime/run/inputs.h"
#include "workloads/convolution/convolution_kernel.h"

namespace tahoma::workloads {

namespace {

using runtime::HostTensor, runtime::Machine, runtime::Tensor;
using Extents = std::vector<std::uint64_t>;

constexpr base::Named<WeightPath> kPaths[] = {{WeightPath::kResident, "resident"},
                                              {WeightPath::kReload, "reload"},
                                              {WeightPath::kDmaTranspose, "dma_transpose"}};

HostTensor identity_of(isa::DType dtype, std::uint64_t side) {
  HostTensor identity = runtime::make_tensor("identity", dtype, {side, side});
  for (std::uint64_t i = 0; i < side; ++i)
    isa::store_from_fp32(identity.values.data() + i * (side + 1) * isa::size_of(dtype), dtype, 1.0F);
  return identity;
}

// From [out, in, taps] to [out, tiles of in, taps, in of a tile].
HostTensor by_tap(const HostTensor& w, std::uint64_t side) {
  HostTensor result = runtime::make_tensor("w", w.dtype, w.shape);
  const std::uint64_t taps = w.shape[2] * w.shape[3], size = isa::size_of(w.dtype);
  const std::uint64_t blocks = w.elements() / (side * taps);
  for (std::uint64_t block = 0; block < blocks; ++block)
    for (std::uint64_t in = 0; in < side; ++in)
      for (std::uint64_t tap = 0; tap < taps; ++tap)
        std::memcpy(result.values.data() + ((block * taps + tap) * side + in) * size,
                    w.values.data() + ((block * side + in) * taps + tap) * size, size);
  return result;
}

class ConvolutionWorkload final : public runtime::Workload {
 public:
  void declare(base::ParamTree& t) override {
    const base::Range<std::uint64_t> channels{1, 8192}, pixels{1, 4096};
    t.add("images", images_, std::uint64_t{1}, {1, 1024}, "images of x and y", base::chosen());
    t.add("in_channels", in_, std::uint64_t{256}, channels, "channels of x, a multiple of the array's rows",
          base::chosen());
    t.add("out_channels", out_, std::uint64_t{256}, channels, "channels of y, a multiple of the array's rows",
          base::chosen());
    t.add("height", height_, std::uint64_t{32}, pixels, "rows of an input image", base::chosen());
    t.add("width", width_, std::uint64_t{16}, pixels, "columns of an input image", base::chosen());
    t.add("filter", filter_, std::uint64_t{3}, {1, 16}, "rows and columns of the filter", base::chosen());
    t.add("dtype", dtype_, isa::DType::kFp16, {isa::DType::kBf16, isa::DType::kFp16, isa::DType::kFp32},
          "element type of all tensors; sums are fp32", base::chosen());
    t.add("weights", weights_, WeightPath::kResident, kPaths,
          "how the weights are turned: kept on chip, through HBM and back, or by DMA inside HBM",
          base::chosen());
  }

  void check(const model::MachineParams& machine) const override {
    const model::CoreParams& core = machine.chip.core;
    if (core.tensor.rows != core.tensor.columns)
      refuse("E-RUN-065", "machine.chip.core.tensor.rows", "a square array: weights are turned on it",
             fmt::format("{} rows and {} columns", core.tensor.rows, core.tensor.columns));
    check_channels("in_channels", in_, core.tensor.rows);
    check_channels("out_channels", out_, core.tensor.rows);
    if (filter_ > std::min(height_, width_))
      refuse("E-RUN-066", "workload.filter", fmt::format("at most {}", std::min(height_, width_)),
             fmt::format("a filter of {} on images of {} x {}", filter_, height_, width_));
    const std::uint64_t most = core.psum.bank.count / isa::size_of(isa::DType::kFp32);
    if (shape().out_width() > most)
      refuse("E-RUN-066", "workload.width", fmt::format("at most {}", most + filter_ - 1),
             fmt::format("a row of y has {} pixels, a PSUM bank holds {}", shape().out_width(), most));
    if (height_ * width_ > UINT16_MAX)
      refuse("E-RUN-066", "workload.height", fmt::format("at most {}", UINT16_MAX / width_),
             fmt::format("an image of {} x {} pixels; a tile holds {}", height_, width_, UINT16_MAX));
  }

  void prepare(Machine& machine, std::uint64_t seed) override {
    seed_ = seed;
    side_ = machine.params().chip.core.tensor.rows;
    const auto program =
        std::make_shared<const isa::Program>(convolution_program(machine.params(), shape(), path()));
    std::vector<std::uint64_t> arguments;
    for (const std::string& name : program->args) arguments.push_back(place(machine, name).address);
    machine.load(0, program, arguments);
  }

  runtime::GoldenResult verify(Machine& machine) override {
    return runtime::check_convolution(x(), w(), bias(), y(machine), [&](std::uint64_t, std::uint64_t) {
      return runtime::core_name(machine.params(), 0);
    });
  }

  std::vector<runtime::NamedValues> outputs(Machine& machine) override {
    HostTensor result = y(machine);
    return {{"y", result.dtype, result.shape, std::move(result.values)}};
  }

  double useful_flops() const override {
    const auto pixels = static_cast<double>(images_ * shape().out_height() * shape().out_width());
    return 2.0 * pixels * static_cast<double>(out_) * static_cast<double>(in_ * shape().taps()) +
           pixels * static_cast<double>(out_);
  }
  isa::DType compute_dtype() const override { return dtype_; }
  std::uint32_t cores_used() const override { return 1; }
  std::string describe() const override {
    return fmt::format("convolution {}x{} of {}x{}x{}x{} to {} channels {}, weights {}", filter_, filter_,
                       images_, in_, height_, width_, out_, isa::name_of(dtype_),
                       base::name_in(kPaths, weights_));
  }

 private:
  [[noreturn]] static void refuse(const char* code, const std::string& place, const std::string& expected,
                                  const std::string& found) {
    throw base::UserError(code, place, fmt::format("{}; expected {}", found, expected));
  }
  static void check_channels(const std::string& key, std::uint64_t channels, std::uint64_t side) {
    if (channels % side == 0) return;
    const std::uint64_t below = channels / side * side;
    refuse("E-RUN-065", "workload." + key,
           fmt::format("a multiple of the array's {} rows, such as {}", side, below == 0 ? side : below),
           fmt::format("{} channels", channels));
  }

  ConvolutionShape shape() const { return {images_, in_, out_, height_, width_, filter_, compute_dtype()}; }
  WeightPath path() const { return weights_; }
  Extents y_shape() const { return {images_, out_, shape().out_height(), shape().out_width()}; }
  HostTensor x() const {
    return runtime::input("", "x", compute_dtype(), {images_, in_, height_, width_}, seed_, 0);
  }
  HostTensor w() const {
    return runtime::input("", "w", compute_dtype(), {out_, in_, filter_, filter_}, seed_, 1);
  }
  HostTensor bias() const { return runtime::input("", "bias", compute_dtype(), {out_}, seed_, 2); }

  // The tensor behind an argument of the program, filled if it is an input.
  Tensor place(Machine& machine, const std::string& name) {
    if (name == "y") return y_ = machine.allocate(0, name, compute_dtype(), y_shape());
    if (name == "scratch") return machine.allocate(0, name, compute_dtype(), {in_ * out_ * shape().taps()});
    const Extents extents = name == "x"          ? Extents{images_, in_, height_, width_}
                            : name == "w"        ? Extents{out_, in_, filter_, filter_}
                            : name == "identity" ? Extents{side_, side_}
                                                 : Extents{out_};
    Tensor tensor = machine.allocate(0, name, compute_dtype(), extents);
    if (machine.functional()) machine.write(tensor, values_of(name).values);
    machine.declare_input(tensor);
    return tensor;
  }
  HostTensor values_of(const std::string& name) const {
    if (name == "x") return x();
    if (name == "bias") return bias();
    if (name == "identity") return identity_of(compute_dtype(), side_);
    return path() == WeightPath::kReload ? by_tap(w(), side_) : w();
  }
  HostTensor y(Machine& machine) const {
    HostTensor result = runtime::make_tensor("y", compute_dtype(), y_shape());
    machine.read(y_, result.values);
    return result;
  }

  std::uint64_t images_ = 0, in_ = 0, out_ = 0, height_ = 0, width_ = 0, filter_ = 0, seed_ = 0, side_ = 0;
  isa::DType dtype_{};
  WeightPath weights_{};
  Tensor y_;
};

}  // namespace

std::unique_ptr<runtime::Workload> make_convolution() { return std::make_unique<ConvolutionWorkload>(); }

}  // namespace tahoma::workloads
