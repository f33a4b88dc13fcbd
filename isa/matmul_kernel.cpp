// SPDX-License-Identifier: Apache-2.0
#include "isa/matmul_kernel.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "isa/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/matmul_kernel.cpp"
// Highway includes this file once per target and so must see the macro first.
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "isa/simd_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tahoma::isa::HWY_NAMESPACE {

// One block of sums: `height` columns of a weight panel times one moving panel. dst rows hold kMovingPanel
// elements.
struct Block {
  const float* weights;
  const float* moving;
  std::size_t rows;
  float* dst;
  std::ptrdiff_t dst_stride;
  bool accumulate;
};

HWY_INLINE void finish(const Block& b, std::ptrdiff_t m, std::size_t n, Floats<Wide> sum) {
  const Wide d;
  float* at = b.dst + m * b.dst_stride + static_cast<std::ptrdiff_t>(n);
  if (b.accumulate) sum = hn::Add(hn::LoadU(d, at), sum);
  hn::StoreU(one_nan(d, sum), d, at);
}

#if HWY_NATIVE_FMA

template <int height>
void block(const Block& b) {
  constexpr std::size_t kVectors = kMovingPanel / kLanes;
  const Wide d;
  Floats<Wide> sum[height][kVectors];
  for (int m = 0; m < height; ++m) {
    for (std::size_t v = 0; v < kVectors; ++v) sum[m][v] = hn::Zero(d);
    hwy::Prefetch(b.dst + m * b.dst_stride);  // rows lie far apart; the sums take long enough to fetch them
  }
  const float *w = b.weights, *x = b.moving;
  for (std::size_t k = 0; k < b.rows; ++k, w += kWeightPanel, x += kMovingPanel) {
    Floats<Wide> moving[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) moving[v] = hn::LoadU(d, x + v * kLanes);
    for (int m = 0; m < height; ++m) {
      const auto weight = hn::Set(d, w[m]);
      for (std::size_t v = 0; v < kVectors; ++v) sum[m][v] = hn::MulAdd(weight, moving[v], sum[m][v]);
    }
  }
  for (int m = 0; m < height; ++m) {
    for (std::size_t v = 0; v < kVectors; ++v) finish(b, m, v * kLanes, sum[m][v]);
  }
}

#else

// Without a fused instruction each product goes through the library's fma, which rounds once on every host.
template <int height>
void block(const Block& b) {
  for (int m = 0; m < height; ++m) {
    HWY_ALIGN std::array<float, kMovingPanel> sum{};
    for (std::size_t k = 0; k < b.rows; ++k) {
      const float weight = b.weights[k * kWeightPanel + static_cast<std::size_t>(m)];
      const float* x = b.moving + k * kMovingPanel;
      for (std::size_t n = 0; n < kMovingPanel; ++n) sum[n] = std::fma(weight, x[n], sum[n]);
    }
    for (std::size_t n = 0; n < kMovingPanel; n += kLanes) finish(b, m, n, hn::LoadU(Wide(), sum.data() + n));
  }
}

#endif

using BlockFunction = void (*)(const Block&);
constexpr std::array<BlockFunction, kWeightPanel> kBlocks{block<1>, block<2>, block<3>,
                                                          block<4>, block<5>, block<6>};

// At the right edge the kernel works on a full-width copy, so that it never reads or writes beyond dst's
// columns.
void edge_block(const Block& b, std::size_t height, std::size_t width) {
  HWY_ALIGN std::array<float, kWeightPanel * kMovingPanel> copy{};
  Block inner = b;
  inner.dst = copy.data();
  inner.dst_stride = static_cast<std::ptrdiff_t>(kMovingPanel);
  for (std::size_t m = 0; m < height && b.accumulate; ++m) {
    const float* row = b.dst + static_cast<std::ptrdiff_t>(m) * b.dst_stride;
    std::copy_n(row, width, copy.data() + m * kMovingPanel);
  }
  kBlocks[height - 1](inner);
  for (std::size_t m = 0; m < height; ++m) {
    std::copy_n(copy.data() + m * kMovingPanel, width, b.dst + static_cast<std::ptrdiff_t>(m) * b.dst_stride);
  }
}

// One moving panel stays in the first-level cache while all weight panels pass by it.
void multiply(const MatmulShape& shape, const float* weights, const float* moving, float* dst,
              std::ptrdiff_t dst_stride, bool accumulate) {
  for (std::size_t n = 0; n < shape.moving; n += kMovingPanel) {
    const std::size_t width = std::min(kMovingPanel, shape.moving - n);
    const float* panel = moving + n / kMovingPanel * panel_stride(shape.rows, kMovingPanel);
    for (std::size_t m = 0; m < shape.columns; m += kWeightPanel) {
      const std::size_t height = std::min(kWeightPanel, shape.columns - m);
      const Block b{weights + m / kWeightPanel * panel_stride(shape.weight_rows, kWeightPanel),
                    panel,
                    shape.rows,
                    dst + static_cast<std::ptrdiff_t>(m) * dst_stride + static_cast<std::ptrdiff_t>(n),
                    dst_stride,
                    accumulate};
      if (width == kMovingPanel) {
        kBlocks[height - 1](b);
      } else {
        edge_block(b, height, width);
      }
    }
  }
}

}  // namespace tahoma::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tahoma::isa {

HWY_EXPORT(multiply);

void matmul_panels(const MatmulShape& shape, const float* weights, const float* moving, float* dst,
                   std::ptrdiff_t dst_stride, bool accumulate) {
  HWY_DYNAMIC_DISPATCH(multiply)(shape, weights, moving, dst, dst_stride, accumulate);
}

}  // namespace tahoma::isa
#endif
