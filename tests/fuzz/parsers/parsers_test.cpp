// SPDX-License-Identifier: Apache-2.0
// Every parser on its kept inputs and on random changes of them: it ends normally or with a coded error.
#include "tests/fuzz/parsers/parsers.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "model/base/error.h"

namespace fs = std::filesystem;
using namespace tahoma::fuzz;

namespace {

const fs::path kKept = fs::path(TAHOMA_SOURCE_DIR) / "tests/fuzz/parsers/kept";

std::vector<std::string> kept_inputs(std::string_view parser) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kKept / parser)) files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<std::string> inputs;
  for (const fs::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return inputs;
}

// One to four changes: a byte replaced, removed or inserted, a range doubled, the end cut off.
std::string changed(std::string bytes, std::mt19937& random) {
  for (unsigned left = 1 + random() % 4; left > 0 && !bytes.empty(); --left) {
    const std::size_t at = random() % bytes.size(),
                      count = 1 + random() % std::min<std::size_t>(8, bytes.size() - at);
    switch (random() % 6) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes.erase(at, count);
        break;
      case 2:
        bytes.insert(at, 1, static_cast<char>(random()));
        break;
      case 3:
        bytes.insert(at, bytes.substr(at, count));
        break;
      case 4:
        bytes[at] = "0-9eE.:[]{}\"',\n"[random() % 15];
        break;
      default:
        bytes.resize(at);
        break;
    }
  }
  return bytes;
}

// Returns the text of an exception that is no coded error, or "".
std::string defect_of(const Parser& parser, const std::string& bytes) {
  try {
    static_cast<void>(is_refused(parser, bytes));
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

void require_sound(const Parser& parser, const std::string& bytes, const std::string& which) {
  const std::string defect = defect_of(parser, bytes);
  if (!defect.empty()) FAIL(parser.name << ", " << which << ": " << defect << "\n" << bytes.substr(0, 2000));
}

void read_planted(std::string_view bytes) {
  if (bytes.find('x') != std::string_view::npos) throw std::out_of_range("planted");
  throw tahoma::base::UserError("E-CFG-002", "here", "refused");
}

}  // namespace

TEST_CASE(
    "parsers: every one has inputs that it accepts, and kept inputs end normally or with a coded error") {
  for (const Parser& parser : parsers()) {
    const std::vector<std::string> inputs = kept_inputs(parser.name);
    REQUIRE(!inputs.empty());
    for (std::size_t i = 0; i < inputs.size(); ++i)
      require_sound(parser, inputs[i], "kept input " + std::to_string(i));
  }
  std::set<std::string> folders, names;
  for (const auto& entry : fs::directory_iterator(kKept))
    if (entry.is_directory()) folders.insert(entry.path().filename());
  for (const Parser& parser : parsers()) names.emplace(parser.name);
  CHECK(folders == names);
}

TEST_CASE("parsers: inputs with random changes end normally or with a coded error") {
  for (const Parser& parser : parsers()) {
    std::mt19937 random(7);
    const std::vector<std::string> inputs = kept_inputs(parser.name);
    for (int n = 0; n < 200; ++n) {
      const std::string bytes = changed(inputs[random() % inputs.size()], random);
      require_sound(parser, bytes, "change " + std::to_string(n));
    }
  }
  SUCCEED("a defect ends the test");
}

TEST_CASE("parsers: an exception without a code is a defect (planted)") {
  const Parser planted{"planted", read_planted};
  CHECK(defect_of(planted, "a") == "");
  CHECK(is_refused(planted, "a"));
  CHECK(defect_of(planted, "x") == "planted");
}
