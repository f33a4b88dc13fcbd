// SPDX-License-Identifier: Apache-2.0
#include "workloads/convolution/weights.h"

#include "workloads/convolution/weights_dma_transpose.h"
#include "workloads/convolution/weights_reload.h"
#include "workloads/convolution/weights_resident.h"

namespace tahoma::workloads {

std::unique_ptr<Weights> make_weights(WeightPath path, const ConvolutionParts& parts) {
  if (path == WeightPath::kReload) return std::make_unique<ReloadedWeights>(parts);
  if (path == WeightPath::kDmaTranspose) return std::make_unique<DmaTransposedWeights>(parts);
  return std::make_unique<ResidentWeights>(parts);
}

}  // namespace tahoma::workloads
