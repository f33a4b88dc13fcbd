// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/prefill/last_tokens.h"

#include <algorithm>

namespace tahoma::workloads {

using namespace runtime::collective;
using runtime::HbmView;

LastTokens::LastTokens(Replica& replica, const TransformerParams& params, const RowSharding& rows,
                       std::uint64_t tokens)
    : replica_(replica),
      params_(params),
      rows_(rows),
      tokens_(tokens),
      per_rank_(std::max<std::uint64_t>(1, rows.run / tokens)) {
  for (std::size_t s = 0; s < rows.slices; ++s)
    for (std::size_t h = 0; h < rows.physical_cores; ++h) {
      const std::uint64_t first = rows.first_of_block(s, h), end = first + rows.block();
      // A sequence's last row, behind which padding follows, is in the block.
      if ((end + params.padding) / tokens > (first + params.padding) / tokens)
        blocks_.push_back({s, h, blocks_.size()});
    }
  const std::uint64_t hidden = params.model.hidden;
  for (std::size_t r = 0; r < replica.ranks(); ++r) {
    OfRank& rank = ranks_.emplace_back();
    rank.gathered = replica.shared(r, "last_rows", kModelDType, blocks_.size() * gathered_rows(), hidden);
    for (const Block& block : blocks_)
      rank.own.push_back(rows.ranks == 1 ? rank.gathered
                                         : replica.own(r, block.physical_core, "own_last_rows", kModelDType,
                                                       per_rank_, hidden));
    for (std::size_t h = 0; h < replica.physical_cores(); ++h)
      rank.rows.push_back(replica.own(r, h, "last_tokens", kModelDType, params.sequences(), hidden));
  }
}

HbmView LastTokens::rows(std::size_t r, std::size_t h) const { return ranks_[r].rows[h].of(h); }

void LastTokens::contribute(const Block& block, const StreamOf& stream) {
  const std::size_t h = block.physical_core;
  const std::uint64_t first = rows_.ranks == 1 ? first_row(block) : 0,
                      step = rows_.run / per_rank_;  // rows of the run between two that are contributed
  for (std::size_t r = 0; r < replica_.ranks(); ++r) {
    const Stream of_core = stream(r, h, block.slice);
    const LayerPart part{replica_.kernel(r, h), replica_.machine(), params_.model};
    for (std::uint64_t i = 0; i < per_rank_; ++i) {
      const std::uint64_t row = (i + 1) * step - 1 - params_.padding % step;
      part.add(rows_of(of_core.middle, row, 1), rows_of(of_core.sum, row, 1),
               rows_of(ranks_[r].own[block.number].of(h), first + i, 1));
    }
  }
}

void LastTokens::gather(const Block& block, const Keep& keep) {
  if (rows_.ranks == 1) return;
  const std::size_t h = block.physical_core;
  Ends ends;
  for (const OfRank& rank : ranks_) {
    ends.input.push_back(end_of(rank.own[block.number], h, 0, per_rank_, 1));
    ends.output.push_back(end_of(rank.gathered, h, first_row(block), per_rank_, rows_.ranks));
  }
  Communicator& communicator = replica_.communicator(h);
  PlannedCollective planned = communicator.plan(Operation::kAllGather, kModelDType,
                                                gathered_rows() * params_.model.hidden, params_.algorithm);
  communicator.add(planned, ends);
  keep(h, std::move(planned));
}

void LastTokens::copy_rows() {
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    replica_.synchronise(r, [&](std::size_t writer, std::size_t viewer) {
      std::vector<HbmView> written;
      for (const Block& block : blocks_)
        if (block.physical_core == writer)
          written.push_back(rows_of(ranks_[r].gathered.of(viewer), first_row(block), gathered_rows()));
      return written;
    });
  replica_.each("last rows", [&](std::size_t r, std::size_t h) {
    for (std::uint64_t s = 0; s < params_.sequences(); ++s) {
      const std::uint64_t row = last_row(s);
      const auto block = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& one) {
        return row / rows_.block() == rows_.first_of_block(one.slice, one.physical_core) / rows_.block();
      });
      const std::uint64_t in_block = row % rows_.block(), at = first_row(*block) +
                                                               in_block / rows_.run * per_rank_ +
                                                               in_block % rows_.run / (rows_.run / per_rank_);
      replica_.kernel(r, h).move(rows_of(rows(r, h), s, 1), rows_of(ranks_[r].gathered.of(h), at, 1),
                                 isa::Queue::kGpSimd);
    }
  });
}

void LastTokens::emit(const StreamOf& stream, const Keep& keep) {
  replica_.region("last rows");
  for (const Block& block : blocks_) {
    contribute(block, stream);
    gather(block, keep);
  }
  copy_rows();
}

}  // namespace tahoma::workloads
