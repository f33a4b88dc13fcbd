// SPDX-License-Identifier: Apache-2.0
#include "model/engine/pipeline/pipeline.h"

namespace tahoma::model {

std::unique_ptr<Pipeline> make_pipeline(base::EngineKind kind, const CoreParams& p, TensorArray* array) {
  if (kind == base::EngineKind::kTensor) return make_tensor_pipeline(p.tensor, array);
  if (kind == base::EngineKind::kSync || kind == base::EngineKind::kCollective) return nullptr;
  return make_lane_pipeline(kind, p);
}

}  // namespace tahoma::model
