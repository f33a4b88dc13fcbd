// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/experts/expert_layout.h"

#include <algorithm>

namespace tahoma::workloads {

ExpertLayout::ExpertLayout(const ExpertCase& shape, std::uint64_t per_token, const Expert& expert,
                           const Own& own)
    : shape_(shape),
      per_token_(per_token),
      sources_(!shape.exchanged   ? 1
               : shape.block == 1 ? shape.blocks()
                                  : shape.block) {
  shard(expert, own);
  lay_out();
}

void ExpertLayout::shard(const Expert& expert, const Own& own) {
  tokens_.resize(shape_.ranks * shape_.physical_cores * shape_.experts());
  for (std::size_t r = 0; r < shape_.ranks; ++r)
    for (std::size_t h = 0; h < shape_.physical_cores; ++h) {
      const auto [first, count] = own(r, h);
      std::vector<std::uint64_t>& chosen = chosen_.emplace_back();
      for (std::uint64_t row = 0; row < count; ++row)
        for (std::uint64_t k = 0; k < per_token_; ++k) {
          chosen.push_back(expert(first + row, k));
          tokens_[(r * shape_.physical_cores + h) * shape_.experts() + chosen.back()].push_back(row);
        }
    }
}

void ExpertLayout::lay_out() {
  for (std::size_t r = 0; r < shape_.ranks; ++r) {
    const std::size_t block = r / shape_.block, place_in_block = r % shape_.block;
    for (std::size_t h = 0; h < shape_.physical_cores; ++h) {
      std::uint64_t sent = 0, arrived = 0;
      for (std::size_t slot = 0; slot < shape_.slots; ++slot) {
        Segment out{sent, shape_.columns, {}}, in{arrived, shape_.columns, {}};
        for (std::size_t b = 0; b < shape_.blocks(); ++b) {
          out.counts.push_back(count(r, h, b, slot));
          in.counts.push_back(count(b * shape_.block + place_in_block, h, block, slot));
        }
        sent = sent_.emplace_back(std::move(out)).end();
        arrived = arrived_.emplace_back(std::move(in)).end();
      }
    }
  }
  for (std::size_t r = 0; r < shape_.ranks; ++r) {
    std::uint64_t first = 0;
    for (std::size_t slot = 0; slot < shape_.slots; ++slot)
      first = rows_.emplace_back(Segment{first, shape_.columns, row_counts(r, slot)}).end();
  }
}

std::vector<std::uint64_t> ExpertLayout::row_counts(std::size_t r, std::size_t slot) const {
  const std::size_t block = r / shape_.block;
  std::vector<std::uint64_t> counts;
  for (std::size_t h = 0; h < shape_.physical_cores; ++h)
    for (std::size_t from = 0; from < sources_; ++from)
      counts.push_back(!shape_.exchanged   ? count(r, h, block, slot)
                       : shape_.block == 1 ? count(from, h, block, slot)
                                           : arrived(block * shape_.block + from, h, slot).rows());
  return counts;
}

runtime::Part ExpertLayout::rows_of_core(std::size_t r, std::size_t slot, std::size_t h) const {
  const Segment& all = rows(r, slot);
  const std::uint64_t first = all.before(place(h, 0));
  return {first, all.before(place(h + 1, 0)) - first};
}

std::vector<std::uint64_t> ExpertLayout::taken(std::size_t r, std::size_t h, std::size_t slot) const {
  if (!shape_.exchanged) return tokens_of(r, h, r / shape_.block * shape_.slots + slot);
  std::vector<std::uint64_t> numbers;
  for (std::size_t b = 0; b < shape_.blocks(); ++b) {
    const std::vector<std::uint64_t>& tokens = tokens_of(r, h, b * shape_.slots + slot);
    numbers.insert(numbers.end(), tokens.begin(), tokens.end());
  }
  return numbers;
}

std::vector<std::uint64_t> ExpertLayout::places(std::size_t r, std::size_t h) const {
  std::vector<std::uint64_t> seen(shape_.experts()), places;
  for (const std::uint64_t expert : chosen_[r * shape_.physical_cores + h]) places.push_back(seen[expert]++);
  return places;
}

std::vector<std::uint64_t> ExpertLayout::returned(std::size_t r, std::size_t h) const {
  std::vector<std::uint64_t> numbers = places(r, h);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::uint64_t expert = chosen_[r * shape_.physical_cores + h][i], block = expert / shape_.slots,
                        slot = expert % shape_.slots;
    if (shape_.exchanged)
      numbers[i] += sent(r, h, slot).first + sent(r, h, slot).before(block);
    else if (block == r / shape_.block)
      numbers[i] += rows(r, slot).first + rows(r, slot).before(place(h, 0));
    else
      numbers[i] = rows(r, shape_.slots - 1).end();
  }
  return numbers;
}

}  // namespace tahoma::workloads
