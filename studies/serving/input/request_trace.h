// SPDX-License-Identifier: Apache-2.0
// Reads a trace of requests from a CSV file. Columns, in any order:
//   arrival_s,prompt_tokens,output_tokens       seconds from the start of the simulation
//   TIMESTAMP,ContextTokens,GeneratedTokens     Azure's public LLM inference traces; the first request
//                                               arrives at 0
// Other columns are ignored. Requests are in the order of arrival; equal times are legal.
//
// UserError at file:line: those of csv_stream.h; E-SRV-003 a time is malformed or negative; E-SRV-004 an
// arrival is earlier than the one before it; E-SRV-005 a number of tokens is not a whole number from 1 to
// kMostTokens; E-SRV-008 more than kMostRequests rows.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "studies/serving/input/csv_stream.h"
#include "studies/serving/input/request.h"

namespace tahoma::runtime::serving {

Requests read_trace(const std::string& path);

// Returns the whole number from 1 to kMostTokens in the current row, or throws E-SRV-005.
std::uint32_t tokens_in(const CsvStream& row, std::size_t column);

}  // namespace tahoma::runtime::serving
