// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "frontend/nki/lower/accumulate.h"
#include "model/base/error.h"

using namespace tahoma;
using runtime::Region;
using runtime::nki::AccumulationGroups;

namespace {

constexpr std::uint32_t kRows = 8;
constexpr std::uint64_t kBytes = 16;

// The rule by its definition, for every byte: which tensor and which matmul has written it last.
class Reference {
 public:
  enum class Verdict { kOverwrites, kAdds, kRefused };

  Verdict decide(std::uint32_t storage, const Region& dst) const {
    std::size_t held = 0, all = 0;
    for_bytes(dst, [&](const Byte& byte) {
      const auto at = written_.find(byte);
      ++all;
      if (at != written_.end() && at->second.storage == storage && at->second.matmul) ++held;
    });
    return held == 0 ? Verdict::kOverwrites : held == all ? Verdict::kAdds : Verdict::kRefused;
  }
  void add(std::uint32_t storage, const Region& dst) {
    if (decide(storage, dst) != Verdict::kAdds) write(storage, dst, true);
  }
  void write(std::uint32_t storage, const Region& region, bool matmul) {
    for_bytes(region, [&](const Byte& byte) {
      const auto at = written_.find(byte);
      if (at == written_.end() || at->second.storage == storage) return;
      std::erase_if(written_,
                    [number = at->second.number](const auto& w) { return w.second.number == number; });
    });
    ++writes_;
    for_bytes(region, [&](const Byte& byte) { written_[byte] = {storage, writes_, matmul}; });
  }

 private:
  using Byte = std::pair<std::uint32_t, std::uint64_t>;
  struct Written {
    std::uint32_t storage = 0, number = 0;
    bool matmul = false;
  };
  template <class Visit>
  static void for_bytes(const Region& r, Visit&& visit) {
    for (std::uint32_t row = r.row; row < r.row + r.rows; ++row)
      for (std::uint64_t byte = r.byte; byte < r.byte + r.bytes; ++byte)
        if (r.step == 0 || (byte - r.byte) % r.step < r.width) visit(Byte{row, byte});
  }
  std::map<Byte, Written> written_;
  std::uint32_t writes_ = 0;
};

AccumulationGroups::Decision decide(const AccumulationGroups& groups, std::uint32_t storage,
                                    const Region& dst) {
  return groups.choose_accumulation(storage, dst, std::nullopt);
}

Reference::Verdict verdict_of(const AccumulationGroups& groups, std::uint32_t storage, const Region& dst) {
  try {
    return decide(groups, storage, dst).accumulate ? Reference::Verdict::kAdds
                                                   : Reference::Verdict::kOverwrites;
  } catch (const base::UserError& error) {
    CHECK(error.code == "E-NKI-021");
    return Reference::Verdict::kRefused;
  }
}

Region random_region(std::mt19937& random, bool stepped) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  Region r;
  r.row = below(2) * kRows / 2;
  r.rows = r.row == 0 && below(2) == 0 ? kRows : kRows / 2;
  r.byte = below(4) * 4;
  r.bytes = 4 + below(static_cast<std::uint32_t>((kBytes - r.byte) / 4)) * 4;
  if (!stepped) return r;
  r.byte = 2 * below(2);
  r.bytes = kBytes - 2;
  r.step = 4;
  r.width = 2;
  return r;
}

// Random matmuls, writes and reads by two tensors; returns how often each verdict occurred.
std::map<Reference::Verdict, unsigned> compare(std::uint32_t seed, bool stepped) {
  std::mt19937 random(seed);
  AccumulationGroups groups;
  Reference reference;
  std::map<Reference::Verdict, unsigned> verdicts;
  for (std::uint32_t step = 0; step < 200; ++step) {
    const Region region = random_region(random, stepped);
    const std::uint32_t storage = random() % 8 == 0 ? 1 : 0;
    INFO("seed " << seed << ", step " << step << ": rows " << region.row << " + " << region.rows << ", bytes "
                 << region.byte << " + " << region.bytes << ", tensor " << storage);
    switch (random() % 6) {
      case 0:
        groups.write(storage, region, random() % 2 == 0);
        reference.write(storage, region, false);
        break;
      case 1:
        groups.read(region);
        break;
      case 2:  // the kernel says what it wants
        if (random() % 2 == 0) {
          groups.matmul(storage, region, false, step);
          reference.write(storage, region, true);
        } else {
          groups.matmul(storage, region, true, step);
          reference.add(storage, region);
        }
        break;
      default: {
        const Reference::Verdict expected = reference.decide(storage, region);
        CHECK(verdict_of(groups, storage, region) == expected);
        ++verdicts[expected];
        if (expected == Reference::Verdict::kRefused) break;
        groups.matmul(storage, region, expected == Reference::Verdict::kAdds, step);
        if (expected == Reference::Verdict::kAdds)
          reference.add(storage, region);
        else
          reference.write(storage, region, true);
      }
    }
  }
  return verdicts;
}

}  // namespace

