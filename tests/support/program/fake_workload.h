// SPDX-License-Identifier: Apache-2.0
// Kinds of workload that have parameters and do nothing, for tests of the code around workloads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/base/error.h"
#include "runtime/workload/workload.h"

namespace tahoma::tests {

struct FakeShard {
  std::uint64_t m = 0, n = 0, k = 0;
  void declare(base::ParamTree& t) {
    t.add("m", m, std::uint64_t{1}, {1, 512}, "parts along m", base::chosen());
    t.add("n", n, std::uint64_t{1}, {1, 512}, "parts along n", base::chosen());
    t.add("k", k, std::uint64_t{1}, {1, 512}, "parts along k", base::chosen());
  }
};

class FakeWorkload : public runtime::Workload {
 public:
  std::uint64_t m = 0, n = 0;
  std::string dtype, input;
  FakeShard shard;

  void declare(base::ParamTree& t) override {
    t.add("m", m, std::uint64_t{128}, {1, 65536}, "rows", base::chosen());
    t.add("n", n, std::uint64_t{128}, {1, 65536}, "columns", base::chosen());
    t.add("dtype", dtype, std::string("bf16"), {"bf16", "fp32"}, "element type", base::chosen());
    t.add("input", input, std::string(), {}, "a file", base::chosen());
    t.group("shard", shard);
  }
  void check(const model::MachineParams&) const override {
    if (shard.n == 3) throw base::UserError("E-TST-001", "workload.shard", "three is refused");
  }
  void prepare(runtime::Machine&, std::uint64_t) override {}
  runtime::GoldenResult verify(runtime::Machine&) override { return {}; }
  std::vector<runtime::NamedValues> outputs(runtime::Machine&) override { return {}; }
  double useful_flops() const override { return 0; }
  isa::DType compute_dtype() const override { return isa::DType::kBf16; }
  std::uint32_t cores_used() const override { return 1; }
  std::string describe() const override { return "fake"; }
};

inline std::vector<runtime::WorkloadKind> fake_kinds() {
  const auto make = [] { return std::make_unique<FakeWorkload>(); };
  return {{"product", "a product that is never computed", make}, {"other", "another one", make}};
}

inline const FakeWorkload& fake(const runtime::Workload& workload) {
  return dynamic_cast<const FakeWorkload&>(workload);
}

}  // namespace tahoma::tests
