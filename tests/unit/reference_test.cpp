// SPDX-License-Identifier: Apache-2.0
#include "isa/reference.h"

#include <catch2/catch.hpp>

#include "isa/error.h"
#include "isa/table_fields.h"

using namespace tahoma::isa;
using Catch::Contains;

TEST_CASE("reference: the list has one line per instruction", "[isa]") {
  const std::string list = reference_list();
  CHECK(std::count(list.begin(), list.end(), '\n') == static_cast<std::ptrdiff_t>(kOpcodeCount));
  for (const OpRow& row : all_rows()) {
    INFO(row.mnemonic);
    CHECK_THAT(list, Contains(std::string(row.mnemonic) + " ") && Contains(std::string(row.formula)));
  }
}

TEST_CASE("reference: a page shows everything in the row", "[isa]") {
  for (const OpRow& row : all_rows()) {
    INFO(row.mnemonic);
    const std::string page = reference_page(row.mnemonic);
    CHECK_THAT(page, Contains(std::string(row.doc)) && Contains(std::string(row.formula)) &&
                         Contains(std::string(name_of(row.cost))) && Contains("supported"));
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

TEST_CASE("reference: an unavailable instruction says so", "[isa]") {
  OpRow row = row_of(Opcode::kNop);
  row.availability = Availability::kNeuronCoreV4;
  CHECK_THAT(reference_page(row), Contains("availability  NeuronCore-v4 only"));
}

TEST_CASE("reference: the Markdown has a section for every instruction and queue", "[isa]") {
  const std::string page = reference_markdown();
  for (const OpRow& row : all_rows()) CHECK_THAT(page, Contains("\n### " + std::string(row.mnemonic) + "\n"));
  for (std::size_t q = 0; q < kQueueCount; ++q)
    CHECK_THAT(page, Contains("\n| " + std::string(name_of(static_cast<Queue>(q))) + " |"));
}
