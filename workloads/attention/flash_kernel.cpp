// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/flash_kernel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <optional>
#include <vector>

#include "workloads/attention/flash_memory.h"
#include "workloads/attention/flash_schedule.h"

namespace tahoma::workloads {

namespace {

using isa::ActFn, isa::AluOp, isa::Queue;
using runtime::Kernel, runtime::TileView;

// Far below any score yet finite, so that no infinity meets another: exp makes it 0 whatever the maximum is.
constexpr float kHidden = -1e30F;

// The parts [first, first + count) of `total` in steps of at most `step`.
struct Part {
  unsigned first, count;
};
std::vector<Part> parts_of(unsigned total, unsigned step) {
  std::vector<Part> parts;
  for (unsigned first = 0; first < total; first += step)
    parts.push_back({first, std::min(step, total - first)});
  return parts;
}

// What a tile of queries carries from block to block.
struct TileState {
  std::vector<TileView> q;              // [part of d, rows]
  std::optional<TileView> negated_top;  // -scale * running maximum, [rows, 1]
  std::optional<TileView> sum, output;  // running sum [rows, 1]; output, not yet divided by it [rows, d]
};

// A step on its way through the stages.
struct Work {
  FlashStep step;
  TileState* tile = nullptr;
  FlashBlock block;
  TileView scores, top, probabilities;  // [rows, keys], [rows, 1], [rows, keys] in dtype
  std::optional<TileView> old_top, sum,
      correction;                    // not in a tile's first step; exp(old maximum - new maximum)
  std::vector<TileView> transposed;  // per chunk of keys: [keys, rows]
  TileView product;                  // probabilities times values [rows, d]
};

class FlashBuilder {
 public:
  FlashBuilder(const FlashShape& shape, const model::MachineParams& machine)
      : shape_(shape),
        tiling_(tiling_of(machine, shape.dtype)),
        kernel_("flash_attention", machine),
        memory_(kernel_, shape, tiling_, machine),
        scale_(static_cast<float>(1 / std::sqrt(static_cast<double>(shape.d)))) {}

  // A software pipeline: a step passes one stage in each round, so that every engine finds its operands made
  // in earlier rounds and none waits for the long way round through the others. Within a round the transposes
  // go first, because only they are wanted in the same round, by the scalar engine.
  isa::Program build() {
    const std::vector<FlashStep> steps = flash_steps(shape_, tiling_);
    const auto at_stage = [&](std::size_t round, unsigned stage, void (FlashBuilder::*emit)(Work&)) {
      if (round >= stage && round - stage < steps.size())
        (this->*emit)(work_[(round - stage) % work_.size()]);
    };
    for (std::size_t round = 0; round < steps.size() + kFlashDepth; ++round) {
      at_stage(round, 5, &FlashBuilder::accumulate);
      at_stage(round, 2, &FlashBuilder::exponentiate);
      at_stage(round, 3, &FlashBuilder::transpose);
      if (round < steps.size()) start(steps[round]);
      at_stage(round, 4, &FlashBuilder::multiply_values);
      at_stage(round, 1, &FlashBuilder::find_top);
    }
    return kernel_.finish();
  }

 private:
  // Stage 0: the scores, q k^T.
  void start(const FlashStep& step) {
    if (step.first) tiles_.push_back({memory_.load_queries(step), {}, {}, {}});
    if (tiles_.size() > kFlashDepth + 2) tiles_.pop_front();
    Work& work = work_[started_++ % work_.size()];
    work = Work{};
    work.step = step;
    work.tile = &tiles_.back();
    work.block = memory_.block(step);
    work.scores = masked(step, multiply_scores(*work.tile, work.block, step));
  }

  TileView multiply_scores(const TileState& tile, const FlashBlock& block, const FlashStep& step) {
    const TileView scores = memory_.take_scores(step);
    for (std::size_t part = 0; part < tile.q.size(); ++part)
      kernel_.matmul(scores, tile.q[part], block.k[part].columns(0, step.keys), part > 0);
    return scores;
  }

  // GpSimd cannot reach PSUM, so the scores of a block on the diagonal move to SBUF to be masked.
  TileView masked(const FlashStep& step, const TileView& scores) {
    if (!step.masked) return scores;
    const TileView copy = memory_.take_masked(step);
    kernel_.copy(copy, scores, Queue::kScalar);
    kernel_.affine_select(copy, copy, step.diagonal, 1, -1, isa::CompareOp::kGe, kHidden);
    return copy;
  }

  // Stage 1: the running maximum, kept negated and scaled as the exponential's bias wants it:
  // min(-scale * maximum of the block, old).
  void find_top(Work& work) {
    const unsigned rows = work.step.rows;
    const TileView top = memory_.take_column(rows);
    work.top = memory_.take_top(rows);
    work.old_top = work.tile->negated_top;
    kernel_.reduce(top, work.scores, AluOp::kMax);
    if (work.old_top)
      kernel_.tensor_scalar(work.top, top, AluOp::kMult, {-scale_, nullptr}, AluOp::kMin,
                            {0, &*work.old_top});
    else
      kernel_.tensor_scalar(work.top, top, AluOp::kMult, {-scale_, nullptr});
    work.tile->negated_top = work.top;
  }

  // Stage 2: probabilities up to their common divisor, and their sum.
  void exponentiate(Work& work) {
    const TileView sum = memory_.take_sum(work.step.rows, work.step.first);
    work.probabilities = memory_.take_probabilities(work.step);
    kernel_.activation_reduce(work.probabilities, sum, work.scores, ActFn::kExp, {scale_, nullptr},
                              {0, &work.top});
    if (work.step.first) {
      work.tile->sum = sum;
      return;
    }
    work.sum = sum;
    work.correction = memory_.take_correction(work.step.rows);
    kernel_.activation(*work.correction, *work.old_top, ActFn::kExp, {-1, nullptr}, {0, &work.top});
  }

