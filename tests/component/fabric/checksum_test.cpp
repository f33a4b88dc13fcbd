// SPDX-License-Identifier: Apache-2.0
// Checksums of packets; each check can fail: because of data, their position or the packet.
#include <catch2/catch.hpp>
#include <random>

#include "model/engine/dma/dma_share.h"
#include "model/engine/dma/transfer/transfer_side.h"
#include "model/link/landed_data.h"
#include "model/memory/scratchpad/scratchpad.h"
#include "model/system/statistics/statistics.h"
#include "tests/support/bench/dma_bench.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/program/refusal_of.h"

using namespace tahoma;
using isa::DType, isa::Space;

namespace {

using Piece = std::span<const std::byte>;

std::uint64_t chip_address(std::uint32_t chip, std::uint64_t offset) {
  return isa::GlobalAddress{chip, 0, offset}.bits();
}

// Fills 256 KiB of stack 0 of every chip with bytes that do not repeat over short distances.
struct Memory : sim::BackdoorIf {
  static constexpr std::size_t kBytes = 1 << 18;
  explicit Memory(std::uint32_t chips) : chips_(chips) {
    std::mt19937 random(3);
    for (auto& chip : chips_) {
      chip.resize(kBytes);
      for (std::byte& b : chip) b = static_cast<std::byte>(random());
    }
  }
  void check(std::uint64_t, std::uint64_t) const override {}
  std::byte* at(std::uint64_t address, std::uint64_t bytes) override {
    const auto a = isa::GlobalAddress::from(address);
    if (a.offset + bytes > kBytes) throw std::out_of_range("the test's memory");
    return chips_.at(a.chip).data() + a.offset;
  }
  sim::KnownBytes& known() override { return known_; }

 private:
  std::vector<std::vector<std::byte>> chips_;
  sim::KnownBytes known_;
};

sim::RowPattern four_rows(std::int64_t stride) {
  sim::RowPattern rows;
  rows.start(512);
  rows.add(3, stride);
  return rows;
}

// A write of four rows from chip 1 to chip 0, in flight.
struct Write {
  sim::PayloadPool pool;
  sim::Payload* payload = pool.take(tlm::TLM_WRITE_COMMAND, chip_address(0, 0x1000), 2048);
  sim::PacketInfo& info = sim::info_of(*payload);

  explicit Write(Memory& memory) {
    info.from_chip = 1;
    info.source_core = 11;
    info.engine = 6;
    info.rows = four_rows(4096);
    info.checksum = sim::checksum_at(memory, payload->get_address(), info.rows);
  }
  ~Write() { payload->release(); }
};

// A transfer of core 0 on chip 0, in the form that its DMA engines receive.
struct Rung {
  std::vector<isa::Descriptor> sources;
  model::TransferRequest request;
  model::Transfer transfer;

  Rung(std::vector<isa::Descriptor> of, std::uint64_t dst, std::uint64_t src, const model::DmaParams& params)
      : sources(std::move(of)) {
    request.sources = sources;
    request.dst = dst;
    request.src = src;
    transfer.request = request;
    transfer.runs = model::runs_of(request, params);
    transfer.element = 4;
  }
};

// 96 rows of 40 fp32, 100 apart at the source and contiguous at the destination.
isa::Descriptor packing() {
  isa::Descriptor d;
  d.count = {96, 1, 1, 40};
  d.src = {Space::kHbm, DType::kFp32, 0, 0, 0, 0, {100, 0, 0, 1}};
  d.dst = {Space::kHbm, DType::kFp32, 0, 0, 0, 0, {40, 0, 0, 1}};
  return d;
}

struct Core {
  model::Scratchpad sbuf{128, 1 << 16}, psum{128, 1 << 14};
  Memory hbm{3};
  model::CoreMemories memories{sbuf, psum, hbm};
  model::DmaParams params = tests::default_machine().chip.core.dma;
};

}  // namespace

