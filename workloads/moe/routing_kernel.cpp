// SPDX-License-Identifier: Apache-2.0
#include "workloads/moe/routing_kernel.h"

#include <algorithm>
#include <deque>
#include <vector>

#include "workloads/moe/routing_logits.h"

namespace tahoma::workloads {

using isa::ActFn, isa::AluOp, isa::DType, isa::Opcode, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

constexpr std::uint64_t kTokensTogether = RoutingLogits::kTokensTogether;
constexpr unsigned kFound = kFoundAtOnce;
// kTaken is below any logit but above absent ones and marks chosen experts. kNotSearched is above any logit
// and marks elements that are not searched for.
constexpr float kTaken = -3e38F, kNotSearched = 3e38F;

// The state of a tile of tokens; a tile without rows is empty.
struct Tile {
  std::uint64_t token = 0;
  unsigned rows = 0;
  TileView scores, rest, index, raised, sum, mask;  // rest: the scores without the chosen ones
};

class RoutingBuilder {
 public:
  RoutingBuilder(Kernel& kernel, const model::MachineParams& machine, const RoutingShape& shape,
                 const RoutingViews& views)
      : shape_(shape),
        views_(views),
        height_(machine.chip.core.sbuf.partitions),
        experts_(static_cast<unsigned>(shape.experts)),
        width_(std::max(experts_, kFound)),
        top_k_(static_cast<unsigned>(shape.top_k)),
        found_((top_k_ + kFound - 1) / kFound * kFound),
        kernel_(kernel),
        logits_(kernel, machine, shape, views) {
    make_pools();
    make_constants();
  }

  // The logits of one tile of tokens are computed while the previous tile is searched and the one before that
  // is counted, so that no engine waits for the long path through the others.
  void build() {
    for (std::uint64_t first = 0; first < shape_.tokens; first += kTokensTogether) {
      const std::uint64_t together = std::min(kTokensTogether, shape_.tokens - first);
      logits_.load_tokens(first, together);
      for (std::uint64_t token = 0; token < together; token += height_) {
        Tile tile;
        tile.token = first + token;
        tile.rows = static_cast<unsigned>(std::min(height_, together - token));
        tile.scores = logits_.make(tile.token, tile.rows);
        tiles_.push_back(tile);
        advance();
      }
    }
    for (unsigned stage = 0; stage < 2; ++stage) {
      tiles_.emplace_back();
      advance();
    }
    store_counts();
  }

 private:
  void make_pools() {
    const auto sbuf = [&](const char* name, DType dtype, unsigned columns, unsigned copies) {
      return kernel_.sbuf(name, dtype, columns, copies);
    };
    rest_ = sbuf("logits without the chosen", DType::kFp32, width_, 2);
    for (Pool* pool : {&tops_, &raised_, &results_}) *pool = sbuf("chosen logits", DType::kFp32, found_, 6);
    searched_ = sbuf("chosen logits", DType::kFp32, kFound, 6);
    indices_ = sbuf("chosen experts", DType::kUint32, found_, 6);
    columns_ = sbuf("columns", DType::kFp32, 1, 12);
    exponentials_ = sbuf("exponentials", DType::kFp32, width_, 2);
    masks_ = sbuf("choices", DType::kBf16, experts_, 4);
    places_psum_ = kernel_.psum("places", DType::kFp32, experts_, 2);
    counted_ = sbuf("places of all", DType::kInt32, experts_, 3);
    own_ = sbuf("places of the chosen", DType::kInt32, found_, 3);
    if (shape_.prescribed) unbiased_ = sbuf("chosen logits without bias", DType::kFp32, top_k_, 6);
  }

  TileView constant(const char* name, DType dtype, unsigned columns) {
    return kernel_.take(kernel_.sbuf(name, dtype, columns), static_cast<unsigned>(height_), columns);
  }

  void make_constants() {
    const auto height = static_cast<unsigned>(height_);
    ones_ = constant("ones", DType::kFp32, height);
    triangle_ = constant("triangle", DType::kBf16, height);
    rows_ = height;
    seen_pool_ = kernel_.sbuf("choices so far", DType::kFp32, experts_, 3);
    seen_ = take(seen_pool_, experts_);
    kernel_.memset(ones_, 1);
    kernel_.memset(seen_, 0);
    if (shape_.prescribed) {
      steps_ = constant("falling bias", DType::kFp32, top_k_);
      for (unsigned k = 0; k < top_k_; ++k) kernel_.memset(steps_.columns(k, 1), bias_of(top_k_, k));
    }
    // Column q has ones above row q: as the stationary operand it adds up the tokens before token q.
    kernel_.affine_select(triangle_, ones_, 0, -1, 1, isa::CompareOp::kGt, 0);
    logits_.load_weights();
  }

