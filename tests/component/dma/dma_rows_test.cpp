// SPDX-License-Identifier: Apache-2.0
// Compares the bytes that packets name with the position of every element by definition.
#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <set>

#include "model/engine/dma/dma_share.h"
#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;

namespace {

struct Shape {
  isa::Descriptor descriptor;
  model::TransferRequest request;
};

// Three dimensions of any size and stride in HBM; sometimes row numbers select the first.
std::unique_ptr<Shape> random_shape(std::mt19937& random) {
  auto shape = std::make_unique<Shape>();
  isa::Descriptor& d = shape->descriptor;
  const auto upto = [&](std::uint32_t most) { return 1 + static_cast<std::uint32_t>(random()) % most; };
  d.count = {upto(40), upto(5), 1, upto(300)};
  const auto inner = static_cast<std::int32_t>(d.count[3]);
  const auto middle = upto(3) == 1 ? inner : inner + static_cast<std::int32_t>(upto(50));
  const auto many = static_cast<std::int32_t>(d.count[1]) * middle;
  const auto outer = upto(4) == 1 ? -many : many + (upto(2) == 1 ? 64 : 0);
  d.src = {isa::Space::kHbm, isa::DType::kBf16, 0, 0, 0, 0, {outer, middle, 0, 1}};
  d.dst = {isa::Space::kSbuf, isa::DType::kFp32, 0, isa::kNone, 0, 0, {0, inner, 0, 1}};
  model::TransferRequest& r = shape->request;
  r.sources = {&d, 1};
  r.src = std::uint64_t{1} << 30;
  if (random() % 3 == 0) {
    r.indirect = isa::Indirection::kGather;
    for (std::uint32_t n = 0; n < d.count[0]; ++n) r.rows.push_back({n, upto(1000)});
  }
  return shape;
}

std::multiset<std::uint64_t> elements_by_definition(const Shape& s) {
  const isa::Descriptor& d = s.descriptor;
  std::multiset<std::uint64_t> places;
  for (std::uint32_t i = 0; i < d.count[0]; ++i) {
    const std::int64_t row = s.request.rows.empty() ? i : s.request.rows[i].number;
    for (std::uint32_t j = 0; j < d.count[1]; ++j)
      for (std::uint32_t k = 0; k < d.count[3]; ++k)
        places.insert(
            s.request.src +
            static_cast<std::uint64_t>(2 * (row * d.src.stride[0] + std::int64_t{j} * d.src.stride[1] + k)));
  }
  return places;
}

std::multiset<std::uint64_t> elements_of_packets(const Shape& s, const model::DmaParams& params) {
  model::Transfer transfer{.request = s.request, .runs = model::runs_of(s.request, params), .element = 4};
  std::multiset<std::uint64_t> places;
  sim::RowPattern rows;
  for (unsigned engine = 0; engine < 16; ++engine) {
    const auto range = model::share_of(transfer.runs, engine);
    model::Share share{&transfer, {}, range.first, range.last};
    for (bool last = false; !last;) {
      const model::DmaPacket p = share.next_packet(params);
      last = p.last;
      const std::uint64_t first = model::address_of(transfer, s.descriptor.src, s.request.src, p);
      if (p.elements == 0) {  // fewer units than engines: only a notification
        CHECK(first == s.request.src);
        break;
      }
      model::describe_rows(rows, transfer, s.descriptor.src, p);
      CHECK(rows.rows() == p.runs);
      std::uint32_t seen = 0;
      rows.each_row([&](std::int64_t at) {
        ++seen;
        for (std::uint32_t b = 0; b < rows.row_bytes(); b += 2)
          places.insert(first + static_cast<std::uint64_t>(at) + b);
      });
      CHECK(seen == rows.rows());
      share.advance(p);
    }
  }
  return places;
}

}  // namespace

TEST_CASE("dma rows: packets name exactly the bytes of their elements", "[dma]") {
  std::mt19937 random(2);
  const auto params = tests::default_machine().chip.core.dma;
  for (int n = 0; n < 120; ++n) {
    const auto shape = random_shape(random);
    CHECK(elements_of_packets(*shape, params) == elements_by_definition(*shape));
  }
}

TEST_CASE("dma rows: one stride is reported as one, and neighbours of equal stride join", "[dma]") {
  sim::RowPattern rows;
  rows.start(128);
  CHECK(rows.regular());
  CHECK(rows.rows() == 1);
  rows.add(3, 512);
  rows.add(1, 512);
  CHECK(rows.regular());
  CHECK(rows.rows() == 5);
  rows.add(1, -4096);
  rows.add(0, 7);
  rows.add(2, 512);
  CHECK_FALSE(rows.regular());
  std::vector<std::int64_t> at;
  rows.each_row([&](std::int64_t a) { at.push_back(a); });
  CHECK(at == std::vector<std::int64_t>{0, 512, 1024, 1536, 2048, -2048, -1536, -1024});
  rows.start(64);
  CHECK(rows.regular());
  CHECK(rows.rows() == 1);
}
