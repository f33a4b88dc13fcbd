// SPDX-License-Identifier: Apache-2.0
// Attention of a decoding step: its order over a cache, golden values at odd sizes, times that do not depend
// on the mode, and errors that the definition must find.
#include "workloads/decode/decode.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <set>

#include "model/base/error.h"
#include "tests/support/program/transformer_run.h"
#include "workloads/decode/decode_definition.h"
#include "workloads/decode/decode_plan.h"

using namespace tahoma;

namespace {

void check(const tests::Settings& settings) { tests::check_workload(workloads::make_decode, settings); }

workloads::DecodeShape shape(std::uint64_t page, std::uint64_t group = 8, std::uint64_t d = 128) {
  workloads::DecodeShape s;
  s.lengths = {1};
  s.capacity = 8192;
  s.group = group;
  s.d = d;
  s.page = page;
  return s;
}

// The c-th token of a partition.
std::uint64_t token_of(const workloads::DecodeShape& s, const workloads::DecodePiece& piece, unsigned p,
                       unsigned c) {
  if (s.page == 0) return piece.first + std::uint64_t{p} * piece.depth + c;
  const bool full = p < piece.folds * piece.pages;
  const std::uint64_t page = full ? p % piece.pages : piece.pages,
                      fold = full ? p / piece.pages : p - piece.folds * piece.pages;
  return (piece.first + page) * s.page + fold * (s.page / piece.folds) + piece.token + c;
}

// All tokens of a sequence that its pieces assign to a chunk.
std::multiset<std::uint64_t> tokens_of(const workloads::DecodeShape& s, std::uint64_t length) {
  const auto tiling = workloads::decode_tiling(tests::machine_of(1, 1, 1), s);
  std::multiset<std::uint64_t> tokens;
  for (const workloads::DecodeBlock& block : workloads::decode_blocks(s, tiling, length)) {
    CHECK(block.chunks() >= 1);
    CHECK(block.chunks() * s.group <= 512);
    CHECK(block.pieces.size() <= tiling.block_pieces);
    for (const workloads::DecodePiece& piece : block.pieces)
      for (unsigned c = 0; c < piece.depth; ++c) {
        CHECK(piece.keys(c) >= 1);
        CHECK(piece.keys(c) <= 128);
        for (unsigned p = 0; p < piece.keys(c); ++p) tokens.insert(token_of(s, piece, p, c));
      }
  }
  return tokens;
}

runtime::HostTensor tensor(const char* name, std::vector<std::uint64_t> dimensions) {
  return runtime::input("", name, isa::DType::kBf16, std::move(dimensions), 3);
}

}  // namespace

TEST_CASE("decode: each token of a sequence is in one chunk", "[decode]") {
  const std::uint64_t page = GENERATE(0, 1, 16, 64, 100, 128, 1024);
  const std::uint64_t length = GENERATE(1, 2, 127, 128, 129, 1000, 2048, 4097, 8191, 8192);
  const std::uint64_t group = GENERATE(1, 8, 100);
  INFO("page " << page << ", length " << length << ", group " << group);
  const std::multiset<std::uint64_t> tokens = tokens_of(shape(page, group), length);
  CHECK(tokens.size() == length);
  CHECK(std::set<std::uint64_t>(tokens.begin(), tokens.end()).size() == length);
  CHECK(*tokens.rbegin() == length - 1);
}

TEST_CASE("decode: one load has 4 KiB per partition for any d", "[decode]") {
  const auto machine = tests::machine_of(1, 1, 1);
  for (const std::uint64_t d : {64, 128, 256}) {
    const auto tiling = workloads::decode_tiling(machine, shape(0, 8, d));
    CHECK(tiling.depth * d * 2 == 4096);
    CHECK(tiling.block_chunks == 64);
  }
}

TEST_CASE("decode: one token, one head, one element", "[decode][machine]") {
  check({{"batch", "1"}, {"context", "1"}, {"group", "1"}, {"d", "1"}});
}