TEST_CASE("checksum: it covers all bytes in order, however they are divided, and their start", "[dma]") {
  std::vector<std::byte> data(4096);
  std::mt19937 random(1);
  for (std::byte& b : data) b = static_cast<std::byte>(random());
  const auto sum = [&](std::uint64_t address) { return sim::checksum_of(address, std::array{Piece(data)}); };
  const std::uint64_t whole = sum(64);
  for (std::size_t cut = 0; cut <= data.size(); cut += 97) {
    const std::array pieces{Piece(data).first(cut), Piece(data).subspan(cut)};
    REQUIRE(sim::checksum_of(64, pieces) == whole);
    const std::array turned{pieces[1], pieces[0]};
    REQUIRE((cut == 0 || sim::checksum_of(64, turned) != whole));
  }
  CHECK(sum(128) != whole);
  for (const std::size_t n : {0U, 1U, 2048U, 4095U}) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      data[n] ^= static_cast<std::byte>(1U << bit);
      REQUIRE(sum(64) != whole);
      data[n] ^= static_cast<std::byte>(1U << bit);
    }
  }
  CHECK(sum(64) == whole);
}

TEST_CASE("checksum: rows in another order are other data and another packet", "[dma]") {
  Memory memory(1);
  const auto forth = sim::checksum_at(memory, 0x1000, four_rows(4096));
  const auto back = sim::checksum_at(memory, 0x1000 + 3 * 4096, four_rows(-4096));
  CHECK(forth.data != back.data);
  CHECK(forth.rows != back.rows);
  CHECK(forth == sim::checksum_at(memory, 0x1000, four_rows(4096)));
}

TEST_CASE("checksum: a write whose data were overwritten in flight is refused, with its sender", "[link]") {
  Memory memory(2);
  Write write(memory);
  CHECK(model::check_landed(*write.payload, memory) == write.info.checksum.data);
  *memory.at(chip_address(0, 0x1000 + 2 * 4096 + 511), 1) ^= std::byte{1};
  const std::string refusal = tests::refusal_of([&] { model::check_landed(*write.payload, memory); });
  for (const char* part : {"chip 0, stack 0, offset 0x1000: error[E-RUN-067]", "2048 bytes in 4 rows",
                           "from chip 1", "core 11", "DMA engine 6"})
    CHECK_THAT(refusal, Catch::Contains(part));
}

TEST_CASE("checksum: a write that names other rows than it set out with is our own fault", "[link]") {
  Memory memory(2);
  Write write(memory);
  write.info.rows = four_rows(2048);
  CHECK_THROWS_AS(model::check_landed(*write.payload, memory), base::InvariantError);
  write.info.rows = four_rows(4096);
  write.payload->set_address(chip_address(0, 0x1200));
  CHECK_THROWS_AS(model::check_landed(*write.payload, memory), base::InvariantError);
}

TEST_CASE("checksum: an answer must carry the data that its transfer took", "[dma]") {
  Memory memory(2);
  Write read(memory);
  const sim::Checksum taken = read.info.checksum;
  CHECK_NOTHROW(model::check_answer(*read.payload, taken));
  *memory.at(chip_address(0, 0x1000), 1) ^= std::byte{1};
  read.info.checksum = sim::checksum_at(memory, chip_address(0, 0x1000), read.info.rows);
  const std::string refusal = tests::refusal_of([&] { model::check_answer(*read.payload, taken); });
  for (const char* part : {"chip 0, stack 0, offset 0x1000: error[E-RUN-069]", "core 11", "DMA engine 6"})
    CHECK_THAT(refusal, Catch::Contains(part));
  read.info.checksum.rows ^= 1;
  CHECK_THROWS_AS(model::check_answer(*read.payload, taken), base::InvariantError);
}

