// SPDX-License-Identifier: Apache-2.0
#include "isa/simd/matmul_loop.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "isa/simd/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/simd/matmul_loop.cpp"
// Highway includes this file once per target, so the macro must be defined first.
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "isa/simd/simd_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tahoma::isa::HWY_NAMESPACE {

// One block of sums: `height` columns of a weight panel times one moving panel. dst rows hold kMovingPanel
// elements.
struct Block {
  const float* weights;
  const float* moving;
  const std::uint32_t* offsets;  // of sparse weights
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

// Dense: all columns of the panel use the same moving elements. Sparse: each column uses its own.
template <bool sparse, int height>
void block(const Block& b) {
  constexpr std::size_t kVectors = kMovingPanel / kLanes;
  const Wide d;
  Floats<Wide> sum[height][kVectors];
  for (int m = 0; m < height; ++m) {
    for (std::size_t v = 0; v < kVectors; ++v) sum[m][v] = hn::Zero(d);
    // rows are far apart; the sums take long enough to prefetch them
    hwy::Prefetch(b.dst + m * b.dst_stride);
  }
  const float *w = b.weights, *x = b.moving;
  const std::uint32_t* offset = b.offsets;
  for (std::size_t k = 0; k < b.rows; ++k, w += kWeightPanel) {
    Floats<Wide> moving[kVectors];
    if constexpr (!sparse) {
      for (std::size_t v = 0; v < kVectors; ++v) moving[v] = hn::LoadU(d, x + v * kLanes);
      x += kMovingPanel;
    }
    for (int m = 0; m < height; ++m) {
      const auto weight = hn::Set(d, w[m]);
      for (std::size_t v = 0; v < kVectors; ++v) {
        if constexpr (sparse) moving[v] = hn::LoadU(d, x + offset[m] + v * kLanes);
        sum[m][v] = hn::MulAdd(weight, moving[v], sum[m][v]);
      }
    }
    if constexpr (sparse) offset += kWeightPanel;
  }
  for (int m = 0; m < height; ++m) {
    for (std::size_t v = 0; v < kVectors; ++v) finish(b, m, v * kLanes, sum[m][v]);
  }
}

#else

// Without a fused instruction each product uses the library's fma, which rounds once on every host.
template <bool sparse, int height>
void block(const Block& b) {
  for (std::size_t m = 0; m < height; ++m) {
    HWY_ALIGN std::array<float, kMovingPanel> sum{};
    for (std::size_t k = 0; k < b.rows; ++k) {
      const float weight = b.weights[k * kWeightPanel + m];
      const float* x = b.moving + (sparse ? b.offsets[k * kWeightPanel + m] : k * kMovingPanel);
      for (std::size_t n = 0; n < kMovingPanel; ++n) sum[n] = std::fma(weight, x[n], sum[n]);
    }
    for (std::size_t n = 0; n < kMovingPanel; n += kLanes)
      finish(b, static_cast<std::ptrdiff_t>(m), n, hn::LoadU(Wide(), sum.data() + n));
  }
}

#endif

using BlockFunction = void (*)(const Block&);
template <bool sparse>
constexpr std::array<BlockFunction, kWeightPanel> kBlocks{block<sparse, 1>, block<sparse, 2>,
                                                          block<sparse, 3>, block<sparse, 4>,
                                                          block<sparse, 5>, block<sparse, 6>};

// At the right edge the kernel works on a full-width copy, so it never accesses memory beyond dst's columns.
void edge_block(BlockFunction function, const Block& b, std::size_t height, std::size_t width) {
  HWY_ALIGN std::array<float, kWeightPanel * kMovingPanel> copy{};
  Block inner = b;
  inner.dst = copy.data();
  inner.dst_stride = static_cast<std::ptrdiff_t>(kMovingPanel);
  for (std::size_t m = 0; m < height && b.accumulate; ++m) {
    const float* row = b.dst + static_cast<std::ptrdiff_t>(m) * b.dst_stride;
    std::copy_n(row, width, copy.data() + m * kMovingPanel);
  }
  function(inner);
  for (std::size_t m = 0; m < height; ++m) {
    std::copy_n(copy.data() + m * kMovingPanel, width, b.dst + static_cast<std::ptrdiff_t>(m) * b.dst_stride);
  }
}

// One moving panel (of each pass) stays in the L1 cache while the loop visits all weight panels.
template <bool sparse>
HWY_INLINE void multiply_blocks(const MatmulShape& shape, std::span<const Pass> passes,
                                const std::uint32_t* offsets, const MatmulTarget& target) {
  for (std::size_t n = 0; n < shape.moving; n += kMovingPanel) {
    const std::size_t width = std::min(kMovingPanel, shape.moving - n);
    const std::size_t moving_at = n / kMovingPanel * panel_stride(shape.moving_rows, kMovingPanel);
    for (std::size_t m = 0; m < shape.columns; m += kWeightPanel) {
      const std::size_t height = std::min(kWeightPanel, shape.columns - m);
      const std::size_t weights_at = m / kWeightPanel * panel_stride(shape.rows, kWeightPanel);
      const BlockFunction function = kBlocks<sparse>[height - 1];
      float* dst = target.first + static_cast<std::ptrdiff_t>(m) * target.stride + n;
      bool accumulate = target.accumulate;
      for (const Pass& pass : passes) {
        const Block b{pass.weights + weights_at,
                      pass.moving + moving_at,
                      offsets + (sparse ? weights_at : 0),
                      shape.rows,
                      dst,
                      target.stride,
                      accumulate};
        width == kMovingPanel ? function(b) : edge_block(function, b, height, width);
        accumulate = true;
      }
    }
  }
}

void multiply(const MatmulShape& shape, std::span<const Pass> passes, const MatmulTarget& target) {
  multiply_blocks<false>(shape, passes, nullptr, target);
}

void multiply_selected(const MatmulShape& shape, const Pass& pass, const std::uint32_t* offsets,
                       const MatmulTarget& target) {
  multiply_blocks<true>(shape, {&pass, 1}, offsets, target);
}

}  // namespace tahoma::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tahoma::isa {

HWY_EXPORT(multiply);
HWY_EXPORT(multiply_selected);

void matmul_panels(const MatmulShape& shape, std::span<const Pass> passes, const MatmulTarget& target) {
  HWY_DYNAMIC_DISPATCH(multiply)(shape, passes, target);
}

void matmul_selected(const MatmulShape& shape, const Pass& pass, const std::uint32_t* offsets,
                     const MatmulTarget& target) {
  HWY_DYNAMIC_DISPATCH(multiply_selected)(shape, pass, offsets, target);
}

}  // namespace tahoma::isa
#endif
