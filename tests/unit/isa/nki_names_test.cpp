// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "isa/binary/container.h"
#include "isa/core/program_error.h"
#include "isa/text/assembler.h"
#include "isa/text/instruction_names.h"
#include "isa/text/reference.h"
#include "tests/support/random/random_program.h"
#include "tests/unit/isa/nki_functions.h"

using namespace tahoma::isa;
using Catch::Contains;
using tahoma::tests::kNkiFunctions;

namespace {

const std::string kPrefix = "nki.isa.";

std::vector<const OpRow*> rows_of(std::string_view function) {
  return rows_by_name(kPrefix + std::string(function));
}

std::size_t runnable(const std::vector<const OpRow*>& rows, Queue queue) {
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [&](const OpRow* row) {
    return ((row->queues >> static_cast<unsigned>(queue)) & 1) != 0;
  }));
}

ProgramError error_of(const std::string& text) {
  try {
    assemble(text, "t.tasm");
  } catch (const ProgramError& e) {
    return e;
  }
  FAIL("accepted: " << text);
  return {"", "", ""};
}

// The text of a program with aliases instead of mnemonics, wherever an alias is unambiguous on its queue;
// `used` collects the functions.
std::string with_aliases(const std::string& text, std::set<std::string_view>& used) {
  std::istringstream lines(text);
  std::string out;
  std::optional<Queue> queue;
  for (std::string line; std::getline(lines, line); out += line + "\n") {
    if (const auto heading = from_name<Queue>(line.substr(0, line.find(':')))) queue = heading;
    if (!line.starts_with("  ")) continue;
    const std::string word = line.substr(2, line.find(' ', 2) - 2);
    const OpRow* row = row_by_mnemonic(word);
    if (row == nullptr) continue;  // a .region
    for (const std::string_view function : row->nki) {
      const auto rows = rows_of(function);
      if (rows.empty() || (rows.size() > 1 && runnable(rows, *queue) != 1)) continue;
      used.insert(function);
      line.replace(2, word.size(), kPrefix + std::string(function));
      break;
    }
  }
  return out;
}

}  // namespace

TEST_CASE("nki.isa: the table names the functions of nki.isa, all of them and no others", "[isa]") {
  std::set<std::string_view> named;
  for (const OpRow& row : all_rows())
    for (const std::string_view function : row.nki)
      if (!function.empty()) named.insert(function);
  CHECK(named == std::set<std::string_view>(std::begin(kNkiFunctions), std::end(kNkiFunctions)));
}

TEST_CASE("nki.isa: only the sequencer, and copies of listed columns, have no function", "[isa]") {
  std::set<std::string_view> without;
  for (const OpRow& row : all_rows())
    if (nki_names_of(row).empty()) without.insert(row.mnemonic);
  CHECK(without == std::set<std::string_view>{"nop", "sem_wait", "sem_set", "jump", "branch",
                                              "gather_columns", "scatter_columns"});
}

TEST_CASE("nki.isa: a name finds the rows that implement the function", "[isa]") {
  for (const OpRow& row : all_rows()) {
    INFO(row.mnemonic);
    CHECK(rows_by_name(row.mnemonic) == std::vector<const OpRow*>{&row});
    for (const std::string_view function : row.nki) {
      if (function.empty()) continue;
      const auto rows = rows_of(function);
      CHECK(std::count(rows.begin(), rows.end(), &row) == 1);
    }
  }
  CHECK(rows_by_name("nki.isa.").empty());
  CHECK(rows_by_name("nki.isa.matmul").empty());
  CHECK(rows_by_name("nc_matmul").empty());
}

TEST_CASE("nki.isa: a program with aliases encodes like the same program with mnemonics", "[isa]") {
  tahoma::tests::ProgramGenerator generator(7);
  std::set<std::string_view> used;
  for (unsigned round = 0; round < 40; ++round) {
    const Program p = generator.program(60);
    const std::string text = disassemble(p), aliased = with_aliases(text, used);
    const Program again = assemble(aliased, "aliased");
    if (to_bytes(again) != to_bytes(p)) FAIL("the words differ in:\n" << aliased);
    if (disassemble(again) != text) FAIL("the disassembler does not write mnemonics for:\n" << aliased);
  }
  for (const OpRow& row : all_rows())
    for (const std::string_view function : row.nki) {
      const bool first = function == row.nki[0], later = row.since == CoreVersion::kV4;
      const bool never = function == "nc_matmul" || function == "register_move";
      INFO(row.mnemonic << " " << function);
      if (!function.empty() && first) CHECK(used.contains(function) == (!later && !never));
    }
}

