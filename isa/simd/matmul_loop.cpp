// SPDX-License-Identifier: Apache-2.0
#include "isa/simd/matmul_loop.h"

#include <algorithm>
#include <array>
#include <cstring>

// Only this kernel gains from AVX-512.
#define TAHOMA_SIMD_AVX512
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

// A vector holds one moving panel where the target has sixteen lanes.
using Vector = hn::CappedTag<float, kMovingPanel>;
inline constexpr std::size_t kVectorLanes = HWY_MIN(kMovingPanel, HWY_LANES(float));
inline constexpr std::size_t kVectors = kMovingPanel / kVectorLanes;
// The sums of one weight panel fill AVX2's registers. AVX-512 has registers for two panels, and needs them:
// six independent sums do not hide the latency of an addition.
inline constexpr std::size_t kBlockPanels = kVectors == 1 ? 2 : 1;
inline constexpr std::size_t kBlockColumns = kBlockPanels * kWeightPanel;

// One block of sums: `height` columns of kBlockPanels weight panels times one moving panel. dst rows hold
// kMovingPanel elements.
struct Block {
  const float* weights;
  const float* moving;
  const std::uint32_t* offsets;  // of sparse weights
  std::size_t rows;
  float* dst;
  std::ptrdiff_t dst_stride;
  bool accumulate;
};

HWY_INLINE void finish(const Block& b, std::ptrdiff_t m, std::size_t n, Floats<Vector> sum) {
  const Vector d;
  float* at = b.dst + m * b.dst_stride + static_cast<std::ptrdiff_t>(n);
  if (b.accumulate) sum = hn::Add(hn::LoadU(d, at), sum);
  hn::StoreU(one_nan(d, sum), d, at);
}

#if HWY_NATIVE_FMA

// In dense mode, all columns of the panel use the same moving elements; in sparse mode, each column uses its
// own.
template <bool sparse, std::size_t height>
void block(const Block& b) {
  const Vector d;
  Floats<Vector> sum[height][kVectors];
  for (std::size_t m = 0; m < height; ++m) {
    for (std::size_t v = 0; v < kVectors; ++v) sum[m][v] = hn::Zero(d);
    // rows are far apart; the sums take long enough to prefetch them
    hwy::Prefetch(b.dst + static_cast<std::ptrdiff_t>(m) * b.dst_stride);
  }
  const std::size_t second = panel_stride(b.rows, kWeightPanel);
  const float *w = b.weights, *x = b.moving;
  const std::uint32_t* offset = b.offsets;
  for (std::size_t k = 0; k < b.rows; ++k, w += kWeightPanel) {
    Floats<Vector> moving[kVectors];
    if constexpr (!sparse) {
      for (std::size_t v = 0; v < kVectors; ++v) moving[v] = hn::LoadU(d, x + v * kVectorLanes);
      x += kMovingPanel;
    }
    for (std::size_t m = 0; m < height; ++m) {
      const std::size_t at = m / kWeightPanel * second + m % kWeightPanel;
      const auto weight = hn::Set(d, w[at]);
      for (std::size_t v = 0; v < kVectors; ++v) {
        if constexpr (sparse) moving[v] = hn::LoadU(d, x + offset[at] + v * kVectorLanes);
        sum[m][v] = hn::MulAdd(weight, moving[v], sum[m][v]);
      }
    }
    if constexpr (sparse) offset += kWeightPanel;
  }
  for (std::size_t m = 0; m < height; ++m) {
    for (std::size_t v = 0; v < kVectors; ++v)
      finish(b, static_cast<std::ptrdiff_t>(m), v * kVectorLanes, sum[m][v]);
  }
}

#else

static_assert(kBlockPanels == 1);
// Without a fused instruction each product uses the library's fma, which rounds once on every host.
template <bool sparse, std::size_t height>
void block(const Block& b) {
  for (std::size_t m = 0; m < height; ++m) {
    HWY_ALIGN std::array<float, kMovingPanel> sum{};
    for (std::size_t k = 0; k < b.rows; ++k) {
      const std::size_t at = k * kWeightPanel + m;
      const float weight = b.weights[at];
      const float* x = b.moving + (sparse ? b.offsets[at] : k * kMovingPanel);
      for (std::size_t n = 0; n < kMovingPanel; ++n) sum[n] = std::fma(weight, x[n], sum[n]);
    }
    for (std::size_t n = 0; n < kMovingPanel; n += kVectorLanes)
      finish(b, static_cast<std::ptrdiff_t>(m), n, hn::LoadU(Vector(), sum.data() + n));
  }
}

#endif

using BlockFunction = void (*)(const Block&);
template <bool sparse, std::size_t... less>
constexpr std::array<BlockFunction, kBlockColumns> blocks(std::index_sequence<less...>) {
  return {block<sparse, less + 1>...};
}
template <bool sparse>
constexpr auto kBlocks = blocks<sparse>(std::make_index_sequence<kBlockColumns>());

// At the right edge the kernel works on a full-width copy, so it never accesses memory beyond dst's columns.
void edge_block(BlockFunction function, const Block& b, std::size_t height, std::size_t width) {
  HWY_ALIGN std::array<float, kBlockColumns * kMovingPanel> copy{};
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
    for (std::size_t m = 0; m < shape.columns; m += kBlockColumns) {
      const std::size_t height = std::min(kBlockColumns, shape.columns - m);
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
