// SPDX-License-Identifier: Apache-2.0
// Macros of assembler text: what they expand to, and where their errors point.
#include "isa/text/macros.h"

#include <catch2/catch.hpp>
#include <random>

#include "isa/binary/container.h"
#include "isa/text/assembler.h"
#include "isa/text/directives.h"
#include "isa/text/grammar.h"

using namespace tahoma::isa;
using Catch::Contains;

namespace {

const std::string kCopy =
    "tensor_copy shape=128x{N} dst={out + i * 0x400}:fp32 src=in:fp32 update=s{i % 4}+=1\n";

ProgramError error_of(const std::string& text) {
  try {
    assemble(text, "t.tasm");
  } catch (const ProgramError& e) {
    return e;
  }
  FAIL("accepted: " << text);
  return {"", "", ""};
}

void check_error(const std::string& text, const std::string& code, const std::string& place,
                 const std::string& hint) {
  INFO(text);
  const ProgramError e = error_of(text);
  CHECK(e.code == code);
  CHECK(e.place == "t.tasm:" + place);
  CHECK_THAT(e.message, Contains(hint));
}

std::string expression(const std::string& text) { return "vector:\n  reg_set d=r1 imm={" + text + "}\n"; }
std::int64_t value_of(const std::string& text) {
  return assemble(expression(text), "t").stream(Queue::kVector)[0].imm;
}

}  // namespace

TEST_CASE("macros: a repeated block equals the same lines by hand, for any counts and depth", "[isa]") {
  std::mt19937_64 random(5);
  for (unsigned n = 0; n < 200; ++n) {
    const std::uint64_t outer = random() % 5, inner = random() % 5, base = random() % 1000;
    const auto line = [&](const std::string& i, const std::string& j) {
      return "  reg_set d=r" + j + " imm=" + i + "\n";
    };
    std::string by_hand = "vector:\n", macros = "vector:\n.let base = " + std::to_string(base) + "\n";
    for (std::uint64_t i = 0; i < outer; ++i) {
      for (std::uint64_t j = 0; j < inner + i; ++j)
        by_hand += line(std::to_string(base + 7 * i - j), std::to_string(j));
      by_hand += "  nop\n";
    }
    macros += ".repeat " + std::to_string(outer) + ", i\n  .let first = base + 7*i\n  .repeat " +
              std::to_string(inner) + " + i, j  # nested\n" + line("{first - j}", "{j}") +
              "  .endr\n  nop\n.endr\n";
    INFO(macros);
    const Program program = assemble(macros, "t");
    CHECK(program == assemble(by_hand, "t"));
    CHECK(assemble(disassemble(program), "t") == program);
  }
}

TEST_CASE("macros: a tile's name stands where its address stands", "[isa]") {
  const std::string head =
      ".let N = 4 * 64\n.tile in = psum[0, 2 * 0x400]\n.tile out = sbuf[32, N]\nvector:\n";
  const Program named = assemble(head + ".repeat 2, i\n" + kCopy + ".endr\n", "t");
  const Program plain = assemble(
      "vector:\n  tensor_copy shape=128x256 dst=sbuf[32, 0x100]:fp32 src=psum[0, 0x800]:fp32 update=s0+=1\n"
      "  tensor_copy shape=128x256 dst=sbuf[32, 0x500]:fp32 src=psum[0, 0x800]:fp32 update=s1+=1\n",
      "t");
  CHECK(named == plain);
}

TEST_CASE("macros: expressions follow the rules of arithmetic", "[isa]") {
  CHECK(value_of("2 + 3 * 4 - 6 / 4") == 2 + 3 * 4 - 6 / 4);
  CHECK(value_of("(2 + 3) * -4") == -20);
  CHECK(value_of("-7 / 2") == -7 / 2);
  CHECK(value_of("-7 % 4") == -7 % 4);
  CHECK(value_of("0x10 - 3 - 2") == 11);
  CHECK(value_of("--5") == 5);
}

TEST_CASE("macros: errors point at the expression, with their codes", "[isa]") {
  check_error(expression("1 / 0"), "E-ASM-005", "2:23", "division by zero");
  check_error(expression("0x7fffffffffffffff + 1"), "E-ASM-005", "2:40", "64 bits");
  check_error(expression("1 +"), "E-ASM-004", "2:24", "expected a number");
  check_error(expression("(1"), "E-ASM-004", "2:23", "')'");
  check_error(expression("width"), "E-ASM-016", "2:21", "'width'");
  check_error(".let width = 3\n" + expression("widht"), "E-ASM-016", "3:21", "did you mean 'width'");
  check_error(".tile t = sbuf[0, 0]\n" + expression("1 + t"), "E-ASM-016", "3:25", "is a tile");
  check_error(".tile t = sbif[0, 0]\n", "E-ASM-006", "1:11", "did you mean 'sbuf'");
  check_error(".let a = 1\n.let a = 2\n", "E-ASM-013", "2:6", "twice");
  check_error(".args x\n.tile x = sbuf[0, 0]\n", "E-ASM-013", "2:7", "is an argument");
  check_error(".tile x = sbuf[0, 0]\n.args x\n", "E-ASM-013", "2:7", "is a tile");
  check_error(".let a = 1 2\n", "E-ASM-004", "1:12", "end of the line");
  check_error("vector:\n  nop }\n", "E-ASM-004", "2:7", "'}'");
  check_error("nop\n.repeat 2\nnop\n", "E-ASM-012", "1:1", "outside a queue");
  check_error(".repeat 2\nnop\n", "E-ASM-017", "1:1", ".endr");
  check_error("  .endr\n", "E-ASM-017", "1:3", ".repeat");
  check_error(".repeat 1 - 2\n.endr\n", "E-ASM-017", "1:9", "0 or more");
  check_error(".repet 2\n", "E-ASM-001", "1:2", "did you mean 'repeat'");
}

