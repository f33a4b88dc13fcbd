// SPDX-License-Identifier: Apache-2.0
// Runs the Python package to trace a kernel into a bundle.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tahoma::runtime::nki {

struct TracingRequest {
  std::string kernel, args, reference;  // as the case writes them
  std::uint64_t grid = 0, seed = 1;
  double rtol = 0, atol = 0;
  std::map<std::string, std::string> policies;  // values by name (frontend/nki/lower/policies.h)
  bool values = true;                           // timing mode needs none
  std::string machine;                          // a machine as YAML; the kernel is lowered for it
};

// A folder that is removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The words that start a module of the Python package, "tahoma.bundle", with these arguments.
std::vector<std::string> python_words(const std::string& module, const std::vector<std::string>& arguments);

// Writes the bundle into the folder. Throws UserError E-NKI-041 with what Python said if the kernel cannot be
// traced (exit status 2 if the request is wrong: a file, a name or an argument; 3 otherwise), E-NKI-042 if
// the package is not installed.
void trace_into(const std::string& folder, const TracingRequest& request);

}  // namespace tahoma::runtime::nki
