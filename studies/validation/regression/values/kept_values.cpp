// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/regression/values/kept_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "isa/core/dtype.h"
#include "isa/core/mixing.h"
#include "model/base/error.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/sha256.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kHashDigits = 8;

std::string_view bytes_of(const NamedValues& output, BlockRange block) {
  const std::size_t size = isa::size_of(output.dtype);
  return {reinterpret_cast<const char*>(output.values.data()) + block.begin * size,
          (block.end - block.begin) * size};
}

std::string value_at(const NamedValues& output, std::uint64_t index) {
  return fmt::format(
      "{}", isa::load_as_fp32(output.values.data() + index * isa::size_of(output.dtype), output.dtype));
}

std::uint64_t quotient_up(std::uint64_t a, std::uint64_t b) { return b == 0 ? 0 : (a + b - 1) / b; }

KeptOutput output_from(const Json& json) {
  KeptOutput output{json.at("name").get<std::string>(), json.at("dtype").get<std::string>(),
                    json.at("shape").get<std::vector<std::uint64_t>>(),
                    json.at("values").get<std::vector<std::string>>(),
                    json.at("hashes").get<std::vector<std::string>>()};
  const std::uint64_t length = output.block_length();
  if (output.values.size() != quotient_up(output.elements(), length) ||
      output.hashes.size() != (length > 1 ? output.values.size() : 0))
    throw std::invalid_argument("'" + output.name +
                                "' has other numbers of values and hashes than its shape");
  return output;
}

}  // namespace

std::uint64_t KeptOutput::elements() const {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
}

// The number of blocks determines their length again: see kept_values_test.cpp.
std::uint64_t KeptOutput::block_length() const { return quotient_up(elements(), values.size()); }

BlockRange KeptOutput::block(std::uint64_t number) const {
  const std::uint64_t begin = number * block_length();
  return {begin, std::min(begin + block_length(), elements())};
}

std::uint64_t KeptOutput::kept_at(std::uint64_t block_number) const {
  const auto [begin, end] = block(block_number);
  return begin + isa::mixed(block_number + isa::kMixingStep) % (end - begin);
}

std::string hash_name(const std::string& output) { return "outputs." + output + ".sha256"; }

KeptOutput keep(const NamedValues& output, std::uint64_t most) {
  KeptOutput kept{output.name, std::string(isa::name_of(output.dtype)), output.shape, {}, {}};
  const std::uint64_t length = quotient_up(kept.elements(), most);
  kept.values.resize(quotient_up(kept.elements(), length));
  for (std::uint64_t n = 0; n < kept.values.size(); ++n) {
    kept.values[n] = value_at(output, kept.kept_at(n));
    if (length > 1) kept.hashes.push_back(sha256_of(bytes_of(output, kept.block(n))).substr(0, kHashDigits));
  }
  return kept;
}

std::string kept_values_path(const std::string& folder, const std::string& case_name) {
  return (fs::path(folder) / (case_name + ".values.json")).string();
}

std::string kept_values_text(const std::vector<KeptOutput>& outputs) {
  Json json = Json::array();
  for (const KeptOutput& output : outputs)
    json.push_back({{"name", output.name},
                    {"dtype", output.dtype},
                    {"shape", output.shape},
                    {"values", output.values},
                    {"hashes", output.hashes}});
  return dump_json(json, 1) + "\n";
}

std::vector<KeptOutput> parse_kept_values(const std::string& text, const std::string& place) {
  try {
    std::vector<KeptOutput> outputs;
    for (const Json& output : Json::parse(text)) outputs.push_back(output_from(output));
    return outputs;
  } catch (const std::exception& error) {
    throw base::UserError("E-REG-017", place, fmt::format("not a file of kept values: {}", error.what()));
  }
}

std::optional<std::vector<KeptOutput>> read_kept_values(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::nullopt;
  return parse_kept_values(read_file(path), path);
}

}  // namespace tahoma::runtime
