// SPDX-License-Identifier: Apache-2.0
// The golden check of attention as one kernel: it accepts the rounded definition, and sees planted errors.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "frontend/graph/workload/graph_check.h"
#include "frontend/graph/workload/stored_array.h"
#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;
using namespace tahoma::workloads::graph;

namespace {

constexpr std::int64_t kHeads = 2, kQueries = 9, kKeys = 30, kFeatures = 16;
constexpr double kFactor = 0.25;

std::unique_ptr<Graph> attention_graph() {
  auto graph = std::make_unique<Graph>();
  graph->name = "attention";
  graph->opset = 13;
  const auto value = [&](const char* name) {
    graph->values.push_back({name, {}, {}, {}});
    return static_cast<ValueId>(graph->values.size() - 1);
  };
  const auto input = [&](const char* name, const Dims& dims) {
    GraphInput in{value(name), ElementType::kFloat, {}};
    for (const std::int64_t size : dims) in.dims.push_back({size, {}});
    graph->inputs.push_back(in);
    return in.value;
  };
  const auto node = [&](const char* op, std::vector<ValueId> inputs) {
    const ValueId out = value(op);
    graph->nodes.push_back({op, op, "", std::move(inputs), {out}, {}});
    return out;
  };
  const ValueId q = input("q", {kHeads, kQueries, kFeatures}), k = input("k", {kHeads, kFeatures, kKeys}),
                v = input("v", {kHeads, kKeys, kFeatures}), factor = value("factor");
  graph->values[factor].type = {ElementType::kFloat, {}};
  graph->values[factor].constant = [] { return Array{{ElementType::kFloat, {}}, {kFactor}}; };
  const ValueId scores = node("Mul", {node("MatMul", {q, k}), factor});
  graph->outputs = {node("MatMul", {node("Softmax", {scores}), v})};
  return graph;
}

// A machine's memory with random inputs and the result of `factor` over the first `keys` keys.
struct Attention {
  CompiledGraph compiled;
  std::vector<std::vector<std::byte>> slots;

  explicit Attention(isa::DType dtype, double factor = kFactor, std::int64_t keys = kKeys)
      : compiled(attention_graph(), tests::default_machine(), {{}, dtype, Fusion::kOn}) {
    REQUIRE(compiled.lowering().plans().size() == 1);
    REQUIRE(compiled.lowering().plans()[0].op == "Attention");
    for (const Slot& slot : compiled.lowering().slots())
      slots.emplace_back(elements_of(slot.dims) * isa::size_of(slot.dtype));
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    std::vector<Array> in;
    for (std::size_t i = 0; i < 3; ++i) {
      const Slot& slot = compiled.lowering().slots()[i];
      Array array{{ElementType::kFloat, slot.dims}, {}};
      for (std::size_t e = 0; e < elements_of(slot.dims); ++e) array.values.push_back(normal(random));
      store_array(array, dtype, slots[i].data());
      in.push_back(load_array(array.type, dtype, slots[i].data()));
    }
    set_result(result(in[0], in[1], in[2], factor, keys));
  }

  static Array result(const Array& q, const Array& k, const Array& v, double factor, std::int64_t keys) {
    Array out{{ElementType::kFloat, {kHeads, kQueries, kFeatures}}, {}};
    const auto at = [](const Array& of, std::int64_t h, std::int64_t r, std::int64_t c) {
      return of.values[static_cast<std::size_t>((h * of.type.dims[1] + r) * of.type.dims[2] + c)];
    };
    for (std::int64_t h = 0; h < kHeads; ++h)
      for (std::int64_t i = 0; i < kQueries; ++i) {
        std::vector<double> sums(kFeatures);
        double total = 0;
        for (std::int64_t j = 0; j < keys; ++j) {
          double score = 0;
          for (std::int64_t d = 0; d < kFeatures; ++d) score += at(q, h, i, d) * at(k, h, d, j);
          const double weight = std::exp(factor * score);
          total += weight;
          for (std::int64_t c = 0; c < kFeatures; ++c)
            sums[static_cast<std::size_t>(c)] += weight * at(v, h, j, c);
        }
        for (const double sum : sums) out.values.push_back(sum / total);
      }
    return out;
  }

  SlotId out() const { return compiled.tensor(compiled.graph().outputs[0])->slot; }
  void set_result(const Array& array) {
    store_array(array, compiled.lowering().slots()[out()].dtype, slots[out()].data());
  }
  runtime::GoldenResult check() const {
    return check_nodes(
        compiled, [&](SlotId slot) { return slots[slot].data(); }, [](SlotId) { return true; }, "core 0");
  }
};

}  // namespace

TEST_CASE("graph check: attention as one kernel passes by its definition", "[graph]") {
  for (const isa::DType dtype : {isa::DType::kFp32, isa::DType::kBf16, isa::DType::kFp16}) {
    const Attention attention(dtype);
    const runtime::GoldenResult result = attention.check();
    CHECK(result.passed());
    CHECK(result.elements == static_cast<std::uint64_t>(kHeads * kQueries * kFeatures));
  }
}

TEST_CASE("graph check: attention with another factor, or without a key, is wrong", "[graph]") {
  for (const isa::DType dtype : {isa::DType::kFp32, isa::DType::kBf16}) {
    CHECK(Attention(dtype, kFactor * 1.05).check().failed());
    CHECK(Attention(dtype, kFactor, kKeys - 1).check().failed());
  }
}

// The slack of fp32 is some hundred units in the last place of the largest terms, which here are about 1.
TEST_CASE("graph check: one element of attention that is off is wrong", "[graph]") {
  for (const auto& [dtype, error] : {std::pair(isa::DType::kFp32, 1e-4), std::pair(isa::DType::kBf16, 0.1)}) {
    Attention attention(dtype);
    const SlotId out = attention.out();
    Array array =
        load_array({ElementType::kFloat, {kHeads, kQueries, kFeatures}}, dtype, attention.slots[out].data());
    array.values[77] += error;
    attention.set_result(array);
    const runtime::GoldenResult result = attention.check();
    CHECK(result.mismatches == 1);
  }
}
