// SPDX-License-Identifier: Apache-2.0
// Softmax, layer norm and RMS norm, forward and backward: golden values and equal times in both modes, at odd
// sizes, and cases that the definitions refuse. Each case elaborates one machine; a second one runs in a
// child process.
#include "workloads/norm/norm.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/program/workload_run.h"
#include "workloads/norm/norm_definition.h"
#include "workloads/rms_norm/rms_norm.h"

namespace {

using namespace tahoma;
using tests::Settings;

Settings sizes(const char* rows, const char* columns, const char* dtype, const char* cores = "1") {
  return {{"rows", rows}, {"columns", columns}, {"dtype", dtype}, {"cores", cores}};
}

runtime::HostTensor tensor(std::vector<std::uint64_t> shape, const std::vector<float>& values) {
  runtime::HostTensor t = runtime::make_tensor("t", isa::DType::kFp32, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i)
    isa::store_from_fp32(t.values.data() + i * sizeof(float), isa::DType::kFp32, values[i]);
  return t;
}

const runtime::MadeBy kUnknownMaker = [](std::uint64_t, std::uint64_t) { return std::string("nobody"); };

}  // namespace

TEST_CASE("softmax: rows on three cores, nothing a multiple of anything, bf16", "[norm]") {
  tests::check_workload(workloads::make_softmax, sizes("389", "515", "bf16", "3"));
}
TEST_CASE("softmax: one element is 1", "[norm]") {
  tests::check_workload(workloads::make_softmax, sizes("1", "1", "fp32"));
}
TEST_CASE("softmax: fp16, one more row than a tile", "[norm]") {
  tests::check_workload(workloads::make_softmax, sizes("129", "77", "fp16"));
}
TEST_CASE("softmax: the widest rows in fp32 take one buffer each", "[norm]") {
  tests::check_workload(workloads::make_softmax, sizes("130", "16384", "fp32"));
}
TEST_CASE("softmax backward: rows on two cores, bf16", "[norm]") {
  tests::check_workload(workloads::make_softmax_backward, sizes("300", "514", "bf16", "2"));
}
TEST_CASE("softmax backward: an odd width, fp16", "[norm]") {
  tests::check_workload(workloads::make_softmax_backward, sizes("130", "33", "fp16"));
}
TEST_CASE("softmax backward: rows of several pieces, fp32", "[norm]") {
  tests::check_workload(workloads::make_softmax_backward, sizes("131", "4099", "fp32"));
}
TEST_CASE("softmax backward: the widest rows, bf16", "[norm]") {
  tests::check_workload(workloads::make_softmax_backward, sizes("130", "16384", "bf16"));
}

TEST_CASE("layer norm: rows on three cores, nothing a multiple of anything, bf16", "[norm]") {
  tests::check_workload(workloads::make_layer_norm, sizes("389", "515", "bf16", "3"));
}
TEST_CASE("layer norm: one element is the bias", "[norm]") {
  tests::check_workload(workloads::make_layer_norm, sizes("1", "1", "fp32"));
}
TEST_CASE("layer norm: a gain that does not stay in PSUM, fp16", "[norm]") {
  tests::check_workload(workloads::make_layer_norm, sizes("130", "2500", "fp16"));
}
TEST_CASE("layer norm: the widest rows, fp32", "[norm]") {
  tests::check_workload(workloads::make_layer_norm, sizes("129", "16384", "fp32"));
}
TEST_CASE("layer norm backward: rows on three cores, bf16", "[norm]") {
  tests::check_workload(workloads::make_layer_norm_backward, sizes("389", "515", "bf16", "3"));
}
TEST_CASE("layer norm backward: one element has no gradient", "[norm]") {
  tests::check_workload(workloads::make_layer_norm_backward, sizes("1", "1", "fp32"));
}
TEST_CASE("layer norm backward: a gain that does not stay in PSUM, fp16", "[norm]") {
  tests::check_workload(workloads::make_layer_norm_backward, sizes("257", "3333", "fp16"));
}
TEST_CASE("layer norm backward: the widest rows, bf16", "[norm]") {
  tests::check_workload(workloads::make_layer_norm_backward, sizes("130", "16384", "bf16"));
}