TEST_CASE("decode: contexts of different lengths, several blocks, bf16", "[decode][machine]") {
  check({{"batch", "3"}, {"context", "9001"}, {"shorter_by", "4400"}, {"group", "8"}, {"d", "128"}});
}

TEST_CASE("decode: heads sharded over two cores, more queries than the array transposes at a time, fp16",
          "[decode][machine]") {
  check({{"batch", "5"},
         {"context", "300"},
         {"shorter_by", "77"},
         {"kv_heads", "3"},
         {"group", "40"},
         {"d", "80"},
         {"dtype", "fp16"},
         {"cores", "2"}});
}

TEST_CASE("decode: fp32", "[decode][machine]") {
  check({{"batch", "2"},
         {"context", "1300"},
         {"shorter_by", "1"},
         {"group", "3"},
         {"d", "77"},
         {"dtype", "fp32"}});
}

TEST_CASE("decode: pages, the last of each sequence partly filled", "[decode][machine]") {
  check({{"batch", "4"},
         {"context", "3001"},
         {"shorter_by", "999"},
         {"group", "8"},
         {"d", "64"},
         {"page_size", "16"},
         {"kv_heads", "2"},
         {"cores", "2"}});
}

TEST_CASE("decode: pages of one token, more pieces than are on chip at a time", "[decode][machine]") {
  check({{"batch", "2"},
         {"context", "2500"},
         {"shorter_by", "1"},
         {"group", "2"},
         {"d", "128"},
         {"page_size", "1"}});
}

TEST_CASE("decode: fewer pages than partitions, each of which holds a part", "[decode][machine]") {
  check({{"batch", "3"},
         {"context", "1300"},
         {"shorter_by", "273"},
         {"group", "8"},
         {"d", "128"},
         {"page_size", "128"}});
}

TEST_CASE("decode: a page larger than the context, fp32", "[decode][machine]") {
  check({{"batch", "2"},
         {"context", "70"},
         {"shorter_by", "69"},
         {"group", "5"},
         {"d", "33"},
         {"page_size", "100"},
         {"dtype", "fp32"}});
}

TEST_CASE("decode: heads of more elements than the array has rows, bf16", "[decode][machine]") {
  check({{"batch", "3"},
         {"context", "9001"},
         {"shorter_by", "4400"},
         {"kv_heads", "2"},
         {"group", "2"},
         {"d", "256"},
         {"cores", "2"}});
}

TEST_CASE("decode: pages of heads whose last part has one element", "[decode][machine]") {
  check({{"batch", "3"},
         {"context", "700"},
         {"shorter_by", "273"},
         {"group", "128"},
         {"d", "129"},
         {"page_size", "64"},
         {"dtype", "fp16"}});
}

TEST_CASE("decode: blocks of wide heads in fp32 fit", "[decode][machine]") {
  check({{"batch", "2"}, {"context", "5000"}, {"shorter_by", "1"}, {"d", "200"}, {"dtype", "fp32"}});
}

TEST_CASE("decode: a latent cache, whose rows are keys and values", "[decode][machine]") {
  check({{"batch", "3"},
         {"context", "2500"},
         {"shorter_by", "999"},
         {"group", "16"},
         {"d", "576"},
         {"latent", "512"}});
}

TEST_CASE("decode: pages of a latent cache, all of a key is the value, fp32", "[decode][machine]") {
  check({{"batch", "2"},
         {"context", "300"},
         {"shorter_by", "77"},
         {"group", "3"},
         {"d", "200"},
         {"latent", "200"},
         {"page_size", "16"},
         {"dtype", "fp32"}});
}

TEST_CASE("decode: the kernel supports another array", "[decode][machine]") {
  model::MachineParams machine = tests::machine_of(1, 1, 1);
  machine.chip.core.tensor.rows = machine.chip.core.tensor.columns = 32;
  tests::check_model(workloads::make_decode, machine,
                     {{"batch", "3"}, {"context", "700"}, {"shorter_by", "99"}, {"d", "128"}});
}

