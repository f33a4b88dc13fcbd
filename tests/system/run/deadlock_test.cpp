// SPDX-License-Identifier: Apache-2.0
// Planted deadlocks of different kinds: each run ends with exit status 4 and says which instruction waits for
// what, the value that the semaphore has at the end, and which queue would raise it.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/subprocess.h"

using namespace tahoma::tests;
using Catch::Contains;

namespace {

struct Planted {
  std::string program;                // without its first line
  std::vector<std::string> told;      // parts of the message
  std::vector<std::string> settings;  // below workload and machine
};

// Core 0 of the only chip.
std::string engine(const std::string& rest) { return "server0.chip00.core0." + rest; }

void require_named(const Planted& planted) {
  const TempDir folder;
  folder.write("case.yaml", "kind: program\nmachine: trainium2_one_chip\nworkload: {file: stuck.tasm}\n");
  folder.write("stuck.tasm", ".program stuck\n" + planted.program);
  for (const char* mode : {"functional", "timing"}) {
    std::vector<std::string> words{"run", "case.yaml", "--mode", mode};
    for (const std::string& setting : planted.settings) words.insert(words.end(), {"--set", setting});
    const Finished f = tahoma_in(folder.path().string(), words);
    INFO(f.err);
    CHECK(f.status == 4);
    for (const std::string& part : planted.told) CHECK_THAT(f.err, Contains(part));
  }
}

}  // namespace

TEST_CASE("planted deadlock: two queues wait for each other", "[deadlock]") {
  require_named(
      {"vector:\n  sem_wait wait=s0>=1 update=s1+=1\ntensor:\n  sem_wait wait=s1>=1 update=s0+=1\n",
       {"2 engines",
        engine("tensor[0] sem_wait waits for semaphore 1 >= 1, which is 0; would be raised by: vector"),
        engine("vector[0] sem_wait waits for semaphore 0 >= 1, which is 0; would be raised by: tensor")},
       {}});
}

TEST_CASE("planted deadlock: three queues wait in a circle", "[deadlock]") {
  require_named(
      {"vector:\n  sem_wait wait=s0>=1 update=s1+=1\nscalar:\n  sem_wait wait=s1>=1 update=s2+=1\n"
       "gpsimd:\n  sem_wait wait=s2>=1 update=s0+=1\n",
       {"3 engines", engine("vector[0]"), engine("scalar[0]"), engine("gpsimd[0]"),
        "would be raised by: gpsimd"},
       {}});
}

TEST_CASE("planted deadlock: a queue waits for its own later instruction", "[deadlock]") {
  require_named(
      {"vector:\n  sem_wait wait=s0>=1\n  sem_set update=s0+=1\n",
       {engine("vector[0] sem_wait waits for semaphore 0 >= 1, which is 0; would be raised by: vector")},
       {}});
}

TEST_CASE("planted deadlock: nobody raises the semaphore", "[deadlock]") {
  require_named(
      {"vector:\n  sem_wait wait=s7>=1\n",
       {engine("vector[0] sem_wait waits for semaphore 7 >= 1, which is 0; no remaining instruction")},
       {}});
}

TEST_CASE("planted deadlock: the semaphore is raised too few times", "[deadlock]") {
  require_named(
      {"sync:\n  sem_set update=s0+=2\nvector:\n  sem_wait wait=s0>=3\n",
       {engine("vector[0] sem_wait waits for semaphore 0 >= 3, which is 2; no remaining instruction")},
       {}});
}

TEST_CASE("planted deadlock: the semaphore passes the value that is waited for", "[deadlock]") {
  require_named(
      {"sync:\n  sem_set update=s0+=2\n  sem_set update=s0+=2\nvector:\n  sem_wait wait=s0==3\n",
       {engine("vector[0] sem_wait waits for semaphore 0 == 3, which is 4; no remaining instruction")},
       {}});
}