TEST_CASE("nki accumulate: a matmul adds if matmuls have written all bytes, and is refused for a part",
          "[nki]") {
  std::map<Reference::Verdict, unsigned> all;
  for (std::uint32_t seed = 0; seed < 60; ++seed)
    for (const auto& [verdict, count] : compare(seed, false)) all[verdict] += count;
  for (const auto verdict :
       {Reference::Verdict::kAdds, Reference::Verdict::kOverwrites, Reference::Verdict::kRefused})
    CHECK(all[verdict] > 100);
}

TEST_CASE("nki accumulate: interleaved columns accumulate apart from each other", "[nki]") {
  std::map<Reference::Verdict, unsigned> all;
  for (std::uint32_t seed = 0; seed < 60; ++seed)
    for (const auto& [verdict, count] : compare(seed, true)) all[verdict] += count;
  CHECK(all[Reference::Verdict::kAdds] > 100);
  CHECK(all[Reference::Verdict::kOverwrites] > 100);
}

TEST_CASE("nki accumulate: a group stays open for the next matmul until something reads it", "[nki]") {
  const Region bank{0, 0, kRows, 0, kBytes};
  AccumulationGroups groups;
  groups.matmul(0, bank, false, 7);
  CHECK(decide(groups, 0, bank).continued == std::vector<std::uint32_t>{7});
  groups.matmul(0, bank, true, 8);
  CHECK(decide(groups, 0, bank).continued == std::vector<std::uint32_t>{8});
  groups.read(bank);
  CHECK(decide(groups, 0, bank).accumulate);  // reading does not end the accumulation
  CHECK(decide(groups, 0, bank).continued.empty());
  groups.matmul(0, bank, true, 9);
  groups.boundary();
  CHECK(decide(groups, 0, bank).accumulate);
  CHECK(decide(groups, 0, bank).continued.empty());
  groups.forget();
  CHECK_FALSE(decide(groups, 0, bank).accumulate);
}

TEST_CASE("nki accumulate: what the kernel asks for is never changed", "[nki]") {
  const Region bank{0, 0, kRows, 0, kBytes}, half{0, 0, kRows, 0, kBytes / 2};
  AccumulationGroups groups;
  groups.matmul(0, half, false, 0);
  for (const bool asked : {false, true})
    CHECK(groups.choose_accumulation(0, bank, asked).accumulate == asked);
  groups.write(0, bank, false);
  CHECK(groups.choose_accumulation(0, bank, true).accumulate);
  CHECK(groups.choose_accumulation(0, bank, std::nullopt).over_fill);
}

TEST_CASE("nki accumulate: a matmul that is asked to add overwrites zeros, and adds to anything else",
          "[nki]") {
  const Region left{0, 0, kRows, 0, 8}, right{0, 0, kRows, 8, 8}, both{0, 0, kRows, 0, 16};
  const auto adds = [&](const std::vector<std::pair<Region, bool>>& fills, const Region& dst) {
    AccumulationGroups groups;
    for (const auto& [region, zeros] : fills) groups.write(0, region, zeros);
    return groups.choose_accumulation(0, dst, true).accumulate;
  };
  CHECK(!adds({{both, true}}, both));
  CHECK(!adds({{both, true}}, left));
  CHECK(!adds({{left, true}, {right, true}}, both));
  CHECK(adds({}, both));
  CHECK(adds({{left, true}}, both));
  CHECK(adds({{left, true}, {right, false}}, both));
  CHECK(adds({{both, true}, {both, false}}, both));

  AccumulationGroups groups;
  groups.write(0, both, true);
  groups.matmul(0, both, false, 0);
  CHECK(groups.choose_accumulation(0, both, true).accumulate);
}
