// SPDX-License-Identifier: Apache-2.0
// Every parser of the program as a function of the bytes of one file, for libFuzzer (fuzzer.cpp) and for the
// tests that replay kept inputs (parsers_test.cpp).
//
// A parser ends normally, or with a UserError or ProgramError that has a code. Any other exception, and any
// difference between what was written and what is read again, is a defect. Files are written in the working
// directory, which should be empty.
#pragma once

#include <span>
#include <stdexcept>
#include <string_view>

namespace tahoma::fuzz {

struct Parser {
  std::string_view name;  // of the folder with its kept inputs
  void (*read)(std::string_view bytes);
};

std::span<const Parser> parsers();
// Null if there is none.
const Parser* parser_called(std::string_view name);

// True if the parser refuses the bytes with a coded error.
bool is_refused(const Parser& parser, std::string_view bytes);

// A parser throws this if its result contradicts itself. It is no coded error, so it ends the fuzzer.
struct Contradiction : std::logic_error {
  using std::logic_error::logic_error;
};

// The readers of the table, by module.
void read_assembler(std::string_view bytes);
void read_program(std::string_view bytes);
void read_case(std::string_view bytes);
void read_machine(std::string_view bytes);
void read_sweep(std::string_view bytes);
void read_expression(std::string_view bytes);
void read_suite(std::string_view bytes);
void read_table(std::string_view bytes);
void read_regression_cases(std::string_view bytes);
void read_statistics(std::string_view bytes);
void read_prices(std::string_view bytes);
void read_accelerator_card(std::string_view bytes);
void read_serving(std::string_view bytes);
void read_cluster(std::string_view bytes);
void read_requests(std::string_view bytes);
void read_step_table(std::string_view bytes);
void read_array(std::string_view bytes);
void read_tensors(std::string_view bytes);
void read_shards(std::string_view bytes);
void read_huggingface_config(std::string_view bytes);
void read_execution_trace(std::string_view bytes);
void read_rank_groups(std::string_view bytes);

// Writes a file in the working directory.
void write_input(const char* name, std::string_view bytes);

}  // namespace tahoma::fuzz
