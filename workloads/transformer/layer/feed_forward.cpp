// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/layer/feed_forward.h"

namespace tahoma::workloads {

using runtime::HbmView;

namespace {

// The physical cores have written their columns of a tensor.
void synchronise_columns(Replica& replica, const FeedForwardOf& of, HbmView FeedForwardViews::*which) {
  for (std::size_t r = 0; r < replica.ranks(); ++r) {
    if (of(r, 0).hidden.rows == 0) continue;
    replica.synchronise(r, [&](std::size_t writer, std::size_t viewer) {
      return std::vector<HbmView>{replica.core_columns(of(r, viewer).*which, writer)};
    });
  }
}

std::optional<HbmView> bias_of_core(const Replica& replica, std::optional<HbmView> bias, std::size_t h) {
  if (bias) bias = replica.core_columns(*bias, h);
  return bias;
}

// Calls body(part, views, physical core) if there are rows.
template <class Body>
void each(Replica& replica, const ModelShape& model, const char* region, const FeedForwardOf& of,
          const Body& body) {
  replica.each(region, [&](std::size_t r, std::size_t h) {
    const FeedForwardViews views = of(r, h);
    if (views.hidden.rows > 0) body(LayerPart{replica.kernel(r, h), replica.machine(), model}, views, h);
  });
}

}  // namespace

void emit_widen(Replica& replica, const ModelShape& model, const FeedForwardOf& of) {
  each(replica, model, "gate and up", of,
       [&](const LayerPart& part, const FeedForwardViews& v, std::size_t h) {
         part.product(v.normed, replica.core_columns(v.gate_up_weights, h),
                      replica.core_columns(model.gated ? v.gate_up : v.hidden, h),
                      bias_of_core(replica, v.gate_up_bias, h), !model.gated);
       });
  if (!model.gated) return synchronise_columns(replica, of, &FeedForwardViews::hidden);
  each(replica, model, "activation", of,
       [&](const LayerPart& part, const FeedForwardViews& v, std::size_t h) {
         const HbmView both = replica.core_columns(v.gate_up, h);
         const std::uint64_t columns = both.columns / 2;
         part.gated(both.window(0, 0, both.rows, columns), both.window(0, columns, both.rows, columns),
                    replica.core_columns(v.hidden, h));
       });
  synchronise_columns(replica, of, &FeedForwardViews::hidden);
}

void emit_narrow(Replica& replica, const ModelShape& model, const FeedForwardOf& of) {
  each(replica, model, "down", of, [&](const LayerPart& part, const FeedForwardViews& v, std::size_t h) {
    part.product(v.hidden, replica.core_columns(v.down_weights, h), replica.core_columns(v.partial, h),
                 bias_of_core(replica, v.down_bias, h));
  });
  synchronise_columns(replica, of, &FeedForwardViews::partial);
}

}  // namespace tahoma::workloads
