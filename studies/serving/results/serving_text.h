// SPDX-License-Identifier: Apache-2.0
// The summary as text and as JSON. The first line of the text is the main result.
#pragma once

#include <string>

#include "studies/serving/results/serving_summary.h"

namespace tahoma::runtime::serving {

// "goodput 3.9 requests/s (...), TTFT p50 120 ms, p99 800 ms".
std::string serving_answer(const ServingSummary& summary);
std::string serving_text(const ServingSummary& summary);
// Times in seconds. Keys: see the README of the folder above.
std::string serving_json(const ServingSummary& summary);

}  // namespace tahoma::runtime::serving
