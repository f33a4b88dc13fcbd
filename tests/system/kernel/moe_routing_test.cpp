// SPDX-License-Identifier: Apache-2.0
// Routing of a mixture of experts: golden decisions at odd sizes, times that do not depend on the mode, ties,
// and a closed form that the definition must satisfy.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "model/base/error.h"
#include "tests/support/program/workload_run.h"
#include "workloads/moe/routing.h"
#include "workloads/moe/routing_definition.h"

using namespace tahoma;

namespace {

void check_routing(const tests::Settings& settings) {
  tests::check_workload(workloads::make_moe_routing, settings);
}
void check_router(const tests::Settings& settings) {
  tests::check_workload(workloads::make_moe_router, settings);
}

runtime::MadeBy nobody(const std::string&) {
  return [](std::uint64_t, std::uint64_t) { return std::string("nobody"); };
}

runtime::HostTensor integers(const char* name, std::vector<std::uint64_t> shape,
                             std::vector<std::int32_t> values) {
  runtime::HostTensor tensor = runtime::make_tensor(name, isa::DType::kInt32, std::move(shape));
  std::memcpy(tensor.values.data(), values.data(), values.size() * 4);
  return tensor;
}
runtime::HostTensor reals(const char* name, std::vector<std::uint64_t> shape, std::vector<float> values) {
  runtime::HostTensor tensor = runtime::make_tensor(name, isa::DType::kFp32, std::move(shape));
  std::memcpy(tensor.values.data(), values.data(), values.size() * 4);
  return tensor;
}

// Three tokens, two of them on one core; the second has equal logits.
struct Known {
  runtime::HostTensor logits = reals("logits", {3, 3}, {0, std::log(3.0F), -50, 1, 1, 1, 0, 2, 2}),
                      gates = reals("gates", {3, 2}, {0.75F, 0.25F, 0.5F, 0.5F, 0.5F, 0.5F}),
                      chosen = integers("chosen", {3, 2}, {1, 0, 0, 1, 1, 2}),
                      places = integers("places", {3, 2}, {0, 0, 1, 1, 0, 0}),
                      counts = integers("counts", {2, 3}, {2, 2, 0, 0, 1, 1});
  runtime::GoldenResult checked() const {
    workloads::RoutingTensors t{logits, chosen, gates, places, counts};
    t.tokens_of_core = {2, 1};
    return workloads::check_routing(t, nobody);
  }
};

}  // namespace

TEST_CASE("moe routing: one token, one expert", "[moe][machine]") {
  check_routing({{"tokens", "1"}, {"experts", "1"}, {"top_k", "1"}});
}

TEST_CASE("moe routing: tokens sharded over three cores, gates of a softmax over all", "[moe][machine]") {
  check_routing(
      {{"tokens", "700"}, {"experts", "37"}, {"top_k", "3"}, {"normalised", "false"}, {"cores", "3"}});
}

TEST_CASE("moe routing: all eight results of a search, more tokens than one load", "[moe][machine]") {
  check_routing({{"tokens", "1025"}, {"experts", "128"}, {"top_k", "8"}});
}

TEST_CASE("moe router: bf16, parts of everything", "[moe][machine]") {
  check_router({{"tokens", "1300"}, {"hidden", "300"}, {"experts", "60"}, {"top_k", "2"}, {"cores", "2"}});
}

TEST_CASE("moe router: fp32", "[moe][machine]") {
  check_router({{"tokens", "130"}, {"hidden", "129"}, {"experts", "5"}, {"top_k", "4"}, {"dtype", "fp32"}});
}

// Products of one element each: some of the largest of 512 bf16 numbers below 1 are equal.
TEST_CASE("moe router: one element and many experts, so that logits tie", "[moe][machine]") {
  check_router({{"tokens", "64"}, {"hidden", "1"}, {"experts", "512"}, {"top_k", "7"}});
}

TEST_CASE("moe routing: more experts of a token than there are is refused", "[moe]") {
  CHECK_THROWS_WITH(tests::workload_with(workloads::make_moe_routing, {{"experts", "2"}, {"top_k", "3"}})
                        ->check(tests::machine_of(1, 1, 1)),
                    Catch::Contains("E-RUN-097") && Catch::Contains("the 2 experts"));
}

TEST_CASE("moe routing: the definition is right for ties and finds an error in each output", "[moe]") {
  CHECK(Known().checked().passed());
  Known gates;
  gates.gates = reals("gates", {3, 2}, {0.75F, 0.25F, 0.5F, 0.5F, 0.51F, 0.49F});
  CHECK_THAT(gates.checked().first_mismatch, Catch::StartsWith("gates[2, 0] = "));
  Known chosen;
  chosen.chosen = integers("chosen", {3, 2}, {1, 0, 1, 0, 1, 2});
  CHECK_THAT(chosen.checked().first_mismatch, Catch::StartsWith("chosen[1, 0] = "));
  Known places;
  places.places = integers("places", {3, 2}, {0, 0, 1, 0, 0, 0});
  CHECK_THAT(places.checked().first_mismatch, Catch::StartsWith("places[1, 1] = "));
  Known counts;
  counts.counts = integers("counts", {2, 3}, {2, 2, 1, 0, 1, 1});
  CHECK_THAT(counts.checked().first_mismatch, Catch::StartsWith("counts[0, 2] = "));
}
