// SPDX-License-Identifier: Apache-2.0
// RMS norms over features that physical cores or ranks share: of all heads of queries, and of keys; and of
// the outputs of Mamba-2.
#include <algorithm>

#include "runtime/collective/lowering/strips.h"
#include "workloads/transformer/layer/products.h"

namespace tahoma::workloads {

using namespace runtime::collective;
using runtime::HbmView, runtime::Part;

namespace {

constexpr isa::DType kSquares = isa::DType::kFp32;

// Sums of squares of a physical core's rows on all ranks, [padded rows, vectors], and those over the ranks.
// Rows are padded to whole chunks.
struct Squares {
  std::vector<Matrix> of_rank, of_all;

  Squares(Replica& replica, std::size_t h, std::uint64_t rows, std::uint64_t vectors, Algorithm algorithm,
          const KeepCollective& keep)
      : replica_(replica), core_(h), vectors_(vectors), algorithm_(algorithm), keep_(keep) {
    const std::uint64_t access = aligned(1, kSquares),
                        piece = (access % vectors == 0 ? access / vectors : access) * replica.ranks();
    padded_ = (rows + piece - 1) / piece * piece;
    for (std::size_t r = 0; r < replica.ranks(); ++r) {
      of_rank.push_back(replica.own(r, h, "squares", kSquares, padded_, vectors));
      replica.declare_input(of_rank.back().tensor);  // rows that are added up, but not used
      of_all.push_back(replica.ranks() == 1 ? of_rank.back()
                                            : replica.own(r, h, "all_squares", kSquares, padded_, vectors));
    }
  }

  void add_up() {
    if (replica_.ranks() == 1) return;
    Communicator& communicator = replica_.communicator(core_);
    PlannedCollective planned =
        communicator.plan(Operation::kAllReduce, kSquares, padded_ * vectors_, algorithm_);
    Ends ends;
    for (std::size_t r = 0; r < replica_.ranks(); ++r) {
      ends.input.push_back(end(of_rank[r], planned.chunks));
      ends.output.push_back(end(of_all[r], planned.chunks));
    }
    communicator.add(planned, ends);
    keep_(core_, std::move(planned));
  }

 private:
  End end(const Matrix& matrix, std::uint64_t chunks) const {
    End one{matrix.of(core_), 0, chunks};
    one.address = matrix.tensor.address + one.window.offset;
    return one;
  }

