// SPDX-License-Identifier: Apache-2.0
#include "isa/core/stream.h"

#include <algorithm>
#include <utility>

#include "isa/core/instruction_hash.h"
#include "isa/core/program.h"

namespace tahoma::isa {

Stream::List& Stream::edit() {
  if (!list_ || list_.use_count() > 1) {
    const Stream& before = *this;
    list_ = std::make_shared<List>(before.begin(), before.end());
    pooled_.reset();
  }
  return *list_;
}

bool operator==(const Stream& a, const Stream& b) {
  return a.shares(b) || std::equal(a.begin(), a.end(), b.begin(), b.end());
}

Stream StreamPool::pooled(const Stream& stream, const std::vector<std::uint64_t>& hashes) {
  auto pooled = std::make_shared<Stream::Pooled>();
  pooled->instructions = instructions_;
  pooled->at.reserve(stream.size());
  for (std::size_t n = 0; n < stream.size(); ++n)
    pooled->at.push_back(&instructions_->one_of(stream[n], hashes[n]));
  Stream result;
  result.pooled_ = std::move(pooled);
  return result;
}

Stream StreamPool::one_of(const Stream& stream) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(stream.size());
  std::uint64_t hash = stream.size();
  for (const Instruction& i : stream) hash = combined(hash, hashes.emplace_back(hash_with_peers(i)));
  std::vector<Stream> alike;
  {
    const std::lock_guard lock(mutex_);
    const auto [from, to] = known_.equal_range(hash);
    for (auto known = from; known != to; ++known) alike.push_back(known->second);
  }
  for (const Stream& other : std::as_const(alike))
    if (std::equal(other.begin(), other.end(), stream.begin(), stream.end(), identical)) return other;
  const std::lock_guard lock(mutex_);
  return known_.emplace(hash, pooled(stream, hashes))->second;
}

void StreamPool::share(Program& program) {
  for (Stream& stream : program.streams)
    if (!stream.empty()) stream = one_of(stream);
}

}  // namespace tahoma::isa
