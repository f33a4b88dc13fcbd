// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>

#include "isa/core/program_error.h"
#include "isa/table/table_fields.h"

using namespace tahoma::isa;

TEST_CASE("table: every opcode has one row and no two rows share a mnemonic", "[isa]") {
  REQUIRE(all_rows().size() == kOpcodeCount);
  std::set<std::string_view> mnemonics;
  std::set<Opcode> opcodes;
  for (const OpRow& row : all_rows()) {
    INFO(row.mnemonic);
    CHECK(mnemonics.insert(row.mnemonic).second);
    CHECK(opcodes.insert(row.op).second);
    CHECK(&row_of(row.op) == &row);
    CHECK(row_by_mnemonic(row.mnemonic) == &row);
  }
  CHECK(row_by_mnemonic("no_such_instruction") == nullptr);
}

TEST_CASE("table: every row has its meaning and its queues", "[isa]") {
  for (const OpRow& row : all_rows()) {
    INFO(row.mnemonic);
    CHECK_FALSE(row.doc.empty());
    CHECK(row.doc.back() == '.');
    CHECK_FALSE(row.formula.empty());
    CHECK(row.queues != 0);
    CHECK(row.queues < (1U << kQueueCount));
    CHECK(row.cost < CostClass::kCount);
    CHECK(name_of(row.cost) != "?");
  }
}

TEST_CASE("table: the fields of a row differ in name and slot, and their words hold them", "[isa]") {
  for (const OpRow& row : all_rows()) {
    INFO(row.mnemonic);
    std::set<std::string_view> names{"wait", "update"};  // every instruction's own
    std::vector<Slot> slots;
    unsigned bits = 80;
    for (const Field& field : row.fields) {
      const FieldTraits& traits = traits_of(field.kind);
      CHECK(traits.kind == field.kind);
      CHECK(names.insert(field.name).second);
      CHECK(std::find(slots.begin(), slots.end(), traits.slot) == slots.end());
      slots.push_back(traits.slot);
      bits += traits.bits + high_bits(traits);
    }
    CHECK(word_bits(row) == bits);
    CHECK(bits <= 512);
  }
}

TEST_CASE("table: names of enumerators read back", "[isa]") {
  for (std::size_t q = 0; q < kQueueCount; ++q)
    CHECK(from_name<Queue>(name_of(static_cast<Queue>(q))) == static_cast<Queue>(q));
  CHECK(from_name<AluOp>("mult") == AluOp::kMult);
  CHECK(from_name<ActFn>("sqrt") == ActFn::kSqrt);
  CHECK(from_name<CompareOp>("ge") == CompareOp::kGe);
  CHECK(from_name<Space>("psum") == Space::kPsum);
  CHECK_FALSE(from_name<AluOp>("nothing"));
  CHECK(name_of(static_cast<AluOp>(200)) == "?");
}

TEST_CASE("table: every name of an enumerator is a legal name and reads back", "[isa]") {
  const auto check = []<class Enum>(Enum) {
    std::set<std::string_view> names;
    for (std::size_t n = 0; n < kEnumeratorCount<Enum>; ++n) {
      const auto value = static_cast<Enum>(n);
      INFO(name_of(value));
      CHECK(names.insert(name_of(value)).second);
      CHECK(from_name<Enum>(name_of(value)) == value);
    }
    CHECK(names.size() == kEnumeratorCount<Enum>);
  };
  check(Queue{});
  check(Space{});
  check(AluOp{});
  check(CompareOp{});
  check(MatmulMode{});
  check(ReduceCommand{});
  check(Indirection{});
  check(Dge{});
  check(ActFn{});
  check(DType{});
}

namespace {

constexpr Field of(FieldKind kind, std::uint16_t elements = 0) {
  return {kind, "x", false, 0, 0, 0, elements};
}

}  // namespace

TEST_CASE("table: an operand covers the part of the shape of its role", "[isa]") {
  using enum FieldKind;
  Instruction i;
  i.shape = {64, {1, 2, 3, 10}};
  const auto covers = [&](const Field& field, const Shape& expected) {
    return operand_shape(field, i) == expected;
  };
  CHECK(covers(of(kSrc0), i.shape));
  CHECK(covers(of(kSrc1, 8), {64, {1, 1, 1, 8}}));
  CHECK(covers(of(kOneRowDst), {1, {1, 2, 3, 10}}));
  CHECK(covers(of(kBoundsDst), {64, {1, 1, 2, 60}}));
  CHECK(covers(of(kCountedDst), {64, {1, 1, 1, 61}}));
  CHECK(covers(of(kTags), {64, {1, 1, 1, 15}}));
  CHECK(covers(of(kScalar0), {64, {1, 1, 1, 1}}));
  CHECK(covers(of(kResult), {64, {1, 1, 1, 1}}));
  CHECK(covers(of(kResult, 8), {64, {1, 1, 1, 8}}));
  i.axes = 2;
  CHECK(covers(of(kReducedDst), {64, {1, 2, 1, 1}}));
  i.columns = 7;
  CHECK(covers(of(kMatrixDst), {7, {1, 2, 3, 10}}));
  i.mode = MatmulMode::kDoubleRow;
  CHECK(covers(of(kMatrixDst), {7, {1, 1, 3, 10}}));
  i.valid = 33;
  i.per_index = 4;
  CHECK(covers(of(kGatheredDst), {64, {1, 1, 1, 132}}));
  CHECK(covers(of(kRankedDst), {64, {1, 1, 1, 3}}));
  i.extent = 500;
  CHECK(covers(of(kGatherSource), {64, {1, 1, 1, 500}}));
  i.shape = {5, {1, 1, 1, 30}};
  CHECK(covers(of(kTransposedDst), {30, {1, 1, 1, 5}}));
}

