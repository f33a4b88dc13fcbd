// SPDX-License-Identifier: Apache-2.0
// How a run was folded (model/system/folding), and the proof that its files are those of the whole machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/base/param_choice.h"
#include "model/system/folding/classes.h"

namespace tahoma::runtime {

// auto: equal chips are simulated once wherever that is proven to change nothing. off: every chip is
// simulated. verify: as auto, and a second run of the whole machine has to write the same files.
enum class FoldChoice : std::uint8_t { kAuto, kOff, kVerify };
inline constexpr base::Named<FoldChoice> kFoldChoices[] = {
    {FoldChoice::kAuto, "auto"}, {FoldChoice::kOff, "off"}, {FoldChoice::kVerify, "verify"}};

// "simulated 8 of 64 chips; the other 56 are equal to them", or why no chip was folded; "" if all chips
// differ.
std::string folding_text(const model::Folding& folding);

// The names of the files that differ between two folders of runs, or that only one has. manifest.json, which
// is about the host, is left out.
std::vector<std::string> differing_files(const std::string& folder, const std::string& other);

}  // namespace tahoma::runtime
