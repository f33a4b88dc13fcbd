// SPDX-License-Identifier: Apache-2.0
// The keys of `config.json`: those that give a dimension, those of which the kernels support one value, and
// those that do not influence inference.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "studies/model/config/families.h"
#include "studies/model/config/model_config.h"

namespace tahoma::runtime {

struct CountKey {
  const char* key;
  std::uint64_t ModelConfig::*to;
  std::uint64_t least, most;
  bool required;
};
struct RealKey {
  const char* key;
  double ModelConfig::*to;
  double least, most, absent;  // the last one is the default
};
// A key whose only supported value is this JSON text, or null; `read`: families that read it by other means.
struct FixedKey {
  const char* key;
  const char* value;
  const char* lacking;  // what another value asks for
  bool (*read)(const ModelFamily& family) = nullptr;
  const char* of_gemma = nullptr;  // the value of Gemma's families instead
};

// A key about a part of the model that is not simulated; that part is named if the value is neither null,
// false nor 0.
struct LeftOutKey {
  const char* key;
  const char* part;
};

std::span<const CountKey> count_keys();
std::span<const RealKey> real_keys();
std::span<const FixedKey> fixed_keys();
std::span<const LeftOutKey> left_out_keys();

// Earlier names of keys, and those of other architectures, with the names that they stand for.
struct OldName {
  const char *old, *name;
};
std::span<const OldName> old_names();

// All keys that are understood, checked, or without influence.
std::vector<std::string> known_config_keys();

}  // namespace tahoma::runtime