TEST_CASE("checksum: the network checks and adds up landed data", "[link]") {
  tests::DmaBench bench(tests::flat_chip(), tests::Answers::kAtOnce);
  Memory memory(2);
  bench.network.values(memory);
  std::uint64_t sum = 0;
  for (const std::uint64_t offset : {0x0, 0x4000, 0x9000}) {
    sim::RowPattern row;
    row.start(4096);
    const auto engine = static_cast<std::uint8_t>(offset >> 12);
    const sim::Checksum sent = sim::checksum_at(memory, offset, row);
    bench.land(offset, 4096, engine, sent);
    sum += sent.data;
  }
  CHECK(bench.network.received()[1].checksums == sum);
  CHECK(bench.network.received()[1].bytes == 12288);
  sim::Checksum wrong = sim::checksum_at(memory, 0, four_rows(512));
  CHECK_THROWS_AS(bench.land(0x20000, 4096, 10, wrong), base::InvariantError);
}

TEST_CASE("checksum: without values the network lets every packet pass", "[link]") {
  tests::DmaBench bench(tests::flat_chip(), tests::Answers::kAtOnce);
  bench.land(0x4000, 4096, 1, {1, 2});
  CHECK(bench.network.received()[1].bytes == 4096);
  CHECK(bench.network.received()[1].checksums == 0);
}

TEST_CASE("checksum: every packet of a transfer has those of its own bytes", "[dma]") {
  Core core;
  Rung t({packing()}, chip_address(1, 0x4000), chip_address(0, 0x800), core.params);
  for (std::uint32_t row = 0; row < 96; ++row)
    std::copy_n(core.hbm.at(chip_address(0, 0x800 + row * 400), 160), 160,
                core.hbm.at(chip_address(1, 0x4000 + row * 160), 160));
  model::take_checksums(t.transfer, 0, core.params, core.memories);
  const auto range = model::share_of(t.transfer.runs, 0);
  const model::Share share{&t.transfer, {}, range.first, range.last};
  const model::DmaPacket first = share.next_packet(core.params);
  sim::RowPattern rows;
  model::describe_rows(rows, t.transfer, t.sources[0].dst, first);
  CHECK(t.transfer.checksums.of(t.transfer.runs, first, 1) ==
        sim::checksum_at(core.hbm, chip_address(1, 0x4000), rows));
  CHECK_THROWS_AS(t.transfer.checksums.of(t.transfer.runs, first, 0), base::InvariantError);  // stays here
}

TEST_CASE("checksum: values that moved elsewhere than packets go are our own fault", "[dma]") {
  Core core;
  Rung t({packing()}, chip_address(1, 0x4000), chip_address(0, 0x800), core.params);
  CHECK_THROWS_AS(model::take_checksums(t.transfer, 0, core.params, core.memories), base::InvariantError);
}

TEST_CASE("checksum: packets that are cut from other rows than the descriptor's are our own fault", "[dma]") {
  Core core;
  Rung sound({packing()}, chip_address(0, 0x800), chip_address(1, 0x4000), core.params);
  CHECK_NOTHROW(model::take_checksums(sound.transfer, 0, core.params, core.memories));
  Rung cut({packing()}, chip_address(0, 0x800), chip_address(1, 0x4000), core.params);
  cut.transfer.runs.run_elements = 20;  // as if two runs formed a row
  cut.transfer.runs.rows = 192;
  CHECK_THROWS_AS(model::take_checksums(cut.transfer, 0, core.params, core.memories), base::InvariantError);
}

TEST_CASE("checksum: the accounting of two chips balances only if packets, bytes and data are equal",
          "[link]") {
  const model::OnChipNetwork::Traffic sent{3, 4096, 77};
  CHECK_NOTHROW(model::check_traffic("chip00", "chip01", sent, sent));
  for (const model::OnChipNetwork::Traffic& other :
       {model::OnChipNetwork::Traffic{2, 4096, 77}, model::OnChipNetwork::Traffic{3, 4095, 77},
        model::OnChipNetwork::Traffic{3, 4096, 78}})
    CHECK_THROWS_AS(model::check_traffic("chip00", "chip01", sent, other), base::InvariantError);
}