TEST_CASE("planted deadlock: the semaphore is taken back before the wait", "[deadlock]") {
  require_named(
      {"sync:\n  sem_set update=s0+=5\n  sem_set update=s0=0\n  sem_set update=s1+=1\n"
       "vector:\n  sem_wait wait=s1>=1\n  sem_wait wait=s0>=5\n",
       {engine("vector[1] sem_wait waits for semaphore 0 >= 5, which is 0; no remaining instruction")},
       {}});
}

TEST_CASE("planted deadlock: a register asks for more than is raised", "[deadlock]") {
  require_named({"vector:\n  reg_set d=r1 imm=3\n  sem_wait wait=s0>=r1\nsync:\n  sem_set update=s0+=2\n",
                 {engine("vector[1] sem_wait waits for semaphore 0 >= 3, which is 2")},
                 {}});
}

TEST_CASE("planted deadlock: a loop has one round more than its producer", "[deadlock]") {
  require_named(
      {"vector:\n  reg_set d=r1 imm=0\nL:\n  sem_wait wait=s0>=1 update=s0-=1\n  reg_alu d=r1 a=r1 op=add "
       "imm=1\n"
       "  branch a=r1 compare=lt imm=4 target=L\nsync:\n  sem_set update=s0+=3\n",
       {engine("vector[1] sem_wait waits for semaphore 0 >= 1, which is 0")},
       {}});
}

TEST_CASE("planted deadlock: a transfer waits for the engine that waits for it", "[deadlock]") {
  require_named(
      {".args in\ngpsimd:\n  sem_wait wait=s0>=16 update=s1+=1\n"
       "sync:\n  dma_copy shape=128x8 dst=sbuf[0, 0x0]:fp32 src=in:fp32 wait=s1>=1 update=s0+=1\n",
       {engine("gpsimd[0] sem_wait waits for semaphore 0 >= 16, which is 0; would be raised by: sync"),
        engine("sync[0] dma_copy waits for semaphore 1 >= 1, which is 0; would be raised by: gpsimd")},
       {"workload.tensors=in fp32 128x8 seed"}});
}

TEST_CASE("planted deadlock: a transfer raises less than all its engines would", "[deadlock]") {
  require_named(
      {".args in\ngpsimd:\n  sem_wait wait=s0>=17\n"
       "sync:\n  dma_copy shape=128x8 dst=sbuf[0, 0x0]:fp32 src=in:fp32 update=s0+=1\n",
       {engine("gpsimd[0] sem_wait waits for semaphore 0 >= 17, which is 16; no remaining instruction")},
       {"workload.tensors=in fp32 128x8 seed"}});
}

TEST_CASE("planted deadlock: a collective core waits", "[deadlock]") {
  require_named({"cc0:\n  sem_wait wait=s9>=1\nvector:\n  sem_set update=s8+=1\n",
                 {engine("cc0[0] sem_wait waits for semaphore 9 >= 1, which is 0; no remaining instruction")},
                 {}});
}

TEST_CASE("planted deadlock: the other core never arrives at the barrier", "[deadlock]") {
  require_named({"vector:\n  core_barrier pipe=0\n",
                 {engine("vector[0] core_barrier waits for core1 on pipe 0; no remaining instruction of that "
                         "core arrives")},
                 {"machine.chip.lnc=2", "workload.cores=1"}});
}

TEST_CASE("planted deadlock: two barriers wait for each other on both cores", "[deadlock]") {
  require_named(
      {"vector:\n  core_barrier pipe=0 wait=s0>=1 update=s1+=1\n"
       "scalar:\n  core_barrier pipe=1 wait=s1>=1 update=s0+=1\n",
       {"4 engines", engine("vector[0] core_barrier"), "server0.chip00.core1.scalar[0] core_barrier"},
       {"machine.chip.lnc=2", "workload.cores=2"}});
}

TEST_CASE("planted deadlock: an endless loop ends at the machine's time limit", "[deadlock]") {
  require_named(
      {"vector:\nL:\n  jump target=L\n", {"E-RUN-054", "machine.time_limit"}, {"machine.time_limit=1 us"}});
}
