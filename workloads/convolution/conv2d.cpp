// SPDX-License-Identifier: Apache-2.0
#include "workloads/convolution/conv2d.h"

#include <fmt/format.h>

#include "workloads/common/kernel_case.h"
#include "workloads/convolution/conv2d_kernel.h"
#include "workloads/convolution/golden_convolution.h"

namespace tahoma::workloads {

namespace {

class Conv2dCase final : public KernelCase {
 public:
  Conv2dCase() : KernelCase({"x", "w", "bias"}) {}

  double useful_flops() const override {
    const Conv2dShape s = shape(images_);
    return 2.0 * static_cast<double>(s.images * s.out_height() * s.out_width()) * static_cast<double>(s.out) *
           static_cast<double>(s.in * s.taps());
  }
  isa::DType compute_dtype() const override { return dtype_; }
  std::string describe() const override {
    return fmt::format("conv2d {}x{}, stride {}, padding {}, of {}x{}x{}x{} to {} channels {} on {} cores",
                       filter_, filter_, stride_, padding_, images_, in_, height_, width_, out_,
                       isa::name_of(dtype_), cores());
  }

 protected:
  void declare_parameters(base::ParamTree& t) override {
    const base::Range<std::uint64_t> channels{1, 8192}, pixels{1, 4096};
    t.add("images", images_, std::uint64_t{1}, {1, 4096}, "images of x and y", base::chosen());
    t.add("in_channels", in_, std::uint64_t{64}, channels, "channels of x", base::chosen());
    t.add("out_channels", out_, std::uint64_t{64}, channels, "channels of y", base::chosen());
    t.add("height", height_, std::uint64_t{28}, pixels, "rows of an input image", base::chosen());
    t.add("width", width_, std::uint64_t{28}, pixels, "columns of an input image", base::chosen());
    t.add("filter", filter_, std::uint64_t{3}, {1, 16}, "rows and columns of the filter", base::chosen());
    t.add("stride", stride_, std::uint64_t{1}, {1, 4}, "pixels of x between adjacent pixels of y",
          base::chosen());
    t.add("padding", padding_, std::uint64_t{1}, {0, 7}, "rows and columns of zeros on each side of an image",
          base::chosen());
    t.add("relu", relu_, false, "y = max(y, 0)", base::chosen());
    t.add("dtype", dtype_, isa::DType::kBf16, {isa::DType::kBf16, isa::DType::kFp16, isa::DType::kFp32},
          "element type of x, w and y; sums and bias are fp32", base::chosen());
  }
  void check_sizes(const model::MachineParams&) const override { check_conv2d(shape(images_)); }
  std::vector<CaseTensor> tensors() const override {
    const Conv2dShape s = shape(images_);
    CaseTensor w{"w", s.dtype, {out_, in_ * s.taps()}, Role::kInput, Sharding::kReplicated};
    w.layout = HbmLayout::kTransposed;
    return {{"x", s.dtype, {images_, in_, height_, width_}, Role::kInput},
            w,
            {"bias", isa::DType::kFp32, {out_, 1}, Role::kInput, Sharding::kReplicated},
            {"y", s.dtype, {images_, out_, s.out_height(), s.out_width()}, Role::kOutput}};
  }
  std::uint64_t units() const override { return images_; }
  isa::Program program(const model::MachineParams& machine, const runtime::Part& part) const override {
    return conv2d_program(machine, shape(part.count));
  }
  runtime::GoldenResult compare(const CaseValues& values, const MakerOf& maker) const override {
    runtime::HostTensor w = values.at("w");
    w.shape = {out_, in_, filter_, filter_};
    return check_convolution(values.at("x"), w, values.at("bias"), values.at("y"), maker("y"),
                             {stride_, padding_, relu_});
  }

 private:
  Conv2dShape shape(std::uint64_t images) const {
    Conv2dShape shape;
    shape.images = images;
    shape.in = in_;
    shape.out = out_;
    shape.rows = {
        .size = height_, .filter = filter_, .stride = stride_, .before = padding_, .after = padding_};
    shape.columns = shape.rows;
    shape.columns.size = width_;
    shape.dtype = compute_dtype();
    shape.relu = relu_;
    return shape;
  }

  std::uint64_t images_ = 0, in_ = 0, out_ = 0, height_ = 0, width_ = 0, filter_ = 0, stride_ = 0,
                padding_ = 0;
  bool relu_ = false;
  isa::DType dtype_{};
};

}  // namespace

std::unique_ptr<runtime::Workload> make_conv2d() { return std::make_unique<Conv2dCase>(); }

}  // namespace tahoma::workloads
