// SPDX-License-Identifier: Apache-2.0
// Tests how transfers are split into the shares of the engines, and which runs join into elements.
#include <catch2/catch.hpp>

#include "model/engine/dma/dma_split.h"
#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;

namespace {

isa::Descriptor rows_to_sbuf(std::uint32_t rows, std::uint32_t columns, std::int32_t hbm_row_stride) {
  isa::Descriptor d;
  d.count = {rows, 1, 1, columns};
  d.src = {isa::Space::kHbm, isa::DType::kBf16, 0, 0, 0, 0, {hbm_row_stride, 0, 0, 1}};
  d.dst = {isa::Space::kSbuf, isa::DType::kBf16, 0, isa::kNone, 0, 0, {0, 0, 0, 1}};
  return d;
}

isa::Descriptor hbm_to_hbm(std::uint32_t elements) {
  isa::Descriptor d;
  d.count = {1, 1, 1, elements};
  d.src = d.dst = {isa::Space::kHbm, isa::DType::kFp32, 0, 0, 0, 0, {0, 0, 0, 1}};
  return d;
}

model::Runs runs_of(const model::TransferRequest& request) {
  return model::runs_of(request, tests::default_machine().chip.core.dma);
}

model::Runs runs_of(const isa::Descriptor& d) {
  model::TransferRequest request;
  request.sources = {&d, 1};
  return runs_of(request);
}

}  // namespace

TEST_CASE("dma split: 128 partitions are 8 runs for each of 16 engines", "[dma]") {
  const auto runs = runs_of(rows_to_sbuf(128, 1024, 4096));
  CHECK(runs.rows == 128);
  CHECK(runs.run_elements == 1024);
  for (unsigned e = 0; e < 16; ++e) {
    CHECK(model::share_of(runs, e).first == 8 * e);
    CHECK(model::share_of(runs, e).last == 8 * (e + 1));
  }
}

TEST_CASE("dma split: rows that follow each other in HBM stay apart when they go to different partitions",
          "[dma]") {
  CHECK(runs_of(rows_to_sbuf(128, 1024, 1024)).rows == 128);
}

TEST_CASE("dma split: a contiguous block in HBM becomes one run cut over all engines", "[dma]") {
  for (const std::uint32_t n : {1U, 15U, 16U, 1000U, 65536U, 65537U}) {
    const auto runs = runs_of(hbm_to_hbm(n));
    CHECK(runs.rows == 1);
    CHECK(runs.pieces == 16);
    std::uint64_t total = 0;
    for (std::uint64_t u = 0; u < runs.units(); ++u) total += runs.elements_of(u);
    CHECK(total == n);
  }
}

TEST_CASE("dma split: every element of any shape belongs to exactly one engine", "[dma]") {
  for (const std::uint32_t rows : {1U, 3U, 15U, 16U, 17U, 100U, 127U})
    for (const std::uint32_t columns : {1U, 7U, 64U, 513U}) {
      const auto runs = runs_of(rows_to_sbuf(rows, columns, 1000));
      std::uint64_t total = 0, units = 0;
      for (unsigned e = 0; e < 16; ++e) {
        const auto range = model::share_of(runs, e);
        for (auto u = range.first; u < range.last; ++u) total += runs.elements_of(u);
        units += range.last - range.first;
      }
      CHECK(units == runs.units());
      CHECK(total == std::uint64_t{rows} * columns);
    }
}

TEST_CASE("dma split: the byte offset of a run is its row times the row's stride", "[dma]") {
  const auto d = rows_to_sbuf(128, 1024, 4096);
  model::TransferRequest request;
  request.sources = {&d, 1};
  CHECK(model::byte_offset(request, d.src, runs_of(request), 5, 7) == (5 * 4096 + 7) * 2);
}

