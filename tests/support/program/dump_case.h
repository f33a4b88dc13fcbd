// SPDX-License-Identifier: Apache-2.0
// A case in assembler text in its own folder, run by the real program, and its dumps.
#pragma once

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/host/npy.h"
#include "tests/support/subprocess.h"
#include "tests/support/temp_dir.h"

namespace tahoma::tests {

using Floats = std::vector<float>;

inline runtime::NpyArray floats_array(const Floats& values, std::vector<std::uint64_t> shape) {
  runtime::NpyArray array{"<f4", std::move(shape), std::vector<std::byte>(values.size() * sizeof(float))};
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

inline Floats floats_of(const runtime::NpyArray& array) {
  Floats values(array.bytes.size() / sizeof(float));
  std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

class DumpCase {
 public:
  // `in` is 4 x 8 fp32, `out` the same.
  DumpCase(const std::string& program, const Floats& in, unsigned cores = 1) {
    put(program, in);
    folder_.write("case.yaml",
                  "kind: program\nmachine: trainium2_one_chip\nworkload: {file: case.tasm, cores: " +
                      std::to_string(cores) + ", tensors: \"in fp32 4x8 in.npy; out fp32 4x8 zero\"}\n");
  }
  void put(const std::string& program, const Floats& in) const {
    folder_.write("case.tasm", program);
    runtime::write_npy(folder_ / "in.npy", floats_array(in, {4, 8}));
  }

  Finished run(std::vector<std::string> options, const std::string& out = "out") const {
    options.insert(options.begin(), {"run", "case.yaml", "--no-report", "--out", out});
    return tahoma_in(folder_.path(), options);
  }
  Finished compare(std::vector<std::string> options) const {
    options.insert(options.begin(), {"compare", "--dumps"});
    return tahoma_in(folder_.path(), options);
  }
  std::string path(const std::string& name) const { return folder_ / name; }
  Floats dumped(const std::string& name, const std::string& out = "out") const {
    return floats_of(runtime::read_npy(folder_ / (out + "/dumps/" + name + ".npy")));
  }
  nlohmann::json index(const std::string& out = "out") const {
    return nlohmann::json::parse(contents(folder_ / (out + "/dumps/index.json")));
  }

 private:
  TempDir folder_;
};

// 0, 1, 2, ...: integers, so that sums and products of few of them are exact.
inline Floats counted() {
  Floats values(32);
  for (std::size_t n = 0; n < values.size(); ++n) values[n] = static_cast<float>(n);
  return values;
}
template <class Law>
Floats each(Floats values, Law&& law) {
  for (float& value : values) value = law(value);
  return values;
}

}  // namespace tahoma::tests
