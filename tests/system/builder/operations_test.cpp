// SPDX-License-Identifier: Apache-2.0
#include "runtime/builder/operations.h"

#include <catch2/catch.hpp>

using namespace tahoma;
using runtime::Op, runtime::Operations, runtime::OperationKinds;

namespace {

Op op_of(unsigned axes, std::uint32_t byte = 0) {
  Op op;
  op.instruction.axes = static_cast<std::uint8_t>(axes);  // not part of the hash
  op.touch({1, 0, 8, byte, 64}, true);
  return op;
}

}  // namespace

TEST_CASE("operations: equal ones have one number, others have their own", "[scheduler]") {
  OperationKinds kinds;
  const std::uint32_t one = kinds.number_of(op_of(1));
  CHECK(kinds.number_of(op_of(1)) == one);
  CHECK(kinds.number_of(op_of(2)) != one);
  CHECK(kinds.number_of(op_of(1, 64)) != one);
  CHECK(kinds.number_of(op_of(2)) == kinds.number_of(op_of(2)));
  CHECK(kinds[one] == op_of(1));
}

TEST_CASE("operations: kernels that share their kinds keep operations of their own", "[scheduler]") {
  const auto kinds = std::make_shared<OperationKinds>();
  Operations a(kinds), b(kinds);
  for (Operations* ops : {&a, &b})
    for (const unsigned axes : {1U, 2U, 1U}) ops->append(op_of(axes));
  a.change(0, [](Op& op) { op.instruction.open = true; });
  a.newest().instruction.axes = 9;
  REQUIRE(a.size() == 3);
  CHECK(a[0].instruction.open);
  CHECK_FALSE(b[0].instruction.open);
  CHECK_FALSE(a[2].instruction.open);
  CHECK(a[2].instruction.axes == 9);
  CHECK(b[2] == op_of(1));
  CHECK(a[1] == b[1]);
}

TEST_CASE("operations: regions belong to places, not to their contents", "[scheduler]") {
  Operations ops;
  ops.append(op_of(1));
  ops.enter(2);
  ops.append(op_of(1));
  ops.enter(2);
  ops.append(op_of(1));
  ops.enter(1);
  ops.enter(2);
  ops.append(op_of(1));
  std::vector<std::uint32_t> regions, visits;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    regions.push_back(ops.region(i));
    visits.push_back(ops.visit(i));
  }
  CHECK(regions == std::vector<std::uint32_t>{0, 2, 2, 2});
  CHECK(visits == std::vector<std::uint32_t>{0, 1, 1, 3});
}
