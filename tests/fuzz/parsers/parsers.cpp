// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/parsers/parsers.h"

#include <algorithm>
#include <fstream>

#include "isa/core/program_error.h"
#include "model/base/error.h"

namespace tahoma::fuzz {

namespace {

constexpr Parser kParsers[] = {{"assembler", read_assembler},
                               {"program", read_program},
                               {"case", read_case},
                               {"machine", read_machine},
                               {"sweep", read_sweep},
                               {"expression", read_expression},
                               {"suite", read_suite},
                               {"table", read_table},
                               {"regression", read_regression_cases},
                               {"statistics", read_statistics},
                               {"prices", read_prices},
                               {"card", read_accelerator_card},
                               {"serving", read_serving},
                               {"cluster", read_cluster},
                               {"requests", read_requests},
                               {"steps", read_step_table},
                               {"npy", read_array},
                               {"safetensors", read_tensors},
                               {"shards", read_shards},
                               {"huggingface", read_huggingface_config},
                               {"chakra", read_execution_trace},
                               {"groups", read_rank_groups}};

}  // namespace

std::span<const Parser> parsers() { return kParsers; }

const Parser* parser_called(std::string_view name) {
  const auto* found = std::ranges::find(kParsers, name, &Parser::name);
  return found == std::end(kParsers) ? nullptr : found;
}

bool is_refused(const Parser& parser, std::string_view bytes) {
  try {
    parser.read(bytes);
  } catch (const base::UserError& error) {
    if (error.code.empty()) throw Contradiction("an error without a code");
    return true;
  } catch (const isa::ProgramError& error) {
    if (error.code.empty()) throw Contradiction("an error without a code");
    return true;
  }
  return false;
}

void write_input(const char* name, std::string_view bytes) {
  std::ofstream file(name, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw std::runtime_error("cannot write an input in the working directory");
}

}  // namespace tahoma::fuzz