  // Searches the second-newest tile; counts and finishes the one before it.
  void advance() {
    if (tiles_.size() >= 2 && tiles_[tiles_.size() - 2].rows > 0) choose(tiles_[tiles_.size() - 2]);
    if (tiles_.size() < 3) return;
    if (tiles_.front().rows > 0) finish(tiles_.front());
    tiles_.pop_front();
  }

  void choose(Tile& tile) {
    rows_ = tile.rows;
    const TileView top = take(tops_, found_);
    tile.index = take(indices_, found_);
    tile.rest = tile.scores;
    for (unsigned first = 0; first < found_; first += kFound) {
      const TileView some = top.columns(first, kFound);
      search(Opcode::kMax8, some, tile.rest, nullptr);
      if (first + kFound < found_) replace(tile, some);
    }
    if (!summed_in_parts()) raise(tile, top);
    tile.mask = choices(tile, top.columns(found_ - kFound, kFound));
    if (summed_in_parts()) raise(tile, top);
    for (unsigned first = 0; first < found_; first += kFound) {
      const TileView some = top.columns(first, kFound);
      search(Opcode::kFindIndex8, tile.index.columns(first, kFound), tile.scores, &some);
    }
  }

  void finish(const Tile& tile) {
    rows_ = tile.rows;
    const TileView before = take(places_psum_, experts_), all = take(counted_, experts_),
                   own = take(own_, top_k_), inverse = take(columns_, 1), gates = take(results_, top_k_);
    if (shape_.sigmoid && !shape_.normalised) {
      kernel_.tensor_scalar(gates, tile.raised, AluOp::kMult, {shape_.factor, nullptr});
    } else {
      kernel_.reciprocal(inverse, tile.sum);
      if (shape_.factor == 1)
        kernel_.tensor_scalar(gates, tile.raised, AluOp::kMult, {0, &inverse});
      else
        kernel_.tensor_scalar(gates, tile.raised, AluOp::kMult, {0, &inverse}, AluOp::kMult,
                              {shape_.factor, nullptr});
    }
    kernel_.matmul(before, ones_.columns(0, rows_), seen_, false);
    kernel_.matmul(before, triangle_.partitions(0, rows_).columns(0, rows_), tile.mask, true);
    kernel_.copy(all, before, Queue::kScalar);
    add_to_seen(tile.mask);
    isa::Instruction i;
    i.op = Opcode::kNGather;
    i.shape = own.shape;
    i.dst = own.tile;
    i.src0 = all.tile;
    i.src1 = tile.index.columns(0, top_k_).tile;
    i.extent = experts_;
    kernel_.emit(Queue::kGpSimd, i);
    const auto store = [&](const HbmView& to, const TileView& from) {
      kernel_.store(to.window(tile.token, 0, tile.rows, to.columns), from, Queue::kGpSimd);
    };
    if (shape_.hidden > 0) store(views_.logits, tile.scores.columns(0, experts_));
    store(views_.chosen, tile.index.as(DType::kInt32).columns(0, top_k_));
    store(views_.gates, gates);
    store(views_.places, own);
  }

  TileView take(Pool pool, unsigned columns) { return kernel_.take(pool, rows_, columns); }

  void search(Opcode op, const TileView& found, const TileView& where, const TileView* wanted) {
    isa::Instruction i;
    i.op = op;
    i.shape = where.shape;
    i.dst = found.tile;
    i.src0 = where.tile;
    if (wanted != nullptr) i.src1 = wanted->tile;
    kernel_.emit(Queue::kVector, i);
  }

  // A bias raises the chosen logits, so the others are summed apart: what the choice leaves of the logits.
  bool summed_in_parts() const { return shape_.prescribed && !shape_.normalised && !shape_.sigmoid; }

  // Computes the gates up to their sum.
  void raise(Tile& tile, const TileView& top) {
    const TileView lowest = take(columns_, 1), sum = take(columns_, 1), raised = take(raised_, top_k_);
    TileView of_chosen = top.columns(0, top_k_);
    if (shape_.prescribed) {
      const TileView biased = of_chosen;
      of_chosen = take(unbiased_, top_k_);
      kernel_.tensor_tensor(of_chosen, biased, steps_.partitions(0, rows_), AluOp::kSubtract);
    }
    if (shape_.sigmoid) {
      tile.raised = of_chosen;
      tile.sum = sum;
      if (shape_.normalised) kernel_.reduce(sum, of_chosen, AluOp::kAdd);
      return;
    }
    if (shape_.prescribed) {
      kernel_.reduce(lowest, of_chosen, AluOp::kMax);
      kernel_.activation(lowest, lowest, ActFn::kCopy, {-1, nullptr});
    } else {
      kernel_.activation(lowest, top.columns(0, 1), ActFn::kCopy, {-1, nullptr});
    }
    if (shape_.normalised || summed_in_parts()) {
      kernel_.activation_reduce(raised, sum, of_chosen, ActFn::kExp, {1, nullptr}, {0, &lowest});
      if (summed_in_parts() && experts_ > top_k_) {
        const TileView others = take(exponentials_, experts_), more = take(columns_, 1);
        kernel_.activation_reduce(others, more, tile.rest.columns(0, experts_), ActFn::kExp, {1, nullptr},
                                  {0, &lowest});
        kernel_.tensor_tensor(sum, sum, more, AluOp::kAdd);
      }
    } else {
      const TileView all = take(exponentials_, experts_);
      kernel_.activation_reduce(all, sum, tile.scores.columns(0, experts_), ActFn::kExp, {1, nullptr},
                                {0, &lowest});
      kernel_.activation(raised, of_chosen, ActFn::kExp, {1, nullptr}, {0, &lowest});
    }
    tile.raised = raised;
    tile.sum = sum;
  }