  Replica& replica_;
  std::size_t core_;
  std::uint64_t vectors_;
  Algorithm algorithm_;
  const KeepCollective& keep_;
  std::uint64_t padded_ = 0;
};

}  // namespace

void normalise_jointly(const Products& products, const RowsOfCore& rows_of_core, Algorithm algorithm,
                       const KeepCollective& keep) {
  Replica& replica = products.replica;
  const RankShare& share = products.share;
  const std::uint64_t d = products.model.head_dim, both = share.heads + share.kv_heads;
  const auto part = [&](std::size_t rank, std::size_t core) {
    return LayerPart{replica.kernel(rank, core), replica.machine(), products.model};
  };
  replica.region("qk norm");
  for (std::size_t r = 0; r < replica.ranks(); ++r)
    replica.synchronise(r, [&](std::size_t writer, std::size_t viewer) {
      const auto [first, count] = share.units_of(writer);
      if (count == 0) return std::vector<HbmView>{};
      const HbmView rows =
          rows_of(products.tensors(r).qkv.of(viewer), products.rows.first, products.rows.count);
      return std::vector<HbmView>{heads_of(rows, first, count, d)};
    });
  const auto heads = [&](std::size_t r, std::size_t h, std::uint64_t first, std::uint64_t count) {
    const Part own = rows_of_core(h);
    return heads_of(rows_of(products.tensors(r).qkv.of(h), own.first, own.count), first, count, d);
  };
  for (std::size_t h = 0; h < replica.physical_cores(); ++h) {
    const std::uint64_t count = rows_of_core(h).count;
    if (count == 0) continue;
    Squares squares(replica, h, count, 2, algorithm, keep);  // of queries and keys
    const auto sums = [&](const Matrix& matrix, std::uint64_t vector) {
      return matrix.of(h).window(0, vector, count, 1);
    };
    for (std::size_t r = 0; r < replica.ranks(); ++r) {
      part(r, h).squares(heads(r, h, 0, share.heads), sums(squares.of_rank[r], 0));
      part(r, h).squares(heads(r, h, share.heads, share.kv_heads), sums(squares.of_rank[r], 1));
    }
    squares.add_up();
    // Ranks that have the same heads have added their squares several times.
    for (std::size_t r = 0; r < replica.ranks(); ++r) {
      const HbmView q = heads(r, h, 0, share.heads), k = heads(r, h, share.heads, share.kv_heads);
      const std::uint64_t ranks = replica.ranks();
      part(r, h).norm_by(q, sums(squares.of_all[r], 0), ranks * share.heads * d,
                         products.weights(r).joint_q_norm.of(h));
      part(r, h).norm_by(k, sums(squares.of_all[r], 1), ranks * share.kv_heads * d,
                         products.weights(r).joint_k_norm.of(h));
    }
  }
  for (std::size_t r = 0; r < replica.ranks(); ++r)
    replica.synchronise(r, [&](std::size_t writer, std::size_t viewer) {
      const Part own = rows_of_core(writer);
      if (own.count == 0) return std::vector<HbmView>{};
      return std::vector<HbmView>{
          heads_of(rows_of(products.tensors(r).qkv.of(viewer), own.first, own.count), 0, both, d)};
    });
}

void normalise_groups(const Products& products, const RowsOfCore& rows_of_core, Algorithm algorithm,
                      const KeepCollective& keep) {
  Replica& replica = products.replica;
  const DeltaRule& d = products.model.delta;
  const std::uint64_t of_rank = d.values() / replica.ranks(), group = d.values() / d.key_heads,
                      columns = std::min(of_rank, group);
  const bool shared = group > of_rank;  // by several ranks
  const auto outputs = [&](std::size_t r, std::size_t h, std::uint64_t number) {
    const Part own = rows_of_core(h);
    return products.tensors(r).o.of(h).window(own.first, number * columns, own.count, columns);
  };
  const auto vector = [&](std::size_t r, std::uint64_t number) {
    return shared ? r * of_rank / group : number;
  };
  replica.region("group norm");
  for (std::size_t h = 0; h < replica.physical_cores(); ++h) {
    const std::uint64_t count = rows_of_core(h).count;
    if (count == 0) continue;
    Squares squares(replica, h, count, shared ? d.key_heads : of_rank / columns, algorithm, keep);
    const auto each = [&](const auto& body) {
      for (std::size_t r = 0; r < replica.ranks(); ++r)
        for (std::uint64_t n = 0; n < of_rank / columns; ++n)
          body(LayerPart{replica.kernel(r, h), replica.machine(), products.model}, r, n);
    };
    each([&](const LayerPart& part, std::size_t r, std::uint64_t n) {
      part.squares(outputs(r, h, n), squares.of_rank[r].of(h).window(0, vector(r, n), count, 1));
    });
    if (shared) squares.add_up();
    each([&](const LayerPart& part, std::size_t r, std::uint64_t n) {
      const Matrix& sums = shared ? squares.of_all[r] : squares.of_rank[r];
      part.norm_by(outputs(r, h, n), sums.of(h).window(0, vector(r, n), count, 1), group,
                   products.weights(r).delta_gain.of(h).window(0, n * columns, 1, columns));
    });
  }
  for (std::size_t r = 0; r < replica.ranks(); ++r)
    replica.synchronise(r, [&](std::size_t writer, std::size_t viewer) {
      const Part own = rows_of_core(writer);
      if (own.count == 0) return std::vector<HbmView>{};
      return std::vector<HbmView>{products.tensors(r).o.of(viewer).window(own.first, 0, own.count, of_rank)};
    });
}

}  // namespace tahoma::workloads