TEST_CASE("dma split: rows by number stay separate even if they are adjacent, and reach their positions",
          "[dma]") {
  const auto d = rows_to_sbuf(4, 256, 256);
  model::TransferRequest request;
  request.sources = {&d, 1};
  request.indirect = isa::Indirection::kGather;
  request.rows = {{0, 7}, {1, 8}, {3, 2}};  // row 2 is left out
  const auto runs = runs_of(request);
  CHECK(runs.rows == 3);
  CHECK(runs.run_elements == 256);
  for (std::uint64_t r = 0; r < 3; ++r)
    CHECK(model::byte_offset(request, d.src, runs, r, 5) ==
          (std::int64_t{request.rows[r].number} * 256 + 5) * 2);
}

TEST_CASE("dma split: a gather whose rows are all skipped gives no engine any work", "[dma]") {
  const auto d = rows_to_sbuf(4, 256, 256);
  model::TransferRequest request;
  request.sources = {&d, 1};
  request.indirect = isa::Indirection::kGather;
  const auto runs = runs_of(request);
  CHECK(runs.units() == 0);
  for (unsigned e = 0; e < 16; ++e) CHECK(model::share_of(runs, e).last == 0);
}

TEST_CASE("dma split: a sum has the runs that are contiguous in every source", "[dma]") {
  std::vector<isa::Descriptor> sources(3, rows_to_sbuf(8, 64, 64));
  sources[2].src.stride = {128, 0, 0, 2};
  model::TransferRequest request;
  request.sources = sources;
  CHECK(runs_of(request).rows == 8 * 64);
  request.sources = std::span(sources).first(2);
  CHECK(runs_of(request).rows == 8);
}

TEST_CASE("dma split: a transposing transfer has the runs of its source", "[dma]") {
  isa::Descriptor d = rows_to_sbuf(64, 32, 1024);
  d.dst.across = 3;
  d.dst.stride = {1, 0, 0, 0};
  model::TransferRequest request;
  request.sources = {&d, 1};
  CHECK(runs_of(request).run_elements == 1);
  request.transposes = true;
  CHECK(runs_of(request).rows == 64);
  CHECK(runs_of(request).run_elements == 32);
}

TEST_CASE("dma split: rows of successive partitions that are one piece of HBM join into elements of four",
          "[dma]") {
  isa::Descriptor d = rows_to_sbuf(128, 512, 512);
  CHECK(runs_of(d).joined == 4);
  CHECK(model::descriptors_of(runs_of(d)) == 32);
  std::swap(d.dst, d.src);
  CHECK(runs_of(d).joined == 4);
}

TEST_CASE("dma split: rows apart in HBM, rows that are cast and rows from HBM to HBM do not join", "[dma]") {
  CHECK(runs_of(rows_to_sbuf(128, 512, 513)).joined == 1);
  isa::Descriptor cast = rows_to_sbuf(128, 512, 512);
  cast.dst.dtype = isa::DType::kFp32;
  CHECK(runs_of(cast).joined == 1);
  CHECK(model::descriptors_of(runs_of(cast)) == 128);
  isa::Descriptor apart = hbm_to_hbm(64);
  apart.count = {128, 1, 1, 64};
  apart.src.stride = {64, 0, 0, 1};
  apart.dst.stride = {128, 0, 0, 1};
  CHECK(runs_of(apart).joined == 1);
}

TEST_CASE("dma split: sums, accumulations, transpositions and row numbers do not join rows", "[dma]") {
  std::vector<isa::Descriptor> sources(2, rows_to_sbuf(128, 512, 512));
  model::TransferRequest request;
  request.sources = std::span(sources).first(1);
  REQUIRE(runs_of(request).joined == 4);
  request.transposes = true;
  CHECK(runs_of(request).joined == 1);
  request.transposes = false;
  request.sources = sources;
  CHECK(runs_of(request).joined == 1);
  request.sources = std::span(sources).first(1);
  sources[0].accumulate = true;
  CHECK(runs_of(request).joined == 1);
  sources[0].accumulate = false;
  request.indirect = isa::Indirection::kGather;
  for (std::uint32_t n = 0; n < 128; ++n) request.rows.push_back({n, n});
  CHECK(runs_of(request).joined == 1);
}
