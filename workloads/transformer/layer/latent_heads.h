// SPDX-License-Identifier: Apache-2.0
// The products of multi-head latent attention before and behind attention itself, on some rows of a layer's
// tensors. Each physical core computes half of the columns of the latent vectors, half of the rows of their
// norms, and half of the heads.
#pragma once

#include "workloads/transformer/layer/products.h"

namespace tahoma::workloads {

class LatentHeads {
 public:
  explicit LatentHeads(const Products& products) : products_(products), latent_(products.model.latent) {}

  // Rotates heads of `rope` features in these rows, of those of the products.
  using Rotate = std::function<void(std::size_t rank, std::size_t physical_core,
                                    const runtime::HbmView& heads, const runtime::Part& rows)>;
  // Queries and keys; in a prefill also values, in a decoding step queries of the latent vectors. The
  // physical cores then synchronise.
  void make(const Products::Input& normed, const Rotate& rotate) const;
  // In a decoding step: outputs of the heads from the sums of latent vectors. The physical cores then
  // synchronise.
  void expand() const;

 private:
  using Which = Matrix LatentTensors::*;
  Replica& replica() const { return products_.replica; }
  LayerPart part(std::size_t r, std::size_t h) const {
    return {replica().kernel(r, h), replica().machine(), products_.model};
  }
  runtime::Part heads(std::size_t physical_core) const {
    return runtime::part_of(products_.share.heads, replica().physical_cores(), physical_core);
  }
  runtime::HbmView rows(const Matrix& matrix, std::size_t h) const {
    return rows_of(matrix.of(h), products_.rows.first, products_.rows.count);
  }
  // Columns of the tensor's heads.
  runtime::HbmView of_heads(std::size_t r, std::size_t h, Which which, const runtime::Part& heads,
                            std::uint64_t features) const {
    return heads_of(rows(products_.tensors(r).latent.*which, h), heads.first, heads.count, features);
  }
  void make_latents(const Products::Input& normed, const Rotate& rotate) const;
  void synchronise(const std::function<std::vector<runtime::HbmView>(std::size_t rank, std::size_t writer,
                                                                     std::size_t viewer)>& written) const;

  Products products_;
  LatentShape latent_;
};

}  // namespace tahoma::workloads