TEST_CASE("table: a scalar of an ALU operation is present if the operation takes it", "[isa]") {
  const OpRow& row = row_of(Opcode::kTensorScalar);
  Instruction i;
  for (std::size_t n = 0; n < kEnumeratorCount<AluOp>; ++n) {
    i.op0 = static_cast<AluOp>(n);
    INFO(name_of(i.op0));
    const bool unary = i.op0 == AluOp::kRsqrt || i.op0 == AluOp::kReciprocal || i.op0 == AluOp::kAbs ||
                       i.op0 == AluOp::kBitwiseNot || i.op0 == AluOp::kBypass;
    CHECK(takes_operand(i.op0) != unary);
    const Field *scalar = find_field(row, FieldKind::kScalar0),
                *reverse = find_field(row, FieldKind::kReverse0);
    CHECK(presence_of(row, *scalar, i) == (unary ? Presence::kForbidden : Presence::kNeeded));
    CHECK(presence_of(row, *reverse, i) == (unary ? Presence::kForbidden : Presence::kFree));
  }
  CHECK(presence_of(row, *find_field(row, FieldKind::kScalar1), i) == Presence::kForbidden);
  // The initial value of a reduction, the bias of an activation and a reversed predicate belong to no
  // operation.
  const auto free = [](Opcode op, FieldKind kind) {
    return presence_of(row_of(op), *find_field(row_of(op), kind), {}) == Presence::kFree;
  };
  CHECK(free(Opcode::kTensorScalarReduce, FieldKind::kScalar1));
  CHECK(free(Opcode::kActivation, FieldKind::kScalar1));
  CHECK(free(Opcode::kTensorCopyPredicated, FieldKind::kReverse0));
  CHECK(free(Opcode::kTensorTensorScan, FieldKind::kScalar0));
}

TEST_CASE("table: a default is compared bit by bit", "[isa]") {
  Instruction i;
  const FieldTraits &value = traits_of(FieldKind::kValue), &scalar = traits_of(FieldKind::kScalar0);
  CHECK(is_default(value, i));
  CHECK(is_default(scalar, i));
  i.value = -0.0F;
  i.scalar0.imm = -0.0F;
  CHECK_FALSE(is_default(value, i));
  CHECK_FALSE(is_default(scalar, i));
  i.base = 1;
  CHECK_FALSE(is_default(traits_of(FieldKind::kBase), i));
}

TEST_CASE("table: default strides traverse a contiguous tile in order", "[isa]") {
  Instruction i;
  i.shape = {128, {3, 1, 5, 7}};
  const auto plain = default_strides(of(FieldKind::kSrc0), i);
  REQUIRE(plain.fits);
  CHECK(plain.stride == std::array<std::int16_t, 4>{35, 0, 7, 1});
  i.axes = 2;
  CHECK(default_strides(of(FieldKind::kReducedDst), i).stride == std::array<std::int16_t, 4>{1, 0, 0, 1});
  i.shape.count = {2, 1, 1, 40000};
  CHECK_FALSE(default_strides(of(FieldKind::kSrc0), i).fits);

  Descriptor d;
  d.count = {128, 1, 4, 512};
  CHECK(default_strides(d.src, d).stride == std::array<std::int32_t, 4>{2048, 0, 512, 1});
  d.dst.space = Space::kSbuf;
  CHECK(default_strides(d.dst, d).stride == std::array<std::int32_t, 4>{0, 0, 512, 1});
}

TEST_CASE("errors: the nearest name is suggested only if it is near", "[isa]") {
  const std::string_view names[] = {"matmul", "memset", "transpose"};
  CHECK(did_you_mean("matmull", names) == " (did you mean 'matmul'?)");
  CHECK(did_you_mean("transposs", names) == " (did you mean 'transpose'?)");
  CHECK(did_you_mean("memste", names) == " (did you mean 'memset'?)");
  CHECK(did_you_mean("gather", names).empty());
  const std::string_view short_names[] = {"add", "mult"};
  CHECK(did_you_mean("mutl", short_names) == " (did you mean 'mult'?)");  // neighbours swapped: one edit
  CHECK(did_you_mean("x", {}).empty());
}
