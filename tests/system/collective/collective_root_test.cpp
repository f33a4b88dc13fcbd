// SPDX-License-Identifier: Apache-2.0
// Tests which roots of a torus take the same time. A shift of the chips is a symmetry of the links, and the
// schedule of every root is that of rank 0, shifted. Four things depend on places, and so break the symmetry
// (tests/component/fabric/shifts_test.cpp has the first two):
// - two ways half round an axis are equally long, and chips with an even coordinate send up, the others down;
// - a packet that crosses the end of an axis has another class of virtual channels. Where the packets of a
//   link have both classes, round robin and blocking at the head of a buffer depend on where the end is;
// - the cycles of `ring` over two axes are no shifts of themselves;
// - rank r has place r in the root's tensor in gather and scatter, so with DRAM another bank.
#include <catch2/catch.hpp>

#include "tests/support/program/collective_time.h"

using namespace tahoma;
using tests::collective_time, tests::flat_torus, tests::Settings;

namespace {

struct Rooted {
  const char* operation;
  std::vector<const char*> algorithms;
};

const std::vector<Rooted> kRooted{{"broadcast", {"mesh", "tree"}},
                                  {"reduce", {"mesh", "mesh_one_step", "tree"}},
                                  {"gather", {"direct"}},
                                  {"scatter", {"direct"}}};

std::int64_t fs_of(const model::MachineParams& m, const char* operation, const char* algorithm,
                   const char* bytes, std::uint32_t root) {
  return collective_time(m, {{"operation", operation},
                             {"algorithm", algorithm},
                             {"bytes", bytes},
                             {"root", std::to_string(root)}})
      .fs;
}

void check_equal(const model::MachineParams& m, const Rooted& rooted, const char* bytes,
                 const std::vector<std::uint32_t>& roots) {
  for (const char* algorithm : rooted.algorithms) {
    const std::int64_t first = fs_of(m, rooted.operation, algorithm, bytes, roots.front());
    for (const std::uint32_t root : roots) {
      INFO(rooted.operation << " of " << bytes << " by " << algorithm << " from " << root);
      CHECK(fs_of(m, rooted.operation, algorithm, bytes, root) == first);
    }
  }
}

}  // namespace

// No way is as long as another, and the packets of a link have one class.
TEST_CASE("collective roots: with three chips an axis every root takes the same time, by every algorithm",
          "[collective]") {
  for (const Rooted& rooted : kRooted)
    for (const char* bytes : {"64 B", "1 MiB"}) check_equal(flat_torus(3, 3), rooted, bytes, {0, 1, 3, 8});
}

// The packets of a chain take one hop each, so none of them crosses the end of the axis and goes on.
TEST_CASE("collective roots: chains along one axis take the same time from every root", "[collective]") {
  for (const std::uint32_t chips : {4U, 5U})
    for (const char* operation : {"broadcast", "reduce"})
      check_equal(flat_torus(chips), {operation, {"ring"}}, "256 KiB", {0, 1, 2, 3});
}

// Each chunk has a place at the root, and another root's places are those of root 0.
TEST_CASE("collective roots: broadcast and reduce with DRAM take the same time from every root",
          "[collective]") {
  const model::MachineParams m = tests::machine_of(3, 1, 1);
  for (const char* operation : {"broadcast", "reduce"})
    for (const char* bytes : {"50000 B", "1 MiB"})
      check_equal(m, {operation, {"ring", "mesh"}}, bytes, {0, 1, 2});
}
