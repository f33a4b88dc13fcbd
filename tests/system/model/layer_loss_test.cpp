// SPDX-License-Identifier: Apache-2.0
// Cross-entropy as a part of a program: twice, on logits that are columns of a wider matrix; the second time
// the gradient overwrites the logits.
#include <catch2/catch.hpp>

#include "tests/support/bench/layer_bench.h"
#include "workloads/loss/cross_entropy_definition.h"
#include "workloads/loss/cross_entropy_kernel.h"

using namespace tahoma;
using isa::DType;
using runtime::HbmView;
using tests::LayerBench;

namespace {

runtime::MadeBy no_maker(const std::string&) {
  return [](std::uint64_t, std::uint64_t) { return std::string("nobody"); };
}

// A value that is small compared with the logits.
struct Outputs {
  HbmView places, loss, part;
  Outputs(LayerBench& bench, std::uint64_t rows)
      : places(bench.tensor(DType::kInt32, rows, 1)),
        loss(bench.tensor(DType::kFp32, rows, 1)),
        part(bench.tensor(DType::kFp32, 1, 1)) {}
};

void check_twice(const workloads::CrossEntropyShape& shape) {
  const std::uint64_t rows = shape.rows, columns = shape.columns, stride = columns + 50;
  INFO(rows << " x " << columns << " " << isa::name_of(shape.dtype));
  LayerBench bench(tests::default_machine());
  const HbmView all = bench.input(shape.dtype, rows, stride, 1), logits = all.window(0, 33, rows, columns),
                gradient = bench.tensor(shape.dtype, rows, stride).window(0, 5, rows, columns),
                labels = bench.tensor(DType::kInt32, rows, 1),
                starts = bench.tensor(DType::kInt32, bench.machine.chip.core.sbuf.partitions, 1);
  for (std::uint64_t p = 0; p < starts.rows; ++p) bench.set(starts, p, 0, static_cast<float>(p * stride));
  for (std::uint64_t r = 0; r < rows; ++r)
    bench.set(labels, r, 0, static_cast<float>(r == 0 ? columns - 1 : r * 7919 % columns));
  const Outputs first(bench, rows), second(bench, rows);
  const std::vector<float> before = bench.values(all);
  const runtime::HostTensor given = tests::as_tensor(bench, logits);
  const auto emit = [&](const HbmView& to, const Outputs& outputs) {
    const runtime::Kernel::Scope scope(bench.kernel);
    workloads::emit_cross_entropy(bench.kernel, bench.machine, shape,
                                  {logits, to, labels, starts, outputs.places, outputs.loss, outputs.part});
  };
  emit(gradient, first);
  emit(logits, second);
  bench.run(9);
  const auto check = [&](const HbmView& got, const Outputs& outputs) {
    const auto golden = workloads::check_cross_entropy({given,
                                                        tests::as_tensor(bench, labels),
                                                        tests::as_tensor(bench, got),
                                                        tests::as_tensor(bench, outputs.loss),
                                                        tests::as_tensor(bench, outputs.part),
                                                        {rows}},
                                                       no_maker);
    INFO(golden.first_mismatch);
    CHECK(golden.passed());
  };
  check(gradient, first);
  check(logits, second);
  std::uint64_t touched = 0;
  for (std::uint64_t r = 0; r < rows; ++r)
    for (std::uint64_t c = 0; c < stride; ++c)
      if ((c < 33 || c >= 33 + columns) && bench.at(all, r, c) != before[r * stride + c]) ++touched;
  CHECK(touched == 0);
}

}  // namespace

TEST_CASE("layer loss: two cross-entropies on columns of a wider matrix", "[layer][loss]") {
  for (const DType dtype : {DType::kBf16, DType::kFp32})
    for (const auto& [rows, columns] : {std::pair<std::uint64_t, std::uint64_t>{1, 1}, {150, 5000}})
      check_twice({rows, columns, 1.0F / static_cast<float>(rows), dtype});
}

TEST_CASE("layer loss: in place, with blocks that are read again", "[layer][loss]") {
  check_twice({3, 120'000, 1.0F / 3, DType::kBf16});
}
