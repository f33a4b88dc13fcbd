// SPDX-License-Identifier: Apache-2.0
// Decoder layers on ranks: their golden reference, on one core and over chips; refused cases; the exposed
// time of a collective.
#include "workloads/transformer/transformer.h"

#include <catch2/catch.hpp>

#include "model/base/error.h"
#include "runtime/golden/golden.h"
#include "tests/support/in_child.h"
#include "tests/support/program/transformer_run.h"
#include "workloads/transformer/exposure.h"
#include "workloads/transformer/layer/layer_definition.h"
#include "workloads/transformer/model_footprint.h"
#include "workloads/transformer/partition/rank_placement.h"

using namespace tahoma;
using tests::run_layers, tests::refusal;
using tests::Settings, tests::kTiny, tests::with, tests::chips, tests::check_layers, tests::params_with;

namespace {

base::InstructionActivity busy(std::uint32_t core, isa::Queue queue, std::int64_t from, std::int64_t to) {
  base::InstructionActivity a;
  a.core = core;
  a.queue = static_cast<std::uint8_t>(queue);
  a.start = base::Time{from};
  a.complete = base::Time{to};
  a.busy = base::Duration{to - from};
  return a;
}

}  // namespace

TEST_CASE("transformer: two layers of a prefill on one core agree with their definition", "[transformer]") {
  check_layers(chips(1, 1), {{"layers", "2"}, {"model.layers", "2"}, {"batch", "2"}, {"tokens", "48"}});
}

TEST_CASE("transformer: a prefill over four ranks of two cores, in slices", "[transformer]") {
  check_layers(chips(1, 2), {{"tokens", "128"}, {"parallel.tensor", "4"}, {"overlap", "2"}});
}

TEST_CASE("transformer: a prefill over two chips, ranks that share heads, two layers", "[transformer]") {
  check_layers(chips(2, 1), {{"layers", "2"},
                             {"model.layers", "2"},
                             {"tokens", "64"},
                             {"parallel.tensor", "8"},
                             {"parallel.data", "2"},
                             {"batch", "2"}});
}

TEST_CASE("transformer: two decoding layers on one core agree with their definition", "[transformer]") {
  check_layers(
      chips(1, 1),
      {{"phase", "decode"}, {"layers", "2"}, {"model.layers", "2"}, {"batch", "3"}, {"context", "77"}});
}

TEST_CASE("transformer: a decoding step over four ranks of two cores", "[transformer]") {
  check_layers(chips(1, 2),
               {{"phase", "decode"}, {"batch", "4"}, {"context", "100"}, {"parallel.tensor", "4"}});
}

TEST_CASE("transformer: a decoding step of more ranks than heads, two replicas", "[transformer]") {
  check_layers(chips(2, 1), {{"phase", "decode"},
                             {"batch", "4"},
                             {"context", "50"},
                             {"parallel.tensor", "8"},
                             {"parallel.data", "2"}});
}

TEST_CASE("transformer: a definition without rotary embedding, or of another layer, is distinguished",
          "[transformer]") {
  workloads::TransformerParams params = params_with(with(kTiny, {{"tokens", "16"}, {"layers", "2"}}));
  const workloads::HostCase values = workloads::host_case(params, 1);
  const auto made = [&](const workloads::ModelShape& model, std::size_t layer) {
    workloads::Noisy stream = workloads::Noisy::exact(workloads::matrix_of(values.x));
    workloads::apply_layer(model, values.weights[layer], {1, 1}, {}, stream);
    return stream;
  };
  const workloads::Noisy right = made(params.model, 0);
  const auto passes = [&](const workloads::Noisy& got) {
    runtime::HostTensor out = runtime::make_tensor("out", isa::DType::kBf16, {16, 256});
    for (std::uint64_t r = 0; r < 16; ++r)
      for (std::uint64_t c = 0; c < 256; ++c)
        isa::store_from_fp32(
            out.values.data() + 2 * (r * 256 + c), out.dtype,
            static_cast<float>(got.value(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c))));
    return runtime::check_rows(
               out, [&](std::uint64_t row) { return workloads::wanted_row(right, row); }, 0x1p-8, "test",
               [](std::uint64_t, std::uint64_t) { return std::string("test"); })
        .passed();
  };
  CHECK(passes(right));
  CHECK_FALSE(passes(made(params.model, 1)));
  workloads::ModelShape slow = params.model;
  slow.theta = 1;  // all pairs rotate equally
  CHECK_FALSE(passes(made(slow, 0)));
}

