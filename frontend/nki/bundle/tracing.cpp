// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/bundle/tracing.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/process.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime::nki {

namespace {

namespace fs = std::filesystem;

constexpr int kMistake = 64;  // the exit status of tahoma.bundle for a wrong request

// The folder of the package: of the build that this program is part of, or of its installation.
std::string package_path() {
  const fs::path program = fs::read_symlink(kThisProgram);
  for (const fs::path& folder :
       {program.parent_path() / "python", program.parent_path().parent_path() / "lib/python3/dist-packages"})
    if (fs::exists(folder / "tahoma")) return folder.string();
  return "";
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "tahoma-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw base::UserError("E-OUT-001", pattern, std::strerror(errno), base::ExitStatus::kHost);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<std::string> python_words(const std::string& module, const std::vector<std::string>& arguments) {
  const std::string package = package_path();
  std::vector<std::string> words{"/usr/bin/env"};
  if (!package.empty()) {
    const char* const inherited = std::getenv("PYTHONPATH");
    words.push_back(
        fmt::format("PYTHONPATH={}{}", package, inherited != nullptr ? std::string(":") + inherited : ""));
  }
  words.insert(words.end(), {"/usr/bin/python3", "-m", module});
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

void trace_into(const std::string& folder, const TracingRequest& request) {
  const std::string machine = folder + "/machine.yaml";
  write_file(machine, request.machine);
  const nlohmann::json wanted{{"machine", machine},
                              {"kernel", request.kernel},
                              {"args", request.args},
                              {"reference", request.reference},
                              {"grid", request.grid},
                              {"seed", request.seed},
                              {"rtol", request.rtol},
                              {"atol", request.atol},
                              {"values", request.values},
                              {"policies", request.policies},
                              {"out", folder}};
  const std::string file = folder + "/request.json";
  write_file(file, dump_json(wanted));
  ProcessOptions options;
  options.captured = true;
  const ProcessResult result = Process(python_words("tahoma.bundle", {file}), options).wait();
  if (result.end.ok() && fs::exists(folder + "/bundle.json")) return;
  if (result.end.ok())
    throw base::UserError("E-NKI-041", request.kernel,
                          "the kernel ended the program before it was traced; expected that it returns",
                          base::ExitStatus::kProgram);
  if (result.output.find("No module named 'tahoma'") != std::string::npos ||
      result.output.find("No module named '_tahoma'") != std::string::npos)
    throw base::UserError("E-NKI-042", "workload.kernel",
                          "the Python package is not there; build it with: scripts/modules nki");
  if (result.end.reason == ProcessEnd::Reason::kExited && result.end.number == kMistake)
    throw base::UserError("E-NKI-041", request.kernel, std::string(base::trimmed(result.output)));
  throw base::UserError("E-NKI-041", request.kernel,
                        fmt::format("cannot be traced ({})\n{}", result.end.text(), result.output),
                        base::ExitStatus::kProgram);
}

}  // namespace tahoma::runtime::nki
