// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/flash_order.h"

#include <algorithm>

#include "workloads/attention/flash_blocks.h"

namespace tahoma::workloads {

namespace {

// Rounds between a step's last maximum, the row that is made of the maxima, and its first use: the paths
// through the vector engine, the array and the scalar engine take about a round each.
constexpr std::size_t kMaximaAhead = 3, kRowAhead = 2;
// Number of steps over which the maxima are spread evenly.
constexpr std::size_t kStepsAhead = kFlashStepsInFlight - 2;

void append_quads(std::vector<FlashQuad>& quads, const FlashStep& step, std::size_t number,
                  const FlashTiling& tiling) {
  const std::uint64_t begin = step.key_begin / tiling.chunk,
                      end = (step.key_end + tiling.chunk - 1) / tiling.chunk;
  for (std::uint64_t at = begin; at < end; at += tiling.quad)
    quads.push_back({number, at, std::min(at + tiling.quad, end), at == begin, at + tiling.quad >= end});
}

void append_pieces(std::vector<FlashPiece>& pieces, const FlashStep& step, std::size_t number,
                   const FlashTiling& tiling) {
  for (std::size_t t = 0; t < step.tiles.size(); ++t) {
    unsigned piece = 0;
    for (std::uint64_t at = step.tiles[t].key_begin; at < step.tiles[t].key_end; at += tiling.score_keys)
      pieces.push_back({number, t, at, std::min<std::uint64_t>(at + tiling.score_keys, step.tiles[t].key_end),
                        piece++, false});
  }
  pieces.back().last = true;
}

// One entry per step, and one past the last.
struct Marks {
  std::vector<std::size_t> first_quad, pieces_end;
};

// Number of steps whose first quad comes at most `ahead` rounds after round `round`.
std::size_t steps_within(const Marks& marks, std::size_t round, std::size_t ahead) {
  return static_cast<std::size_t>(
      std::upper_bound(marks.first_quad.begin(), marks.first_quad.end(), round + ahead) -
      marks.first_quad.begin());
}

// Pieces per round: as many as the most urgent of the next steps needs to be in time.
std::size_t pieces_after(const Marks& marks, std::size_t round, std::size_t done) {
  const std::size_t pressing = steps_within(marks, round, kMaximaAhead);
  const std::size_t started = steps_within(marks, round, 0);
  std::size_t target = pressing == 0 ? done : std::max(done, marks.pieces_end[pressing - 1]);
  const std::size_t end = std::min(marks.first_quad.size(), started + kStepsAhead);
  for (std::size_t step = pressing; step < end; ++step) {
    if (marks.pieces_end[step] <= done) continue;
    const std::size_t wanted = marks.pieces_end[step] - done;
    const std::size_t rounds = marks.first_quad[step] - kMaximaAhead - round + 1;
    target = std::max(target, done + (wanted + rounds - 1) / rounds);
  }
  return target;
}

}  // namespace

FlashOrder flash_order(const std::vector<FlashStep>& steps, const FlashTiling& tiling) {
  FlashOrder order;
  Marks marks;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    marks.first_quad.push_back(order.quads.size());
    append_quads(order.quads, steps[s], s, tiling);
    append_pieces(order.pieces, steps[s], s, tiling);
    marks.pieces_end.push_back(order.pieces.size());
  }
  const std::size_t soon = steps_within(marks, 0, kMaximaAhead - 1);
  order.before = {soon == 0 ? 0 : marks.pieces_end[soon - 1], steps_within(marks, 0, kRowAhead - 1)};
  std::size_t done = order.before.pieces_end;
  for (std::size_t round = 0; round < order.quads.size(); ++round) {
    done = pieces_after(marks, round, done);
    order.rounds.push_back({done, steps_within(marks, round, kRowAhead)});
  }
  return order;
}

}  // namespace tahoma::workloads
