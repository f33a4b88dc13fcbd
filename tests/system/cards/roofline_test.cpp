// SPDX-License-Identifier: Apache-2.0
// The roofline of a card against figures computed by hand, and the work of a model against its closed forms.
#include "studies/cards/roofline.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "model/base/error.h"
#include "studies/cards/beside.h"
#include "studies/cards/model_work.h"
#include "tests/support/llama_8b.h"

using namespace tahoma;
using namespace base::literals;
using runtime::Card, runtime::CardEfficiency, runtime::CardRow, runtime::CardWork, runtime::ModelConfig;
using runtime::ModelDemand, runtime::ModelPhase;
using tests::llama_8b;

namespace {

// 100 TFLOPS, 1 TB/s, links of 200 GB/s in both directions; half of each is reached, 5 us a kernel, 7 us a
// collective.
Card simple_card() {
  Card card;
  card.bf16_tflops = 100;
  card.hbm_bandwidth = 1000_GBps;
  card.links = 200_GBps;
  card.devices = 8;
  card.efficiency = {0.5, 0.5, 0.5, 5_us, 7_us};
  return card;
}

double flops_of(const std::vector<CardWork>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [](double sum, const CardWork& work) { return sum + work.flops; });
}

double bytes_of(const std::vector<CardWork>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [](double sum, const CardWork& work) { return sum + work.bytes; });
}

}  // namespace

TEST_CASE("roofline: a part takes the longer of arithmetic and memory, its launches and its all_reduce",
          "[cards]") {
  const Card card = simple_card();
  const auto seconds = [&](const CardWork& work, double devices) {
    return seconds_of(card, card.efficiency, devices, work);
  };
  CHECK(seconds({"arithmetic", 1e12, 1e9, 0, 0}, 1) == Approx(1e12 / 50e12));
  CHECK(seconds({"memory", 1e9, 1e9, 0, 0}, 1) == Approx(1e9 / 500e9));
  CHECK(seconds({"launches", 0, 0, 3, 0}, 1) == Approx(15e-6));
  // A ring of four sends 2 * 3/4 of the bytes through half of 100 GB/s.
  CHECK(seconds({"all_reduce", 0, 0, 0, 1e6}, 4) == Approx(7e-6 + 1.5e6 / 50e9));
  CHECK(seconds({"alone", 0, 0, 0, 1e6}, 1) == 0);
  // At the peaks there are no overheads.
  CHECK(seconds_of(card, CardEfficiency::peak(), 4, {"peak", 1e12, 0, 3, 1e6}) ==
        Approx(1e12 / 100e12 + 1.5e6 / 100e9));
}

TEST_CASE("work of a model: FLOPs and bytes are the closed forms, on any number of devices", "[cards]") {
  const ModelConfig config = llama_8b();
  const ModelDemand demand{16, 1000, 2000};
  // Weights of a layer by hand: queries and outputs, keys and values, and three matrices of the feed-forward
  // network.
  const double weights = 2 * 4096.0 * 4096 + 2 * 4096.0 * 1024 + 3 * 4096.0 * 14336;
  for (const double devices : {1.0, 2.0, 8.0}) {
    INFO(devices);
    CHECK(devices * flops_of(layer_work(config, demand, ModelPhase::kDecode, devices)) ==
          Approx(16 * (2 * weights + 4 * 4096.0 * 2001)));
    CHECK(devices * flops_of(layer_work(config, demand, ModelPhase::kPrefill, devices)) ==
          Approx(1000 * 2 * weights + 4 * 4096.0 * 1000 * 1001 / 2));
    CHECK(devices * flops_of(ends_work(config, demand, ModelPhase::kDecode, devices)) ==
          Approx(16 * 2 * 4096.0 * 128256));
  }
  // A decoding step reads at least its weights and caches, and little more.
  const double needed = 2 * (weights + 16 * 2001 * 2 * 1024.0),
               read = bytes_of(layer_work(config, demand, ModelPhase::kDecode, 1));
  CHECK(read > needed);
  CHECK(read < 1.02 * needed);
}

TEST_CASE("work of a model: eight billion weights are what stays in memory", "[cards]") {
  // 8.03 billion weights are published; without norms.
  CHECK(resident_bytes(llama_8b(), {0, 1, 1}) == Approx(2 * 8.03e9).epsilon(0.001));
  // A sequence of 1,024 tokens: 32 layers of keys and values, 8 heads of 128 in two bytes.
  CHECK(resident_bytes(llama_8b(), {1, 1024, 1024}) - resident_bytes(llama_8b(), {0, 1024, 1024}) ==
        Approx(32 * 2 * 1024 * 1024 * 2));
}

TEST_CASE("work of a model: one token reads its experts, and many tokens read all", "[cards]") {
  ModelConfig config = llama_8b();
  config.experts = 8;
  config.experts_per_token = 2;
  const auto read = [&](std::uint64_t batch) {
    return bytes_of(layer_work(config, {batch, 1, 1}, ModelPhase::kDecode, 1));
  };
  const ModelConfig dense = llama_8b();
  const auto read_dense = [&](std::uint64_t batch) {
    return bytes_of(layer_work(dense, {batch, 1, 1}, ModelPhase::kDecode, 1));
  };
  const auto router = [](double tokens) { return 2 * (4096 * 8 + tokens * (4096 + 8)); };
  const double expert = 2 * 3 * 4096.0 * 14336;
  CHECK(read(1) == Approx(read_dense(1) + expert + router(1)));
  CHECK(read(4096) == Approx(read_dense(4096) + 7 * expert + router(4096)));
}

TEST_CASE("beside: no estimate is shorter than its bound, and devices are checked", "[cards]") {
  const ModelConfig config = llama_8b();
  for (const Card& card : runtime::shipped_cards()) {
    const CardRow row = card_row(config, card.key, {16, 1024, 1024});
    INFO(card.key);
    CHECK(row.estimate.ttft >= row.bound.ttft);
    CHECK(row.estimate.tpot >= row.bound.tpot);
    CHECK(row.joules_per_token().has_value() == (card.power.uw > 0));
  }
  // 8 GB of caches and 16 GB of weights do not fit into less than two devices of 16 GB.
  CHECK(card_row(config, "tpu_v6e", {16, 1024, 1024}).devices == 1);
  CHECK(card_row(config, "tpu_v6e", {256, 1024, 1024}).devices == 2);
  for (const char* wanted : {"h200:0", "h200:16", "h200:3", "h200:many", "tpu_v6e:1"})
    CHECK_THROWS_WITH(card_row(config, wanted, {256, 1024, 1024}), Catch::Contains("E-CRD-004"));
}