  // Takes values, eight at a time, out of the rest.
  void replace(Tile& tile, const TileView& wanted) {
    const TileView rest = take(rest_, width_);
    isa::Instruction i;
    i.op = Opcode::kMatchReplace8;
    i.shape = rest.shape;
    i.dst = rest.tile;
    i.src0 = tile.rest.tile;
    i.src1 = wanted.tile;
    i.value = kTaken;
    kernel_.emit(Queue::kVector, i);
    tile.rest = rest;
  }

  // 1 for each chosen expert, found by comparing the logits before and after the chosen ones were replaced.
  // `last`: those that were found last.
  TileView choices(Tile& tile, const TileView& last) {
    const unsigned wanted = top_k_ - (found_ - kFound);
    if (wanted < kFound) {
      const TileView some = take(searched_, kFound);
      kernel_.memset(some, kNotSearched);
      kernel_.copy(some.columns(0, wanted), last.columns(0, wanted));
      replace(tile, some);
    } else {
      replace(tile, last);
    }
    const TileView mask = take(masks_, experts_);
    kernel_.tensor_tensor(mask, tile.scores.columns(0, experts_), tile.rest.columns(0, experts_),
                          AluOp::kIsNotEqual);
    return mask;
  }

  // Writes to another buffer, so that the sum does not wait until the array has read the previous one. A tile
  // that is not full is the last; its sum stays in place.
  void add_to_seen(const TileView& mask) {
    const TileView old = seen_.partitions(0, rows_);
    if (rows_ == height_) seen_ = take(seen_pool_, experts_);
    kernel_.tensor_tensor(seen_.partitions(0, rows_), old, mask, AluOp::kAdd, Queue::kGpSimd);
  }

  void store_counts() {
    rows_ = 1;
    const TileView sum = take(places_psum_, experts_), counts = take(counted_, experts_);
    kernel_.matmul(sum, ones_.columns(0, 1), seen_, false);
    kernel_.copy(counts, sum);
    kernel_.store(views_.counts, counts);
  }

  RoutingShape shape_;
  RoutingViews views_;
  std::uint64_t height_;              // tokens per tile
  unsigned experts_, width_, top_k_;  // width: a search needs at least 8 elements
  unsigned found_;                    // by searches that find eight each
  unsigned rows_ = 0;                 // tokens of the current tile
  Kernel& kernel_;
  RoutingLogits logits_;
  Pool unbiased_, rest_, tops_, searched_, raised_, results_, indices_, columns_, exponentials_, masks_,
      places_psum_, counted_, own_, seen_pool_;
  TileView ones_, triangle_, seen_, steps_;
  std::deque<Tile> tiles_;  // in progress, oldest first
};

}  // namespace

void emit_routing(Kernel& kernel, const model::MachineParams& machine, const RoutingShape& shape,
                  const RoutingViews& views) {
  RoutingBuilder(kernel, machine, shape, views).build();
}

isa::Program routing_program(const model::MachineParams& machine, const RoutingShape& shape) {
  Kernel kernel("moe_routing", machine);
  RoutingViews views;
  if (shape.hidden > 0) {
    views.x = kernel.argument("x", shape.dtype, shape.hidden, shape.tokens);
    views.w = kernel.argument("w", shape.dtype, shape.hidden, shape.experts);
  }
  views.logits = kernel.argument("logits", DType::kFp32, shape.tokens, shape.experts);
  views.chosen = kernel.argument("chosen", DType::kInt32, shape.tokens, shape.top_k);
  views.gates = kernel.argument("gates", DType::kFp32, shape.tokens, shape.top_k);
  views.places = kernel.argument("places", DType::kInt32, shape.tokens, shape.top_k);
  views.counts = kernel.argument("counts", DType::kInt32, 1, shape.experts);
  emit_routing(kernel, machine, shape, views);
  return kernel.finish();
}

}  // namespace tahoma::workloads