TEST_CASE("rms norm: rows on three cores, nothing a multiple of anything, bf16", "[norm]") {
  tests::check_workload(workloads::make_rms_norm, sizes("389", "515", "bf16", "3"));
}
TEST_CASE("rms norm: one element is its sign times the gain", "[norm]") {
  tests::check_workload(workloads::make_rms_norm, sizes("1", "1", "fp32"));
}
TEST_CASE("rms norm: the widest rows, fp32", "[norm]") {
  tests::check_workload(workloads::make_rms_norm, sizes("129", "16384", "fp32"));
}
// Rows of whole pieces of 512 columns, fewer than half of the partitions, are spread over several partitions
// each.
TEST_CASE("rms norm: 16 folded rows of the widest, bf16", "[norm]") {
  tests::check_workload(workloads::make_rms_norm, sizes("16", "16384", "bf16"));
}
TEST_CASE("rms norm: 64 folded rows in two parts of 16 pieces, fp32", "[norm]") {
  tests::check_workload(workloads::make_rms_norm, sizes("64", "16384", "fp32"));
}
TEST_CASE("rms norm: 17 folded rows of 10 pieces, fp16, residual", "[norm]") {
  tests::Settings all = sizes("17", "5120", "fp16");
  all.emplace_back("residual", "true");
  tests::check_workload(workloads::make_rms_norm, all);
}
TEST_CASE("rms norm: residual, rows on three cores, bf16", "[norm]") {
  tests::Settings all = sizes("389", "4615", "bf16", "3");
  all.emplace_back("residual", "true");
  tests::check_workload(workloads::make_rms_norm, all);
}
TEST_CASE("rms norm: residual, the widest rows, fp32", "[norm]") {
  tests::Settings all = sizes("129", "16384", "fp32");
  all.emplace_back("residual", "true");
  tests::check_workload(workloads::make_rms_norm, all);
}
TEST_CASE("rms norm backward: rows on three cores, bf16", "[norm]") {
  tests::check_workload(workloads::make_rms_norm_backward, sizes("389", "515", "bf16", "3"));
}
TEST_CASE("rms norm backward: fp32, one more row than two tiles", "[norm]") {
  tests::check_workload(workloads::make_rms_norm_backward, sizes("257", "1030", "fp32"));
}
TEST_CASE("rms norm backward: the widest rows in fp32 take one buffer each", "[norm]") {
  tests::check_workload(workloads::make_rms_norm_backward, sizes("130", "16384", "fp32"));
}

TEST_CASE("norms: more cores than the machine has are refused", "[norm]") {
  const auto workload = tests::workload_with(workloads::make_softmax, {{"cores", "9"}});
  CHECK_THROWS_WITH(workload->check(tests::machine_of(1, 1, 1)),
                    Catch::Contains("workload.cores: error[E-RUN-063]"));
  CHECK_NOTHROW(
      tests::workload_with(workloads::make_softmax, {{"cores", "8"}})->check(tests::machine_of(1, 1, 1)));
}

TEST_CASE("norms: rows wider than 16384 are refused", "[norm]") {
  for (const auto& make : {workloads::make_softmax, workloads::make_layer_norm_backward})
    CHECK_THROWS_WITH(tests::workload_with(make, {{"columns", "16385"}}),
                      Catch::Contains("workload.columns") && Catch::Contains("16384"));
}

TEST_CASE("softmax: the definition refuses a wrong probability", "[norm]") {
  const auto x = tensor({1, 2}, {0, 0});
  CHECK(workloads::check_softmax(x, tensor({1, 2}, {0.5F, 0.5F}), kUnknownMaker).passed());
  CHECK(workloads::check_softmax(x, tensor({1, 2}, {0.5F, 0.50001F}), kUnknownMaker).mismatches == 1);
}

