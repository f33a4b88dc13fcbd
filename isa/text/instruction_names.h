// SPDX-License-Identifier: Apache-2.0
// The names of an instruction in text: its mnemonic, and as an alias `nki.isa.NAME` for a function of nki.isa
// that it implements.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/table/table.h"

namespace tahoma::isa {

// "nki.isa.nc_matmul"; several are joined by ", "; "" if nki.isa has no such function.
std::string nki_names_of(const OpRow& row);

// Returns rows in the order of the table: one for a mnemonic, every row that implements the function for an
// alias, none for an unknown name.
std::vector<const OpRow*> rows_by_name(std::string_view name);

// The message about an unknown name, with the nearest legal one.
std::string unknown_instruction(std::string_view name);

}  // namespace tahoma::isa
