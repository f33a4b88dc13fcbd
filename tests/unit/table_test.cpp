// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>

#include "isa/error.h"
#include "isa/table_fields.h"

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

TEST_CASE("table: every row says what it does and where it runs", "[isa]") {
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
      bits += traits.bits;
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

TEST_CASE("table: default strides walk a contiguous tile in order", "[isa]") {
  Instruction i;
  i.shape = {128, {3, 1, 5, 7}};
  const auto plain = default_strides(FieldKind::kSrc0, i);
  REQUIRE(plain.fits);
  CHECK(plain.stride == std::array<std::int16_t, 4>{35, 0, 7, 1});
  i.axes = 2;
  CHECK(default_strides(FieldKind::kReducedDst, i).stride == std::array<std::int16_t, 4>{1, 0, 0, 1});
  CHECK(default_strides(FieldKind::kReduceResult, i).stride == std::array<std::int16_t, 4>{});
  i.shape.count = {2, 1, 1, 40000};
  CHECK_FALSE(default_strides(FieldKind::kSrc0, i).fits);

  Descriptor d;
  d.count = {128, 1, 4, 512};
  CHECK(default_strides(d.src, d).stride == std::array<std::int32_t, 4>{2048, 0, 512, 1});
  d.dst.space = Space::kSbuf;
  CHECK(default_strides(d.dst, d).stride == std::array<std::int32_t, 4>{0, 0, 512, 1});
}

TEST_CASE("errors: the nearest name is offered only when it is near", "[isa]") {
  const std::string_view names[] = {"matmul", "memset", "transpose"};
  CHECK(did_you_mean("matmull", names) == " (did you mean 'matmul'?)");
  CHECK(did_you_mean("transposs", names) == " (did you mean 'transpose'?)");
  CHECK(did_you_mean("memste", names) == " (did you mean 'memset'?)");
  CHECK(did_you_mean("gather", names).empty());
  const std::string_view short_names[] = {"add", "mult"};
  CHECK(did_you_mean("mutl", short_names) == " (did you mean 'mult'?)");  // neighbours swapped: one edit
  CHECK(did_you_mean("x", {}).empty());
}