TEST_CASE("macros: a number out of range is reported at its token, with the line and the iterations",
          "[isa]") {
  const ProgramError e =
      error_of("vector:\n.repeat 3, row\n\t.repeat 2\n\treg_set d=r{62 + row} imm=1\n.endr\n.endr\n");
  CHECK(e.code == "E-ASM-005");
  CHECK(e.place == "t.tasm:4:12");
  CHECK(e.context ==
        "  4 | \treg_set d=r{62 + row} imm=1\n    | \t          ^\n"
        "  in iteration 0 of 2 of the .repeat in line 3\n"
        "  in iteration row = 2 of 3 of the .repeat in line 2");
  CHECK(std::string(e.what()) == e.place + ": error[E-ASM-005]: " + e.message + "\n" + e.context);
}

TEST_CASE("macros: errors of plain lines show the line and a caret, also those found at the end", "[isa]") {
  CHECK(error_of("vector:\n  nopp\n").context == "  2 |   nopp\n    |   ^");
  CHECK(error_of("vector:\r\n  jump target=end  # where\r\n").context ==
        "  2 |   jump target=end  # where\n    |               ^");
}

TEST_CASE("macros: an expansion without end is refused, even if no line is repeated", "[isa]") {
  check_error("vector:\n.repeat 1000000000\n nop\n.endr\n", "E-ASM-017", "2:1", "lines and iterations");
  check_error(".repeat 100000\n.repeat 100000\n.endr\n.endr\n", "E-ASM-017", "2:1", "lines and iterations");
  std::string deep;
  for (int n = 0; n < 40; ++n) deep += ".repeat 1\n";
  for (int n = 0; n < 40; ++n) deep += ".endr\n";
  check_error(deep, "E-ASM-017", "33:9", "nested");
  check_error(expression(std::string(1000, '(')), "E-ASM-005", "2:85", "deeply");
}

TEST_CASE("macros: every instruction has the line of the text that it came from, in every iteration",
          "[isa]") {
  const std::string text =
      ".program lines\nvector:\n.repeat 2, i\n  nop\n  reg_set d=r1 imm={i}\n.endr\nsync:\n\n  nop  # last\n";
  const Program program = assemble_with_lines(text, "folder/t.tasm");
  const auto line_of = [&](Queue queue, std::uint32_t index) {
    return program.lines.at(program.line_at(queue, index)).line;
  };
  for (std::uint32_t n = 0; n < 4; ++n) CHECK(line_of(Queue::kVector, n) == 4 + n % 2);
  CHECK(line_of(Queue::kSync, 0) == 9);
  CHECK(program.lines.size() == 3);
  CHECK(program.lines[0].file == "folder/t.tasm");
  CHECK(from_bytes(to_bytes(program)) == program);
  Program without = program;
  without.lines.clear();
  without.line_marks = {};
  CHECK(without == assemble(text, "folder/t.tasm"));
}

TEST_CASE("macros: useful work survives text and bytes, and is stated once", "[isa]") {
  const std::string text = ".let M = 128\n.flops 2 * M * 512\n.bytes 3 * M\nvector:\n  nop\n";
  const Program program = assemble(text, "t");
  CHECK(program.useful_flops == 2 * 128 * 512);
  CHECK(program.useful_bytes == 3 * 128);
  CHECK(assemble(disassemble(program), "t") == program);
  CHECK(from_bytes(to_bytes(program)) == program);
  check_error(".flops 1\n.flops 2\n", "E-ASM-013", "2:2", "twice");
  check_error(".bytes 0\n", "E-ASM-005", "1:2", "1 or more");
}

TEST_CASE("grammar: the page has every directive, and its examples assemble", "[isa]") {
  const std::string page = grammar_markdown();
  for (const DirectiveRow& row : kDirectives) {
    CHECK_THAT(page, Contains("| `" + std::string(row.form) + "` |"));
    CHECK_THAT(std::string(row.form), Catch::StartsWith("." + std::string(row.name)));
  }
  std::size_t examples = 0;
  for (std::size_t at = 0; (at = page.find("```asm\n", at)) != std::string::npos; ++examples) {
    at += 7;
    const std::string example = page.substr(at, page.find("```", at) - at);
    INFO(example);
    CHECK_NOTHROW(assemble(example, "example"));
  }
  CHECK(examples > 0);
}
