// SPDX-License-Identifier: Apache-2.0
// Cross-entropy: golden losses and gradients at odd sizes, times that do not depend on the mode, rows wider
// than SBUF, and closed forms that the definition must satisfy.
#include "workloads/loss/cross_entropy.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "model/base/error.h"
#include "runtime/run/machine.h"
#include "tests/support/program/workload_run.h"
#include "workloads/loss/cross_entropy_definition.h"

using namespace tahoma;

namespace {

void check(const tests::Settings& settings) {
  tests::check_workload(workloads::make_cross_entropy, settings);
}

runtime::MadeBy nobody(const std::string&) {
  return [](std::uint64_t, std::uint64_t) { return std::string("nobody"); };
}

void set(runtime::HostTensor& tensor, std::uint64_t at, float value) {
  isa::store_from_fp32(tensor.values.data() + at * isa::size_of(tensor.dtype), tensor.dtype, value);
}

// Equal logits: each loss is log n, each gradient 1 / (n rows), less 1 / rows at the label.
struct Uniform {
  static constexpr std::uint64_t kRows = 4, kColumns = 16;
  runtime::HostTensor logits = runtime::make_tensor("logits", isa::DType::kBf16, {kRows, kColumns});
  runtime::HostTensor labels = runtime::make_tensor("labels", isa::DType::kInt32, {kRows, 1});
  runtime::HostTensor gradient = runtime::make_tensor("gradient", isa::DType::kBf16, {kRows, kColumns});
  runtime::HostTensor loss = runtime::make_tensor("loss", isa::DType::kFp32, {kRows, 1});
  runtime::HostTensor part = runtime::make_tensor("part", isa::DType::kFp32, {2, 1});

  Uniform() {
    for (std::uint64_t r = 0; r < kRows; ++r) {
      const auto label = static_cast<std::int32_t>(3 * r);
      std::memcpy(labels.values.data() + 4 * r, &label, 4);
      set(loss, r, std::log(16.0F));
      for (std::uint64_t c = 0; c < kColumns; ++c) {
        set(logits, r * kColumns + c, 0.5F);
        set(gradient, r * kColumns + c, c == 3 * r ? -15.0F / 64 : 1.0F / 64);
      }
    }
    set(part, 0, std::log(16.0F) * 3 / 4);
    set(part, 1, std::log(16.0F) / 4);
  }
  runtime::GoldenResult checked() const {
    return workloads::check_cross_entropy({logits, labels, gradient, loss, part, {3, 1}}, nobody);
  }
};

}  // namespace

TEST_CASE("cross entropy: one row of one logit", "[loss][machine]") {
  check({{"rows", "1"}, {"columns", "1"}});
}

TEST_CASE("cross entropy: rows sharded over three cores, several blocks, bf16", "[loss][machine]") {
  check({{"rows", "301"}, {"columns", "4999"}, {"cores", "3"}});
}

TEST_CASE("cross entropy: fp16", "[loss][machine]") {
  check({{"rows", "130"}, {"columns", "1000"}, {"dtype", "fp16"}});
}

TEST_CASE("cross entropy: fp32", "[loss][machine]") {
  check({{"rows", "129"}, {"columns", "4097"}, {"dtype", "fp32"}});
}

TEST_CASE("cross entropy: blocks that do not fit are read again", "[loss][machine]") {
  check({{"rows", "7"}, {"columns", "100001"}});
}

TEST_CASE("cross entropy: the definition is right for equal logits and finds an error in each output",
          "[loss]") {
  CHECK(Uniform().checked().passed());
  Uniform gradient;
  set(gradient.gradient, 17, 0);
  CHECK_THAT(gradient.checked().first_mismatch, Catch::StartsWith("gradient[1, 1] = 0"));
  Uniform label;
  set(label.gradient, 0, 1.0F / 64);
  CHECK_THAT(label.checked().first_mismatch, Catch::StartsWith("gradient[0, 0] = "));
  Uniform loss;
  set(loss.loss, 2, 2.7727F);
  CHECK_THAT(loss.checked().first_mismatch, Catch::StartsWith("loss[2, 0] = "));
  Uniform part;
  set(part.part, 1, 0.6932F);
  CHECK_THAT(part.checked().first_mismatch, Catch::StartsWith("part[1, 0] = "));
}
