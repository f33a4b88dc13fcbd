// SPDX-License-Identifier: Apache-2.0
#include "isa/core/stream.h"

#include <algorithm>

#include "isa/core/instruction_hash.h"
#include "isa/core/program.h"

namespace tahoma::isa {

namespace {

std::uint64_t hash_of(const Stream::List& list) {
  std::uint64_t hash = list.size();
  for (const Instruction& i : list) hash = combined(hash, hash_of(i));
  return hash;
}

}  // namespace

Stream StreamPool::one_of(const Stream& stream) {
  const std::uint64_t hash = hash_of(stream.list());
  std::vector<Stream> alike;
  {
    const std::lock_guard lock(mutex_);
    const auto [from, to] = known_.equal_range(hash);
    for (auto known = from; known != to; ++known) alike.push_back(known->second);
  }
  for (const Stream& other : alike)
    if (std::equal(other.begin(), other.end(), stream.begin(), stream.end(), same)) return other;
  const std::lock_guard lock(mutex_);
  known_.emplace(hash, stream);
  return stream;
}

void StreamPool::share(Program& program) {
  for (Stream& stream : program.streams)
    if (!stream.empty()) stream = one_of(stream);
}

}  // namespace tahoma::isa