TEST_CASE("transformer: settings that do not fit each other or the machine are refused", "[transformer]") {
  const model::MachineParams one = chips(1, 1), pairs = chips(1, 2);
  CHECK(refusal(one, kTiny) == "accepted");
  CHECK(refusal(one, with(kTiny, {{"parallel.tensor", "3"}})) == "E-MDL-001 workload.parallel.tensor");
  CHECK(refusal(one, with(kTiny, {{"parallel.data", "2"}})) == "E-MDL-001 workload.parallel.data");
  CHECK(refusal(one, with(kTiny, {{"model.head_dim", "17"}})) == "E-MDL-001 workload.model.head_dim");
  CHECK(refusal(one, with(kTiny, {{"model.head_dim", "18"}})) == "accepted");
  CHECK(refusal(one, with(kTiny, {{"overlap", "3"}})) == "E-MDL-001 workload.overlap");
  CHECK(refusal(pairs, with(kTiny, {{"parallel.tensor", "8"}})) == "E-MDL-002 workload.parallel");
  CHECK(refusal(one, with(kTiny, {{"placement", "x,y,core"}})) == "E-MDL-003 workload.placement");
  CHECK(refusal(one, with(kTiny, {{"model.layers", "1000"}, {"model.vocabulary", "0"}})) == "accepted");
  CHECK(refusal(one, {{"model.layers", "126"},
                      {"model.hidden", "16384"},
                      {"model.heads", "128"},
                      {"model.ffn", "53248"},
                      {"parallel.tensor", "8"}}) == "E-MDL-005 workload.parallel.tensor");
}

TEST_CASE("transformer: an all_reduce that would be cut into parts of accesses is refused", "[transformer]") {
  const std::string text = tests::in_child([] {
    try {
      run_layers(chips(1, 1),
                 {{"model.hidden", "96"},
                  {"model.heads", "8"},
                  {"model.kv_heads", "8"},
                  {"model.head_dim", "16"},
                  {"model.ffn", "128"},
                  {"phase", "decode"},
                  {"batch", "1"},
                  {"context", "10"},
                  {"parallel.tensor", "8"},
                  {"algorithm", "ring"}},
                 model::Mode::kTiming);
    } catch (const base::UserError& e) {
      return e.code;
    }
    return std::string("accepted");
  });
  CHECK(text == "E-MDL-004");
}

TEST_CASE("transformer: the footprint of weights is that of the model, sharded over the ranks",
          "[transformer]") {
  // Llama 3.1 405B: 126 layers of 3.19e9 weights; 64 ranks of a replica, four ranks on each chip.
  model::MachineParams whole = tests::default_machine();
  whole.chip.lnc = 2;
  const workloads::TransformerParams params = params_with({{"model.layers", "126"},
                                                           {"model.hidden", "16384"},
                                                           {"model.heads", "128"},
                                                           {"model.kv_heads", "8"},
                                                           {"model.ffn", "53248"},
                                                           {"parallel.tensor", "64"},
                                                           {"parallel.data", "4"},
                                                           {"batch", "4"}});
  const double once = 2 * 126 * (params.model.layer_weights() - 2 * 16384) / 64 * 4;
  // Eight heads of keys and values are replicated on 64 ranks: seven more copies of each.
  const double copies = 2.0 * 126 * 7 * 2 * 16384 * 8 * 128 / 64 * 4;
  const double gains = 126.0 * 2 * 4 * 16384 * 4;  // of fp32, on every rank
  CHECK(workloads::footprint_of(params, whole).weights == Approx(once + copies + gains));
}

TEST_CASE("transformer: useful work is two operations per weight and token, and those of the scores",
          "[transformer]") {
  const auto flops = [](const Settings& more) { return params_with(with(kTiny, more)).useful_flops(); };
  const double weights = 256.0 * 32 * (2 * 4 + 2 * 2) + 3.0 * 256 * 512;
  CHECK(flops({{"tokens", "64"}}) == Approx(2 * weights * 64 + 4.0 * 4 * 32 * (64 * 65 / 2.0)));
  CHECK(flops({{"phase", "decode"}, {"batch", "3"}, {"context", "9"}}) ==
        Approx(2 * weights * 3 + 4.0 * 4 * 32 * 3 * 10));
}

TEST_CASE("seating: ranks count along the axes in their order, and each core has one", "[transformer]") {
  model::MachineParams params = tests::default_machine();
  params.chip.lnc = 2;
  const workloads::Seating near(params, "core,x,y,z", 64), far(params, "z,core,x,y", 64);
  CHECK(near.cores(0, 1) == std::vector<std::uint32_t>{2, 3});
  CHECK(near.cores(0, 4) == std::vector<std::uint32_t>{8, 9});     // the chip at x = 1
  CHECK(near.cores(1, 0).front() == 16 * 8);                       // the next server
  CHECK(far.cores(0, 1) == std::vector<std::uint32_t>{128, 129});  // z = 1
  std::vector<int> seen(512);
  for (std::uint64_t g = 0; g < 4; ++g)
    for (std::uint64_t r = 0; r < 64; ++r)
      for (const std::uint32_t core : far.cores(g, r)) ++seen.at(core);
  CHECK(std::count(seen.begin(), seen.end(), 1) == 512);
}

TEST_CASE(
    "exposure: the part of a collective without overlapping work of an engine, as a mean over the cores",
    "[transformer]") {
  workloads::Exposure exposure;
  exposure.instruction(busy(0, isa::Queue::kTensor, 0, 100));
  exposure.instruction(busy(0, isa::Queue::kVector, 80, 150));
  exposure.instruction(busy(0, isa::Queue::kSync, 150, 400));  // loads do not compute
  exposure.instruction(busy(1, isa::Queue::kScalar, 0, 10));
  exposure.collective(0, base::Time{50}, base::Time{200});   // 150 .. 200 exposed
  exposure.collective(0, base::Time{180}, base::Time{260});  // to 260
  CHECK(exposure.exposed().fs == 110 / 2);
}
