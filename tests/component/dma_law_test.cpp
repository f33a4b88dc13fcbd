// SPDX-License-Identifier: Apache-2.0
// How transfers are cut, and how long their packets take: closed forms and silicon.
#include <catch2/catch.hpp>

#include "model/engine/dma_split.h"
#include "model/engine/dma_timing.h"
#include "tests/support/machine_fixture.h"

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

model::Runs runs_of(const isa::Descriptor& d) {
  model::TransferRequest request;
  request.sources = {&d, 1};
  return model::runs_of(request);
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
  CHECK(model::byte_offset(request, d.src, model::runs_of(request), 5, 7) == (5 * 4096 + 7) * 2);
}

TEST_CASE("dma split: rows by number stay apart even where they follow each other, and go to their places",
          "[dma]") {
  const auto d = rows_to_sbuf(4, 256, 256);
  model::TransferRequest request;
  request.sources = {&d, 1};
  request.indirect = isa::Indirection::kGather;
  request.rows = {{0, 7}, {1, 8}, {3, 2}};  // row 2 is left out
  const auto runs = model::runs_of(request);
  CHECK(runs.rows == 3);
  CHECK(runs.run_elements == 256);
  for (std::uint64_t r = 0; r < 3; ++r)
    CHECK(model::byte_offset(request, d.src, runs, r, 5) ==
          (std::int64_t{request.rows[r].number} * 256 + 5) * 2);
}

TEST_CASE("dma split: a gather whose rows are all left out is no work for any engine", "[dma]") {
  const auto d = rows_to_sbuf(4, 256, 256);
  model::TransferRequest request;
  request.sources = {&d, 1};
  request.indirect = isa::Indirection::kGather;
  const auto runs = model::runs_of(request);
  CHECK(runs.units() == 0);
  for (unsigned e = 0; e < 16; ++e) CHECK(model::share_of(runs, e).last == 0);
}

TEST_CASE("dma split: a sum has the runs that are contiguous in every source", "[dma]") {
  std::vector<isa::Descriptor> sources(3, rows_to_sbuf(8, 64, 64));
  sources[2].src.stride = {128, 0, 0, 2};
  model::TransferRequest request;
  request.sources = sources;
  CHECK(model::runs_of(request).rows == 8 * 64);
  request.sources = std::span(sources).first(2);
  CHECK(model::runs_of(request).rows == 8);
}

TEST_CASE("dma split: what transposes has the runs of its source", "[dma]") {
  isa::Descriptor d = rows_to_sbuf(64, 32, 1024);
  d.dst.across = 3;
  d.dst.stride = {1, 0, 0, 0};
  model::TransferRequest request;
  request.sources = {&d, 1};
  CHECK(model::runs_of(request).run_elements == 1);
  request.transposes = true;
  CHECK(model::runs_of(request).rows == 64);
  CHECK(model::runs_of(request).run_elements == 32);
}

TEST_CASE("dma packet: contiguous runs take the times of silicon", "[dma][timing]") {
  const auto params = tests::default_machine().chip.core.dma;
  // bytes of one run, measured nanoseconds back to back
  for (const auto& [bytes, silicon] :
       {std::pair{4000, 151.76}, {512, 21.18}, {256, 12.94}, {2304, 87.06}, {8192, 305.88}}) {
    model::PacketShape packet;
    packet.run_bytes = static_cast<std::uint64_t>(bytes);
    INFO(bytes << " bytes");
    CHECK(model::packet_time(packet, params).ns() ==
          Approx(silicon).margin(1.2));  // one DMA cycle: 2..4 are measured
  }
}

TEST_CASE("dma packet: tiny DRAM-to-DRAM elements cost 94 ns each", "[dma][timing]") {
  const auto params = tests::default_machine().chip.core.dma;
  const model::PacketShape packet{64, 2, true, true, false, 1, 100};
  CHECK(model::packet_time(packet, params).ns() == Approx(64 * 94.0));
}

TEST_CASE("dma packet: accumulation reads both operands", "[dma][timing]") {
  const auto params = tests::default_machine().chip.core.dma;
  const model::PacketShape plain{1, 4096, false, true, false, 1, 100},
      sum{1, 4096, false, true, true, 1, 100};
  CHECK(model::packet_time(sum, params) == model::packet_time(plain, params) * 2);
}

TEST_CASE("dma packet: every source of a sum takes its bytes and its overhead", "[dma][timing]") {
  const auto params = tests::default_machine().chip.core.dma;
  const base::Clock clock(params.clock);
  for (std::uint64_t sources = 1; sources <= 16; ++sources) {
    const model::PacketShape packet{3, 1000, true, false, false, sources, 100};
    const auto cycles = static_cast<std::int64_t>(3 * sources * (32 + 3));  // ceil(1000 / 32) = 32
    CHECK(model::packet_time(packet, params) == clock.length({cycles}));
  }
}

TEST_CASE("dma packet: a transposition reaches nine tenths or a half of the throughput", "[dma][timing]") {
  const auto params = tests::default_machine().chip.core.dma;
  const base::Clock clock(params.clock);
  const model::PacketShape plain{16, 256, true, false, false, 1, 100};
  REQUIRE(model::packet_time(plain, params) == clock.length({16 * 11}));
  model::PacketShape turned = plain;
  turned.throughput_percent = params.transpose_from_hbm;
  CHECK(model::packet_time(turned, params) == clock.length({196}));  // 176 / 0.9, rounded up
  turned.throughput_percent = params.transpose_on_chip;
  CHECK(model::packet_time(turned, params) == clock.length({352}));
}