TEST_CASE("softmax backward: the definition refuses a wrong gradient", "[norm]") {
  const auto y = tensor({1, 2}, {0.25F, 0.75F}), dy = tensor({1, 2}, {1, 0});
  CHECK(
      workloads::check_softmax_backward(y, dy, tensor({1, 2}, {0.1875F, -0.1875F}), kUnknownMaker).passed());
  CHECK(workloads::check_softmax_backward(y, dy, tensor({1, 2}, {0.1875F, 0.1875F}), kUnknownMaker)
            .mismatches == 1);
}

TEST_CASE("layer norm: the definition refuses a wrong output, mean or rstd", "[norm]") {
  // Mean 2, distances -1 and 1, variance 1; epsilon 3 makes rstd a half.
  const auto x = tensor({1, 2}, {1, 3}), g = tensor({1, 2}, {2, 4}), b = tensor({1, 2}, {10, 20});
  const workloads::LayerNormValues in{x, g, b, 3};
  CHECK(workloads::check_layer_norm(in, tensor({1, 2}, {9, 22}), kUnknownMaker).passed());
  CHECK(workloads::check_layer_norm(in, tensor({1, 2}, {9, 22.001F}), kUnknownMaker).mismatches == 1);
  CHECK(workloads::check_layer_norm_mean(in, tensor({1, 1}, {2}), kUnknownMaker).passed());
  CHECK_FALSE(workloads::check_layer_norm_mean(in, tensor({1, 1}, {2.0001F}), kUnknownMaker).passed());
  CHECK(workloads::check_layer_norm_rstd(in, tensor({1, 1}, {0.5F}), kUnknownMaker).passed());
  CHECK_FALSE(workloads::check_layer_norm_rstd(in, tensor({1, 1}, {0.5001F}), kUnknownMaker).passed());
}

TEST_CASE("layer norm backward: the definition refuses a wrong gradient", "[norm]") {
  // n = (x - 2) / 2 = {-1/2, 1/2}, h = dy g / 2 = {1, 4}: mean h 2.5, mean of h n 0.75.
  const auto x = tensor({1, 2}, {1, 3}), dy = tensor({1, 2}, {1, 2}), g = tensor({1, 2}, {2, 4}),
             mean = tensor({1, 1}, {2}), rstd = tensor({1, 1}, {0.5F});
  const workloads::NormBackwardValues in{x, dy, g, &mean, &rstd};
  CHECK(workloads::check_norm_backward(in, tensor({1, 2}, {-1.125F, 1.125F}), kUnknownMaker).passed());
  CHECK(workloads::check_norm_backward(in, tensor({1, 2}, {-1.125F, 1.126F}), kUnknownMaker).mismatches == 1);
  const auto gradient = [&](workloads::Gradient what, const std::vector<float>& got) {
    return workloads::check_norm_gradient(in, what, {{0, 1}}, tensor({1, 2}, got), kUnknownMaker).mismatches;
  };
  CHECK(gradient(workloads::Gradient::kGain, {-0.5F, 1}) == 0);
  CHECK(gradient(workloads::Gradient::kGain, {-0.5F, 1.001F}) == 1);
  CHECK(gradient(workloads::Gradient::kBias, {1, 2}) == 0);
  CHECK(gradient(workloads::Gradient::kBias, {1.001F, 2}) == 1);
}

TEST_CASE("rms norm backward: the definition recomputes rstd", "[norm]") {
  // Mean square 5 and epsilon 4: rstd 1/3, n = {1/3, 1}, h = {1, 2} / 3, mean of h n 7/18.
  const auto x = tensor({1, 2}, {1, 3}), dy = tensor({1, 2}, {1, 2}), g = tensor({1, 2}, {1, 1});
  const workloads::NormBackwardValues in{x, dy, g, nullptr, nullptr, 4};
  const float first = 1.0F / 3 - 7.0F / 54, second = 2.0F / 3 - 7.0F / 18;
  CHECK(workloads::check_norm_backward(in, tensor({1, 2}, {first, second}), kUnknownMaker).passed());
  CHECK(workloads::check_norm_backward(in, tensor({1, 2}, {first, -second}), kUnknownMaker).mismatches == 1);
}
