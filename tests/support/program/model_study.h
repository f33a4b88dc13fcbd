// SPDX-License-Identifier: Apache-2.0
// A small model in a folder of its own, and `tahoma model` with it.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/subprocess.h"

namespace tahoma::tests {

inline nlohmann::json small_model(std::uint64_t layers) {
  return {{"architectures", {"LlamaForCausalLM"}},
          {"hidden_size", 512},
          {"intermediate_size", 1024},
          {"num_hidden_layers", layers},
          {"num_attention_heads", 8},
          {"num_key_value_heads", 4},
          {"head_dim", 64},
          {"vocab_size", 1000},
          {"max_position_embeddings", 4096}};
}

struct ModelStudy {
  TempDir folder;
  explicit ModelStudy(std::uint64_t layers) { folder.write("config.json", small_model(layers).dump()); }
  // Uses prompts of 64 tokens and a batch of 4, unless the options say otherwise.
  Finished run(std::vector<std::string> options) const {
    for (const auto& [name, value] : {std::pair{"--prompt", "64"}, std::pair{"--batch", "4"}})
      if (std::find(options.begin(), options.end(), name) == options.end())
        options.insert(options.end(), {name, value});
    options.insert(options.begin(), {"model", "config.json"});
    return tahoma_in(folder.path().string(), options);
  }
  nlohmann::json summary(const std::string& out) const {
    return nlohmann::json::parse(contents(folder / (out + "/summary.json")));
  }
  // The layouts of a study that must succeed.
  nlohmann::json layouts(std::vector<std::string> options, const std::string& out = "out") const {
    options.insert(options.end(), {"--out", out});
    const Finished f = run(options);
    INFO(f.err);
    REQUIRE(f.status == 0);
    return summary(out)["layouts"];
  }
};

inline std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A layout with scaled layers does the work of one whose layers are executed, in nearly its time.
inline void check_scaled(const nlohmann::json& scaled, const nlohmann::json& executed) {
  for (const char* phase : {"prefill", "decode"})
    CHECK(scaled[phase]["flops"].get<double>() ==
          Approx(executed[phase]["flops"].get<double>()).epsilon(1e-12));
  for (const char* time : {"ttft_ns", "tpot_ns"}) {
    INFO(time << " " << scaled[time] << " " << executed[time]);
    CHECK(scaled[time].get<double>() == Approx(executed[time].get<double>()).epsilon(0.02));
  }
}

inline void check_refused(const Finished& f, const std::string& code) {
  INFO(f.err);
  CHECK(f.status == 2);
  CHECK(f.out.empty());
  CHECK_THAT(f.err, Catch::Contains("error[" + code + "]"));
}

}  // namespace tahoma::tests
