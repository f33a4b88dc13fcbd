// SPDX-License-Identifier: Apache-2.0
#include "isa/text/reference.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <sstream>

#include "isa/core/program_error.h"
#include "isa/table/table_fields.h"
#include "isa/text/reference_text.h"

using namespace tahoma::isa;
using Catch::Contains;

TEST_CASE("reference: the list has a heading and one line per instruction, under its group", "[isa]") {
  const std::string list = reference_list();
  std::size_t groups = 0, previous = 0;
  for (const RowGroup& group : row_groups()) {
    ++groups;
    const std::size_t title = list.find(std::string(group.title) + "\n");
    REQUIRE(title != std::string::npos);
    CHECK(title >= previous);
    previous = title;
    for (const OpRow* row : group.rows) {
      INFO(row->mnemonic);
      const std::size_t line = list.find("\n  " + std::string(row->mnemonic) + " ");
      REQUIRE(line != std::string::npos);
      CHECK(line >= previous);
      previous = line;
      CHECK_THAT(list.substr(line + 1, list.find('\n', line + 1) - line),
                 Contains(std::string(row->formula)));
    }
  }
  // The heading, and a blank line before each group.
  const auto lines = static_cast<std::size_t>(std::count(list.begin(), list.end(), '\n'));
  CHECK(lines == 1 + kOpcodeCount + 2 * groups);
}

TEST_CASE("reference: groups contain every instruction once, those of later cores last", "[isa]") {
  std::set<Opcode> seen;
  const auto groups = row_groups();
  for (const RowGroup& group : groups) {
    CHECK_FALSE(group.rows.empty());
    for (const OpRow* row : group.rows) {
      INFO(row->mnemonic);
      CHECK(seen.insert(row->op).second);
      CHECK((row->since < CoreVersion::kV4) == (&group != &groups.back()));
    }
  }
  CHECK(seen.size() == kOpcodeCount);
}

TEST_CASE("reference: a page shows everything in the row", "[isa]") {
  for (const OpRow& row : all_rows()) {
    INFO(row.mnemonic);
    const std::string page = reference_page(row.mnemonic);
    CHECK_THAT(page, Contains(std::string(row.doc)) && Contains(std::string(row.formula)) &&
                         Contains(std::string(name_of(row.cost))) && Contains("availability"));
    for (const Field& field : row.fields) CHECK_THAT(page, Contains("  " + std::string(field.name)));
    for (std::size_t q = 0; q < kQueueCount; ++q)
      if (row.queues != (1U << kQueueCount) - 1 && ((row.queues >> q) & 1) != 0)
        CHECK_THAT(page, Contains(std::string(name_of(static_cast<Queue>(q)))));
  }
  CHECK_THAT(reference_page("matmul"),
             Contains("psum; fp32") && Contains("2048") && Contains("512 moving columns"));
}

TEST_CASE("reference: an unknown mnemonic names the nearest", "[isa]") {
  try {
    reference_page("matmal");
    FAIL("accepted");
  } catch (const ProgramError& e) {
    CHECK(e.code == "E-ISA-001");
    CHECK_THAT(e.message, Contains("did you mean 'matmul'"));
  }
}

TEST_CASE("reference: an instruction of a later core has that availability and its error code", "[isa]") {
  CHECK_THAT(reference_page("matmul_mx"),
             Contains("availability  NeuronCore-v4 and later") && Contains("E-ISA-002"));
  CHECK_THAT(reference_page("range_select"), Contains("availability  NeuronCore-v3 and later"));
  CHECK_THAT(reference_page("matmul"), Contains("availability  NeuronCore-v2 and later"));
}

TEST_CASE("reference: limits are on the page of the instruction that has them", "[isa]") {
  const std::pair<std::string, std::string> limits[] = {{"load_weights", "128 rows and 128 columns"},
                                                        {"matmul", "inside one PSUM bank of 2048"},
                                                        {"max8", "8..16384 free elements"},
                                                        {"bn_aggr", "a multiple of 3"},
                                                        {"tensor_tensor", "not both in psum"},
                                                        {"tensor_scalar", "mult then add"},
                                                        {"stream_shuffle", "whole groups of 32"},
                                                        {"dma_transpose", "a multiple of 16"},
                                                        {"dropout", "dst and src have one dtype"},
                                                        {"memset", "4096 free elements in psum"},
                                                        {"topk", "k 1..32767"}};
  for (const auto& [mnemonic, limit] : limits) {
    INFO(mnemonic);
    CHECK_THAT(reference_page(mnemonic), Contains(limit));
  }
}