TEST_CASE("nki.isa: each function of an instruction with several is an alias", "[isa]") {
  const std::string operands = " shape=1x8 dst=sbuf[0, 0]:fp32 src=sbuf[0, 64]:fp32 src_reg=r1";
  const auto bytes = [&](const std::string& name) {
    return to_bytes(assemble("vector:\n" + name + operands, "t"));
  };
  CHECK(bytes("nki.isa.tensor_copy_dynamic_src") == bytes("tensor_copy_dynamic"));
  CHECK(bytes("nki.isa.tensor_copy_dynamic_dst") == bytes("tensor_copy_dynamic"));
}

TEST_CASE("nki.isa: the queue decides between instructions of one function", "[isa]") {
  const Program p = assemble(
      "tensor:\nnki.isa.nc_transpose shape=32x32 columns=32 dst=psum[0, 0]:bf16 src=sbuf[0, 0]:bf16\n"
      "vector:\nnki.isa.nc_transpose shape=32x32 dst=sbuf[0, 0]:bf16 src=sbuf[0, 64]:bf16\n",
      "t");
  CHECK(p.stream(Queue::kTensor)[0].op == Opcode::kTranspose);
  CHECK(p.stream(Queue::kVector)[0].op == Opcode::kVectorTranspose);
}

TEST_CASE("nki.isa: an ambiguous alias is refused with its candidates", "[isa]") {
  const auto refused = [](const std::string& text, const std::string& place, const std::string& candidates) {
    const ProgramError e = error_of(text);
    INFO(e.message);
    CHECK(e.code == "E-ASM-015");
    CHECK(e.place == "t.tasm:" + place);
    CHECK_THAT(e.message, Contains(candidates));
  };
  refused("tensor:\n  nki.isa.nc_matmul shape=1x1", "2:3", "expected load_weights or matmul");
  refused("sync:\nnki.isa.register_move d=r1 imm=3", "2:1", "expected reg_set or reg_alu");
  refused("gpsimd:\nnki.isa.nc_transpose shape=1x1", "2:1", "expected transpose or vector_transpose");
}

TEST_CASE("nki.isa: other mistakes with an alias are those of a mnemonic", "[isa]") {
  CHECK(error_of("vector:\nnki.isa.tensor_coppy shape=1x1").code == "E-ASM-002");
  CHECK_THAT(error_of("vector:\nnki.isa.tensor_coppy shape=1x1").message,
             Contains("did you mean 'nki.isa.tensor_copy'"));
  CHECK(error_of("nki.isa.nc_matmul shape=1x1").code == "E-ASM-012");
  CHECK(error_of("vector:\nnki.isa.exponential shape=1x1").code == "E-ISA-002");
  CHECK_THAT(error_of("vector:\nnki.isa.memset shape=1x1 dst=sbuf[0, 0]:fp32").message,
             Contains("memset lacks its operand 'value'"));
}

TEST_CASE("nki.isa: list, page and Markdown show the functions", "[isa]") {
  const std::string list = reference_list(), markdown = reference_markdown();
  CHECK_THAT(list.substr(0, list.find('\n')), Contains("nki.isa"));
  for (const OpRow& row : all_rows()) {
    INFO(row.mnemonic);
    const std::size_t line = list.find("\n  " + std::string(row.mnemonic) + " "),
                      section = markdown.find("\n### " + std::string(row.mnemonic) + "\n");
    REQUIRE(line != std::string::npos);
    REQUIRE(section != std::string::npos);
    const std::string names = nki_names_of(row).empty() ? "no function of nki.isa" : nki_names_of(row);
    CHECK_THAT(reference_page(row), Contains("implements    " + names + "\n"));
    CHECK_THAT(markdown.substr(section, markdown.find("\n### ", section + 1) - section),
               Contains("Implements: " + names + "."));
    for (const std::string_view function : row.nki)
      CHECK_THAT(list.substr(line + 1, list.find('\n', line + 1) - line), Contains(std::string(function)));
  }
}

TEST_CASE("nki.isa: a function's page is that of every instruction that implements it", "[isa]") {
  CHECK(reference_page("nki.isa.tensor_copy") == reference_page("tensor_copy"));
  CHECK(reference_page("nki.isa.nc_matmul") ==
        reference_page("load_weights") + "\n" + reference_page("matmul"));
  try {
    reference_page("nki.isa.nc_matmull");
    FAIL("accepted");
  } catch (const ProgramError& e) {
    CHECK(e.code == "E-ISA-001");
    CHECK_THAT(e.message, Contains("did you mean 'nki.isa.nc_matmul'"));
  }
}
