// SPDX-License-Identifier: Apache-2.0
// The residual stream of a decoding step at the boundaries of a stage.
#include <algorithm>

#include "workloads/transformer/layer/decode_step.h"

namespace tahoma::workloads {

using namespace runtime::collective;
using runtime::HbmView;

namespace {}  // namespace

DecodeStep::Run DecodeStep::run_of(std::size_t rank, std::size_t physical_core) const {
  const auto [first, count] = reduced_rows(physical_core);
  const std::uint64_t hidden = params_.model.hidden, elements = count * hidden / replica_.ranks();
  if (elements == 0) return {};
  const std::uint64_t columns = std::min(elements, hidden), at = rank * elements;
  return {first + at / hidden, at % hidden, elements / columns, columns};
}

// The stream of one more microbatch. The rows that were handed over are collected in one tensor, of which
// both physical cores read all.
void DecodeStep::place_stream(std::size_t r) {
  Rank& rank = ranks_[r];
  const std::uint64_t hidden = params_.model.hidden;
  std::vector<Matrix>&in = rank.in.emplace_back(), &out = rank.out.emplace_back(),
  &came = rank.came.emplace_back();
  if (station_.before != nullptr)
    in.assign(replica_.physical_cores(), replica_.shared(r, "in", kModelDType, rows(), hidden));
  for (std::size_t h = 0; h < replica_.physical_cores(); ++h) {
    const Run run = run_of(r, h);
    if (station_.before == nullptr) {
      in.push_back(replica_.own(r, h, "in", kModelDType, rows(), hidden));
      replica_.declare_input(in.back().tensor);
    } else if (run.rows > 0 && replica_.ranks() == 1) {
      station_.before->expect(r, h, in[h], rows_of(in[h].of(h), run.row, run.rows));
    } else if (run.rows > 0) {
      came.resize(h + 1);
      came[h] = replica_.own(r, h, "handed over", kModelDType, run.rows, run.columns);
      station_.before->expect(r, h, came[h], came[h].of(h));
    }
    const bool whole = station_.behind == nullptr;
    if (whole || run.rows > 0)
      out.push_back(
          replica_.own(r, h, "out", kModelDType, whole ? rows() : run.rows, whole ? hidden : run.columns));
  }
}

void DecodeStep::begin(std::size_t microbatch) {
  microbatch_ = microbatch;
  layers_.clear();
  if (station_.before == nullptr) return;
  replica_.each("hand-over", [&](std::size_t r, std::size_t h) {
    if (run_of(r, h).rows > 0) station_.before->receive(r, h);
  });
  put_together();
}

void DecodeStep::put_together() {
  for (std::size_t h = 0; h < replica_.physical_cores() && replica_.ranks() > 1; ++h) {
    const auto [first, count] = reduced_rows(h);
    if (count == 0) continue;
    Ends ends;
    for (std::size_t r = 0; r < replica_.ranks(); ++r) {
      const Run run = run_of(r, h);
      ends.input.push_back(end_of(ranks_[r].came[microbatch_][h], h, 0, run.rows, 1));
      ends.output.push_back(end_of(ranks_[r].in[microbatch_][h], h, first, count, 1));
      ends.output.back().places = replica_.ranks();
    }
    Communicator& communicator = replica_.communicator(h);
    Placed placed = communicator.plan(Operation::kAllGather, kModelDType, count * params_.model.hidden,
                                      params_.algorithm);
    communicator.add(placed, ends);
    keep("hand-over all_gather", h, std::move(placed));
  }
  for (std::size_t r = 0; r < replica_.ranks(); ++r)
    replica_.meet(r, [&](std::size_t writer, std::size_t viewer) {
      const auto [first, count] = reduced_rows(writer);
      if (count == 0) return std::vector<HbmView>{};
      return std::vector<HbmView>{rows_of(ranks_[r].in[microbatch_][viewer].of(viewer), first, count)};
    });
}

void DecodeStep::end(std::size_t microbatch) {
  replica_.each("residual", [&](std::size_t r, std::size_t h) {
    const HbmView middle = all_rows(layers_[r].core_tensors[h].middle, h),
                  sum = all_rows(layers_[r].sum_mlp, h);
    if (station_.behind == nullptr) return part(r, h).add(middle, sum, ranks_[r].out[microbatch][h].of(h));
    const Run run = run_of(r, h);
    const auto own = [&](const HbmView& view) {
      return view.window(run.row, run.column, run.rows, run.columns);
    };
    if (run.rows > 0) part(r, h).add(own(middle), own(sum), ranks_[r].out[microbatch][h].of(h));
  });
  finish(microbatch, [&](std::size_t r, std::size_t h) {
    return run_of(r, h).rows > 0 ? ranks_[r].out[microbatch][h].of(h) : HbmView{};
  });
}

}  // namespace tahoma::workloads