TEST_CASE("decode: heads wider than a PSUM bank, larger groups and missing cores are refused", "[decode]") {
  model::MachineParams machine = tests::machine_of(1, 1, 1);
  CHECK_THROWS_WITH(tests::workload_with(workloads::make_decode, {{"cores", "99"}})->check(machine),
                    Catch::Contains("E-RUN-063"));
  machine.chip.core.tensor.rows = machine.chip.core.tensor.columns = 64;
  CHECK_THROWS_WITH(tests::workload_with(workloads::make_decode, {{"d", "257"}})->check(machine),
                    Catch::Contains("E-RUN-098") && Catch::Contains("workload.d"));
  CHECK_THROWS_WITH(
      tests::workload_with(workloads::make_decode, {{"d", "64"}, {"latent", "65"}})->check(machine),
      Catch::Contains("E-RUN-098") && Catch::Contains("workload.latent"));
  const auto refuses = [&](const tests::Settings& settings, const char* place) {
    CHECK_THROWS_WITH(tests::workload_with(workloads::make_decode, settings)->check(machine),
                      Catch::Contains("E-RUN-098") && Catch::Contains(place));
  };
  refuses({{"d", "64"}, {"group", "65"}}, "workload.group");
  // A bank of 512 B: 256 elements of 2 B fill it; four parts and a sum of 25 heads do, too.
  machine.chip.core.psum.bank.count = 512;
  refuses({{"d", "256"}, {"dtype", "fp32"}}, "workload.d");
  refuses({{"d", "256"}, {"group", "26"}}, "workload.group");
  CHECK_NOTHROW(
      tests::workload_with(workloads::make_decode, {{"d", "256"}, {"group", "25"}})->check(machine));
}

// One token has all the weight, so the output is its value.
TEST_CASE("decode: the definition finds a wrong element in both layouts of the cache", "[decode]") {
  const runtime::HostTensor q = tensor("q", {2, 3, 4, 8});
  runtime::HostTensor o = runtime::make_tensor("o", isa::DType::kBf16, {2, 3, 4, 8});
  const bool paged = GENERATE(false, true);
  // Capacity for 5 tokens of 3 sequences, or 3 pages of 5 tokens, for each of 2 heads.
  const runtime::HostTensor k = tensor("k", {2, 3, 5, 8}), v = tensor("v", {2, 3, 5, 8});
  runtime::HostTensor table = runtime::make_tensor("table", isa::DType::kInt32, {3, 1});
  const std::int32_t pages[] = {2, 0, 1};
  std::memcpy(table.values.data(), pages, sizeof pages);
  for (std::uint64_t head = 0; head < 2; ++head)
    for (std::uint64_t b = 0; b < 3; ++b)
      for (std::uint64_t g = 0; g < 4; ++g) {
        const std::uint64_t place = paged ? static_cast<std::uint64_t>(pages[b]) : b;
        std::memcpy(o.values.data() + ((head * 3 + b) * 4 + g) * 16,
                    v.values.data() + (head * 3 + place) * 5 * 16, 16);
      }
  const workloads::DecodeTensors tensors{q, k, v, o, paged ? &table : nullptr, {1, 1, 1}};
  const auto nobody = [](std::uint64_t, std::uint64_t) { return std::string("nobody"); };
  CHECK(workloads::check_decode(tensors, nobody).passed());
  o.values[(2 * 4 * 8 + 3) * 2 + 1] ^= std::byte{0x80};  // the sign of one element
  const runtime::GoldenResult wrong = workloads::check_decode(tensors, nobody);
  CHECK(wrong.mismatches == 1);
  CHECK_THAT(wrong.first_mismatch, Catch::StartsWith("o[8, 3] = "));
}
