// SPDX-License-Identifier: Apache-2.0
#include "workloads/convolution/convolution.h"

#include <fmt/format.h>

#include <map>

#include "model/base/error.h"
#include "workloads/common/kernel_case.h"
#include "workloads/convolution/convolution_kernel.h"
#include "workloads/convolution/golden_convolution.h"

namespace tahoma::workloads {

namespace {

using runtime::HostTensor;
using Extents = std::vector<std::uint64_t>;

constexpr base::Named<WeightPath> kPaths[] = {{WeightPath::kResident, "resident"},
                                              {WeightPath::kReload, "reload"},
                                              {WeightPath::kDmaTranspose, "dma_transpose"}};

void make_identity(HostTensor& identity, std::uint64_t /*seed*/) {
  for (std::uint64_t i = 0; i < identity.shape[0]; ++i)
    isa::store_from_fp32(identity.values.data() + i * (identity.shape[0] + 1) * isa::size_of(identity.dtype),
                         identity.dtype, 1.0F);
}

class ConvolutionCase final : public KernelCase {
 public:
  ConvolutionCase() : KernelCase({"x", "w", "bias"}) {}

  double useful_flops() const override {
    const auto pixels = static_cast<double>(images_ * shape(1).out_height() * shape(1).out_width());
    return 2.0 * pixels * static_cast<double>(out_) * static_cast<double>(in_ * shape(1).taps()) +
           pixels * static_cast<double>(out_);
  }
  isa::DType compute_dtype() const override { return dtype_; }
  std::string describe() const override {
    return fmt::format("convolution {}x{} of {}x{}x{}x{} to {} channels {}, weights {}{}", filter_, filter_,
                       images_, in_, height_, width_, out_, isa::name_of(dtype_),
                       base::name_in(kPaths, weights_),
                       cores() == 1 ? "" : fmt::format(", on {} cores", cores()));
  }

 protected:
  void declare_parameters(base::ParamTree& t) override {
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
          "transposition of the weights: kept on chip, through HBM and back, or by DMA inside HBM",
          base::chosen());
  }

  void check_sizes(const model::MachineParams& machine) const override {
    const model::CoreParams& core = machine.chip.core;
    if (core.tensor.rows != core.tensor.columns)
      refuse("E-RUN-065", "machine.chip.core.tensor.rows", "a square array: weights are transposed on it",
             fmt::format("{} rows and {} columns", core.tensor.rows, core.tensor.columns));
    check_channels("in_channels", in_, core.tensor.rows);
    check_channels("out_channels", out_, core.tensor.rows);
    if (filter_ > std::min(height_, width_))
      refuse("E-RUN-066", "workload.filter", fmt::format("at most {}", std::min(height_, width_)),
             fmt::format("a filter of {} on images of {} x {}", filter_, height_, width_));
    const std::uint64_t most = core.psum.bank.count / isa::size_of(isa::DType::kFp32);
    if (shape(1).out_width() > most)
      refuse("E-RUN-066", "workload.width", fmt::format("at most {}", most + filter_ - 1),
             fmt::format("a row of y has {} pixels, a PSUM bank holds {}", shape(1).out_width(), most));
    if (height_ * width_ > UINT16_MAX)
      refuse("E-RUN-066", "workload.height", fmt::format("at most {}", UINT16_MAX / width_),
             fmt::format("an image of {} x {} pixels; a tile holds {}", height_, width_, UINT16_MAX));
  }

  // In the order of the program's arguments; each way to transpose the weights adds its own at the end.
  std::vector<CaseTensor> tensors() const override {
    const ConvolutionShape s = shape(images_);
    std::vector<CaseTensor> all{{"x", s.dtype, {images_, in_, height_, width_}, Role::kInput},
                                {"bias", s.dtype, {out_}, Role::kInput, Sharding::kReplicated},
                                {"y", s.dtype, {images_, out_, s.out_height(), s.out_width()}, Role::kOutput},
                                weights()};
    if (path() != WeightPath::kDmaTranspose) {
      all.push_back({"identity", s.dtype, {side(), side()}, Role::kScratch, Sharding::kReplicated});
      all.back().make = make_identity;
    }
    if (path() != WeightPath::kResident)
      all.push_back({"scratch", s.dtype, {in_ * out_ * s.taps()}, Role::kScratch, Sharding::kReplicated});
    return all;
  }
  std::uint64_t units() const override { return images_; }
  isa::Program program(const model::MachineParams& machine, const runtime::Part& images) const override {
    return convolution_program(machine, shape(images.count), path());
  }
  runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const override {
    HostTensor w = values.at("w");
    w.shape = w_shape();
    return check_convolution(values.at("x"), w, values.at("bias"), values.at("y"), maker("y"));
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

  ConvolutionShape shape(std::uint64_t images) const {
    return {images, in_, out_, height_, width_, filter_, compute_dtype()};
  }
  WeightPath path() const { return weights_; }
  std::uint64_t side() const { return machine().chip.core.tensor.rows; }
  Extents w_shape() const { return {out_, in_, filter_, filter_}; }
  // Reloaded weights are in HBM tap by tap: [out, tiles of in, taps, in of a tile].
  CaseTensor weights() const {
    CaseTensor w{"w", compute_dtype(), w_shape(), Role::kInput, Sharding::kReplicated};
    if (path() != WeightPath::kReload) return w;
    w.file_shape = w_shape();
    w.shape = {out_ * (in_ / side()), side(), filter_ * filter_};
    w.layout = HbmLayout::kTransposed;
    return w;
  }

  std::uint64_t images_ = 0, in_ = 0, out_ = 0, height_ = 0, width_ = 0, filter_ = 0;
  isa::DType dtype_{};
  WeightPath weights_{};
};

}  // namespace

std::unique_ptr<runtime::Workload> make_convolution() { return std::make_unique<ConvolutionCase>(); }

}  // namespace tahoma::workloads