TEST_CASE("reference: the examples of operands are legal", "[isa]") {
  for (const OpRow& row : all_rows())
    for (const Field& field : row.fields) {
      const ValueType type = traits_of(field.kind).type;
      if (type != ValueType::kTile && type != ValueType::kColumn) continue;
      INFO(row.mnemonic << " " << field.name);
      const std::string page = reference_page(row), start = "  " + std::string(field.name) + "=";
      const std::size_t at = page.find(start);
      REQUIRE(at != std::string::npos);
      const std::size_t colon = page.find(':', at), end = page.find(' ', colon);
      const auto dtype = from_name<DType>(page.substr(colon + 1, end - colon - 1));
      REQUIRE(dtype);
      CHECK(((field.dtypes >> static_cast<unsigned>(*dtype)) & 1) == 1);
    }
}

TEST_CASE("reference: the Markdown has a section for every instruction and queue", "[isa]") {
  const std::string page = reference_markdown();
  for (const OpRow& row : all_rows()) CHECK_THAT(page, Contains("\n### " + std::string(row.mnemonic) + "\n"));
  for (std::size_t q = 0; q < kQueueCount; ++q)
    CHECK_THAT(page, Contains("\n| " + std::string(name_of(static_cast<Queue>(q))) + " |"));
}

TEST_CASE("reference: the Markdown lists every choice with its meaning", "[isa]") {
  const std::string page = reference_markdown();
  const auto listed = [&]<class Enum>(Enum) {
    for (const std::string_view name : names_of<Enum>()) {
      INFO(name);
      CHECK_THAT(page, Contains("`" + std::string(name) + "`"));
    }
  };
  listed(AluOp{});
  listed(CompareOp{});
  listed(MatmulMode{});
  listed(ReduceCommand{});
  listed(ActFn{});
  listed(DType{});
  CHECK_THAT(page, Contains("| `add` | a + b | arithmetic | vector, scalar, gpsimd | yes | yes | yes |"));
  CHECK_THAT(page, Contains("| `power` | a to the power b | arithmetic | gpsimd |  |  |  |"));
  CHECK_THAT(page,
             Contains("| `bitwise_not` | a with every bit inverted | bits, one operand | vector |  |  |  |"));
  CHECK_THAT(page, Contains("| `subtract` | a - b | arithmetic | vector, gpsimd | yes |  | yes |"));
}

TEST_CASE("reference: the dtypes' largest and smallest numbers are those of their bits", "[isa]") {
  struct Form {
    std::string name;
    int exponent_bits, fraction_bits;
  };
  const std::string page = reference_markdown();
  for (const Form& form : std::initializer_list<Form>{{"fp32", 8, 23},
                                                      {"tf32", 8, 10},
                                                      {"bf16", 8, 7},
                                                      {"fp16", 5, 10},
                                                      {"fp8_e5m2", 5, 2},
                                                      {"fp8_e4m3", 4, 3},
                                                      {"fp8_e3m4", 3, 4}}) {
    INFO(form.name);
    const int bias = (1 << (form.exponent_bits - 1)) - 1, lowest = 1 - bias;
    const std::size_t at = page.find("| `" + form.name + "` |");
    REQUIRE(at != std::string::npos);
    const std::string line = page.substr(at, page.find('\n', at) - at);
    CHECK_THAT(line, Contains("1, " + std::to_string(form.exponent_bits) + ", " +
                              std::to_string(form.fraction_bits) + " bits"));
    CHECK_THAT(line, Contains("bias " + std::to_string(bias)));
    CHECK_THAT(
        line, Contains("2^" + std::to_string(lowest) + ", 2^" + std::to_string(lowest - form.fraction_bits)));
    // The largest: all ones below the exponent of infinity.
    std::ostringstream number;
    number << std::ldexp(2.0 - std::ldexp(1.0, -form.fraction_bits), bias);
    const std::string largest =
        form.exponent_bits < 8 ? number.str() : "2^128 - 2^" + std::to_string(127 - form.fraction_bits);
    CHECK_THAT(line, Contains("| " + largest + " |"));
  }
}