  // Stage 3: the contraction with v runs over keys, so keys have to lie on partitions: [rows, keys] -> [keys,
  // rows].
  void transpose(Work& work) {
    const std::vector<Part> chunks = parts_of(work.step.keys, tiling_.chunk);
    for (std::size_t begin = 0; begin < chunks.size(); begin += tiling_.bank_chunks) {
      const auto first = chunks.begin() + static_cast<std::ptrdiff_t>(begin);
      const std::size_t count = std::min<std::size_t>(tiling_.bank_chunks, chunks.size() - begin);
      transpose_bank(work, {first, first + static_cast<std::ptrdiff_t>(count)});
    }
  }

  void transpose_bank(Work& work, const std::vector<Part>& chunks) {
    const unsigned rows = work.step.rows, columns = static_cast<unsigned>(chunks.size()) * rows;
    const TileView in_psum = memory_.take_transposed_psum(chunks.front().count, columns);
    const TileView in_sbuf = memory_.take_transposed(chunks.front().count, columns);
    const auto place = [&](const TileView& all, unsigned c) {
      return all.partitions(0, chunks[c].count).columns(c * rows, rows);
    };
    unsigned whole = 0;  // chunks as long as the first: they are copied together, a shorter last one apart
    for (unsigned c = 0; c < chunks.size(); ++c) {
      kernel_.transpose(place(in_psum, c), work.probabilities.columns(chunks[c].first, chunks[c].count),
                        memory_.identity(rows));
      work.transposed.push_back(place(in_sbuf, c));
      if (chunks[c].count == chunks.front().count) ++whole;
    }
    kernel_.copy(in_sbuf.columns(0, whole * rows), in_psum.columns(0, whole * rows), Queue::kScalar);
    if (whole < chunks.size()) kernel_.copy(place(in_sbuf, whole), place(in_psum, whole), Queue::kScalar);
  }

  // Stage 4: probabilities times values.
  void multiply_values(Work& work) {
    work.product = memory_.take_product(work.step.rows);
    for (std::size_t c = 0; c < work.transposed.size(); ++c) {
      const TileView values = work.block.v[c].partitions(0, work.transposed[c].shape.partitions);
      for (const Part& part : parts_of(static_cast<unsigned>(shape_.d), tiling_.d_columns))
        kernel_.matmul(work.product.columns(part.first, part.count), work.transposed[c],
                       values.columns(part.first, part.count), c > 0);
    }
  }

  // Stage 5: added to the tile's output; the last block's tile is divided by its sum and stored.
  void accumulate(Work& work) {
    TileState& tile = *work.tile;
    if (work.step.first && work.step.last) return finish_tile(work, work.product);
    if (work.step.first) {
      tile.output = memory_.take_output(work.step.rows);
      kernel_.copy(*tile.output, work.product);
      return;
    }
    kernel_.tensor_scalar(*tile.sum, *tile.sum, AluOp::kMult, {0, &*work.correction}, AluOp::kAdd,
                          {0, &*work.sum});
    // On GpSimd, which is otherwise idle: the vector engine, which alone can add from PSUM, has enough to do.
    kernel_.tensor_scalar(*tile.output, *tile.output, AluOp::kMult, {0, &*work.correction}, AluOp::kBypass,
                          {}, Queue::kGpSimd);
    kernel_.tensor_tensor(*tile.output, *tile.output, work.product, AluOp::kAdd);
    if (work.step.last) finish_tile(work, *tile.output);
  }

  void finish_tile(const Work& work, const TileView& numerator) {
    const TileView inverse = memory_.take_column(work.step.rows),
                   result = memory_.take_result(work.step.rows);
    kernel_.reciprocal(inverse, *work.tile->sum);
    kernel_.tensor_scalar(result, numerator, AluOp::kMult, {0, &inverse});
    memory_.store(work.step, result);
  }

  FlashShape shape_;
  FlashTiling tiling_;
  Kernel kernel_;
  FlashMemory memory_;
  float scale_;
  std::array<Work, kFlashDepth + 1> work_;
  std::size_t started_ = 0;
  // Pointers into it stay valid, because it only grows at the end and shrinks at the front.
  std::deque<TileState> tiles_;
};

}  // namespace

FlashTiling tiling_of(const model::MachineParams& machine, isa::DType dtype) {
  const auto& tensor = machine.chip.core.tensor;
  const std::uint64_t partitions = machine.chip.core.sbuf.partitions;
  const std::uint64_t bank = machine.chip.core.psum.bank.count;
  const std::uint64_t bank_columns = std::min(tensor.moving_columns, bank / sizeof(float));
  const std::uint64_t chunk = std::min({tensor.rows, tensor.columns, partitions});
  FlashTiling tiling{};
  tiling.q_rows = static_cast<unsigned>(std::min(chunk, bank_columns));
  tiling.kv_block = static_cast<unsigned>(bank_columns);
  tiling.chunk = static_cast<unsigned>(chunk);
  tiling.d_rows = static_cast<unsigned>(std::min(tensor.rows, partitions));
  tiling.d_columns = static_cast<unsigned>(bank_columns);
  tiling.bank_chunks = static_cast<unsigned>(bank / (tiling.q_rows * isa::size_of(dtype)));
  return tiling;
}

isa::Program build_flash_kernel(const FlashShape& shape, const model::MachineParams& machine) {
  return FlashBuilder(shape, machine).build();
}

}  // namespace tahoma::workloads
