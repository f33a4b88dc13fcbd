// SPDX-License-Identifier: Apache-2.0
#include "cli/reference/isa_json.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "isa/table/table.h"
#include "isa/text/instruction_names.h"
#include "isa/text/reference_text.h"
#include "model/base/error.h"
#include "runtime/host/json/json_text.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

Json queues_json(const isa::OpRow& row) {
  Json list = Json::array();
  for (std::size_t n = 0; n < isa::kQueueCount; ++n)
    if (((row.queues >> n) & 1) != 0) list.push_back(isa::name_of(static_cast<isa::Queue>(n)));
  return list;
}

Json functions_json(const isa::OpRow& row) {
  Json list = Json::array();
  for (const std::string_view name : row.nki)
    if (!name.empty()) list.push_back("nki.isa." + std::string(name));
  return list;
}

Json operands_json(const isa::OpRow& row) {
  Json list = Json::array();
  for (const isa::OperandLine& line : isa::operand_lines(row))
    list.push_back({{"form", line.form}, {"doc", line.doc}, {"bits", line.bits}});
  return list;
}

Json row_json(const isa::OpRow& row) {
  return {{"mnemonic", row.mnemonic},
          {"queues", queues_json(row)},
          {"nki", functions_json(row)},
          {"meaning", row.formula},
          {"doc", row.doc},
          {"cost_class", isa::name_of(row.cost)},
          {"since", isa::full_name_of(row.since)},
          {"opcode", static_cast<unsigned>(row.op)},
          {"operands", operands_json(row)},
          {"limits", isa::limits_of(row)}};
}

std::vector<const isa::OpRow*> rows_of(std::string_view name) {
  std::vector<const isa::OpRow*> rows;
  if (!name.empty()) {
    rows = isa::rows_by_name(name);
    if (rows.empty()) throw base::UserError("E-ISA-001", "isa", isa::unknown_instruction(name));
    return rows;
  }
  for (const isa::OpRow& row : isa::all_rows()) rows.push_back(&row);
  return rows;
}

}  // namespace

std::string isa_json(std::string_view name) {
  Json list = Json::array();
  for (const isa::OpRow* row : rows_of(name)) list.push_back(row_json(*row));
  return dump_json(list, 2) + "\n";
}

}  // namespace tahoma::runtime
