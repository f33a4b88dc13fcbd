// SPDX-License-Identifier: Apache-2.0
// Attention of groups that share the caches of sequences: a part of each cache, and the merge of the results.
#include "runtime/collective/lowering/strips.h"
#include "workloads/transformer/layer/decode_step.h"

namespace tahoma::workloads {

using namespace runtime::collective;
using runtime::HbmView;

// Rows of `part` belong to the physical core's sequences. `lse` is a row of whole accesses, of which some
// elements may be unused.
void DecodeStep::allocate_parts(std::size_t r, Layer& layer) {
  constexpr isa::DType kDType = TransformerParams::kDType, kWide = isa::DType::kFp32;
  const std::uint64_t groups = params_.parallel.sequence, columns = share_.heads * params_.model.head_dim;
  for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
    const std::uint64_t count = sequences_of(r, h).count, sums = aligned(share_.heads * count, kWide);
    if (count == 0) continue;
    Layer::CoreTensors& tensors = layer.core_tensors[h];
    tensors.part = replica_.own(r, h, "part", kDType, count, columns);
    tensors.lse = replica_.own(r, h, "lse", kWide, 1, sums);
    replica_.declare_input(tensors.lse.tensor);
    tensors.parts = replica_.own(r, h, "parts", kDType, groups * count, columns);
    tensors.lses = replica_.own(r, h, "lses", kWide, groups, sums);
  }
}

// [heads, sequences]
HbmView DecodeStep::lse_of(const Layer::CoreTensors& tensors, std::size_t h) const {
  HbmView view = tensors.lse.of(h);
  view.rows = share_.heads;
  view.columns = tensors.part.of(h).rows;
  view.row_stride = static_cast<std::int64_t>(view.columns);
  return view;
}

std::vector<PhasePrograms::Share> DecodeStep::shares() const {
  std::vector<Share> shares;
  const std::uint64_t groups = params_.parallel.sequence;
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
      const std::uint64_t count = sequences_of(r, h).count;
      if (count == 0) continue;
      const Layer::CoreTensors& tensors = layers_[r].core_tensors[h];
      shares.push_back({"attention", 0, r, h, end_of(tensors.part, h, 0, count, 1),
                        end_of(tensors.parts, h, 0, count, groups)});
      shares.push_back(
          {"log-sums", 0, r, h, end_of(tensors.lse, h, 0, 1, 1), end_of(tensors.lses, h, 0, 1, groups)});
    }
  return shares;
}

void DecodeStep::merge() {
  replica_.each("merge", [&](std::size_t r, std::size_t h) {
    const runtime::Part own = sequences_of(r, h);
    if (own.count == 0) return;
    const Layer::CoreTensors& tensors = layers_[r].core_tensors[h];
    part(r, h).merge(params_.parallel.sequence, share_.heads, tensors.parts.of(h), tensors.lses.of(h),
                     rows_of(layers_[r].o.of(h), own.first, own.count));
  });
}

}  // namespace tahoma::workloads
