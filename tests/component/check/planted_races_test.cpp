// SPDX-License-Identifier: Apache-2.0
// Programs with a planted race, each with a corrected twin, on the whole machine. The checker finds the race
// and names both instructions; the twin is clean.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/program/checked_run.h"

using namespace tahoma;
using tests::checked_run, tests::CheckedRun, tests::CoreText, tests::planted;

namespace {

struct Planted {
  const char* name;
  const char* code;
  const char *one, *other;         // instructions of the pair, as reports name them
  std::vector<CoreText> programs;  // {wrong|right}
  bool other_values = false;       // the tensors differ: transfers of equal values may repeat one another
};

std::vector<CoreText> version(const Planted& p, bool right) {
  std::vector<CoreText> programs = p.programs;
  for (CoreText& program : programs) program.text = planted(program.text, right);
  return programs;
}

bool names(const std::string& finding, const Planted& p) {
  return finding.starts_with(p.code) && finding.find(p.one) != std::string::npos &&
         finding.find(p.other) != std::string::npos;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

void check(const std::vector<Planted>& list) {
  for (const Planted& p : list) {
    for (const model::Mode mode : {model::Mode::kTiming, model::Mode::kFunctional}) {
      INFO(p.name);
      for (const bool run_ahead : {true, false}) {
        CheckedRun how{{true, true}, mode, run_ahead};
        if (p.other_values) how.equal = "";
        const auto found = checked_run(version(p, false), how);
        INFO(joined(found));
        CHECK(std::any_of(found.begin(), found.end(), [&](const std::string& f) { return names(f, p); }));
        CHECK(joined(checked_run(version(p, true), how)) == "");
      }
      CHECK(joined(checked_run(version(p, false), {{}, mode})) == "");
    }
  }
}

const char* const kRace = "E-CHK-001 race";
const char* const kSemaphore = "E-CHK-005";

}  // namespace

TEST_CASE("planted races: transfers and engines", "[check]") {
  check({
      {"the wait for a load is missing",
       kRace,
       "core0.vector[0] tensor_copy",
       "core0.sync[0] dma_copy on ring 0",
       {{0,
         "sync:\n dma_copy S dst=T0 src=a:fp32 update=s0+=1\n"
         "vector:\n tensor_copy S dst=T1 src=T0 {wait=s0>=16}\n"}}},
      {"a wait for 15 of 16 DMA engines",
       kRace,
       "core0.vector[0]",
       "core0.sync[0]",
       {{0,
         "sync:\n dma_copy S dst=T0 src=a:fp32 update=s0+=1\n"
         "vector:\n tensor_copy S dst=T1 src=T0 wait=s0>={15|16}\n"}}},
      {"two transfers under way on one semaphore",
       kRace,
       "core0.vector[0]",
       "core0.sync[0]",
       {{0,
         "sync:\n dma_copy S dst=T0 src=a:fp32 update=s0+=1\n"
         " dma_copy S dst=T1 src=b:fp32 ring=1 update=s{0|1}+=1\n"
         "vector:\n tensor_copy S dst=T2 src=T0 wait=s0>=16\n"}}},
      {"a load into a buffer that is still read",
       kRace,
       "core0.sync[1]",
       "core0.vector[0]",
       {{0,
         "sync:\n dma_copy S dst=T0 src=a:fp32 update=s0+=1\n"
         " dma_copy S dst=T0 src=b:fp32 update=s2+=1 {wait=s0>=16|wait=s1>=1}\n"
         "vector:\n tensor_copy S dst=T1 src=T0 wait=s0>=16 update=s1+=1\n"}}},
      {"two engines write one tile",
       kRace,
       "core0.vector[0] memset",
       "core0.gpsimd[0] memset",
       {{0,
         "vector:\n memset S dst=T0 value=1 update=s0+=1\n"
         "gpsimd:\n memset S dst=T0 value=2 {wait=s0>=1}\n"}}},
      {"a store of what is still being computed",
       kRace,
       "core0.vector[0]",
       "core0.sync[0]",
       {{0,
         "vector:\n memset S dst=T0 value=1 update=s0+=1\n"
         "sync:\n dma_copy S dst=a:fp32 src=T0 {wait=s0>=1}\n"}}},
      {"a store behind its load on one ring",
       kRace,
       "core0.sync[0]",
       "core0.sync[1]",
       {{0,
         "sync:\n dma_copy S dst=T0 src=a:fp32 update=s0+=1\n"
         " dma_copy S dst=b:fp32 src=T0 update=s1+=1 {wait=s0>=16}\n"}}},
      {"a store beside its load on another ring",
       kRace,
       "on ring 3",
       "on ring 4",
       {{0,
         "sync:\n dma_copy S dst=T0 src=a:fp32 ring=3 update=s0+=1\n"
         "scalar:\n dma_copy S dst=b:fp32 src=T0 ring=4 update=s1+=1 {wait=s0>=16}\n"}}},
      {"a doorbell behind its queue's own computation",
       kRace,
       "core0.vector[0] memset",
       "core0.vector[1] dma_copy on ring 0",
       {{0, "vector:\n memset S dst=T0 value=1 update=s0+=1\n dma_copy S dst=b:fp32 src=T0 {wait=s0>=1}\n"}}},
      {"two transfers add to one tensor",
       kRace,
       "core0.sync[0]",
       "core0.sync[1]",
       {{0,
         "sync:\n dma_copy shape=128x512 dst=b:fp32 src=a:fp32 accumulate update=s0+=1\n"
         " dma_copy shape=128x512 dst=b:fp32 src=c:fp32 accumulate ring=1 {wait=s0>=16}\n"}}},
  });
}

TEST_CASE("planted races: operands of all kinds", "[check]") {
  const std::string matmul =
      "sync:\n dma_copy shape=128x128 dst=W src=a:bf16 update=s0+=1\n"
      " dma_copy S dst=M src=b:bf16 ring=1 update=s1+=1\n"
      "tensor:\n sem_wait wait=s1>=16\n load_weights shape=128x128 src=W wait=s0>=16\n"
      " matmul S columns=128 dst=P0 src=M update=s2+=1\n";
  check({
      {"PSUM is read before the matmul is done",
       kRace,
       "core0.vector[0]",
       "core0.tensor[2] matmul",
       {{0, matmul + "vector:\n tensor_copy S dst=T1 src=P0 {wait=s2>=1}\n"}}},
      {"PSUM is overwritten while it is read",
       kRace,
       "core0.vector[0]",
       "core0.tensor[3] matmul",
       {{0, matmul + " matmul S columns=128 dst=P0 src=M {wait=s3>=1}\n"
                     "vector:\n tensor_copy S dst=T1 src=P0 wait=s2>=1 update=s3+=1\n"}}},
      {"weights are loaded before they have come",
       kRace,
       "core0.tensor[0] load_weights",
       "core0.sync[0]",
       {{0,
         "sync:\n dma_copy shape=128x128 dst=W src=a:bf16 update=s0+=1\n"
         "tensor:\n load_weights shape=128x128 src=W {wait=s0>=16}\n"}}},
      {"partitions overlap",
       kRace,
       "core0.vector[0]",
       "core0.gpsimd[0]",
       {{0,
         "vector:\n memset shape=64x512 dst=T0 value=1\n"
         "gpsimd:\n memset shape=32x512 dst=sbuf[{32|64}, 0x0]:fp32 value=2\n"}}},
      {"columns interleave, or coincide",
       kRace,
       "core0.vector[0]",
       "core0.gpsimd[0]",
       {{0,
         "vector:\n memset shape=128x256 dst=sbuf[0, 0x0]:fp32:(0,0,0,2) value=1\n"
         "gpsimd:\n memset shape=128x256 dst=sbuf[0, {0x8|0x4}]:fp32:(0,0,0,2) value=2\n"}}},
      {"a reversed tile of two dimensions",
       kRace,
       "core0.vector[0]",
       "core0.gpsimd[0]",
       {{0,
         "vector:\n memset shape=128x4x8 dst=sbuf[0, 0x1000]:fp32:(0,0,-16,1) value=1\n"
         "gpsimd:\n memset shape=128x4x8 dst=sbuf[0, {0xfdc|0xfe0}]:fp32:(0,0,-16,1) value=2\n"}}},
      {"a column of scalars is still being written",
       kRace,
       "core0.vector[1] tensor_scalar",
       "core0.gpsimd[0]",
       {{0,
         "gpsimd:\n memset shape=128x1 dst=sbuf[0, 0x100]:fp32 value=2 update=s0+=1\n"
         "vector:\n memset S dst=T1 value=1\n"
         " tensor_scalar S dst=T1 src=T1 op0=mult scalar0=sbuf[0, 0x100] {wait=s0>=1}\n"}}},
      {"the sum of an activation is read too soon",
       kRace,
       "core0.vector[1]",
       "core0.scalar[0] activation_reduce",
       {{0,
         "vector:\n memset S dst=T0 value=1 update=s0+=1\n"
         " tensor_copy shape=128x1 dst=T3 src=sbuf[0, 0x4000]:fp32 {wait=s1>=1}\n"
         "scalar:\n activation_reduce S dst=T1 sum=sbuf[0, 0x4000]:fp32 src=T0 func=exp scale=1 wait=s0>=1"
         " update=s1+=1\n"}}},
  });
}

TEST_CASE("planted races: other cores and other chips", "[check]") {
  check({
      {"another core reads before it is told",
       kRace,
       "core1.sync[0]",
       "core0.sync[0]",
       {{0, "sync:\n dma_copy S dst=b:fp32 src=a:fp32 notify=core1 update=s5+=1\n"},
        {1, "sync:\n dma_copy S dst=c:fp32 src=b:fp32 {wait=s5>=16}\n"}}},
      {"another chip reads before it is told",
       kRace,
       "chip01.core0.sync[0]",
       "chip00.core0.cc0[0]",
       {{0, "cc0:\n dma_copy S dst=A:fp32 src=a:fp32 notify=core8 update=s5+=1\n"},
        {8, "sync:\n dma_copy S dst=B:fp32 src=A:fp32 {wait=s5>=16}\n"}}},
      {"a second chunk is sent before the first is acknowledged",
       kRace,
       "chip00.core0.cc0[1]",
       "chip01.core0.sync[0]",
       {{0,
         "cc0:\n dma_copy S dst=A:fp32 src=a:fp32 notify=core8 update=s5+=1\n"
         " dma_copy S dst=A:fp32 src=b:fp32 notify=core8 update=s4+=1 {wait=s6>=16}\n"},
        {8,
         "sync:\n dma_copy S dst=B:fp32 src=A:fp32 wait=s5>=16 update=s0+=1\n"
         " dma_copy shape=1x16 dst=g:fp32 src=B:fp32 notify=core0 wait=s0>=16 update=s6+=1\n"}}},
      {"two chunks under way on one semaphore",
       kRace,
       "chip01.core0.sync[0]",
       "chip00.core0.cc0[",
       {{0,
         "cc0:\n dma_copy S dst=A:fp32 src=a:fp32 notify=core8 update=s5+=1\n"
         " dma_copy S dst=B:fp32 src=b:fp32 notify=core8 update=s{5|4}+=1\n"},
        {8, "sync:\n dma_copy S dst=C:fp32 src=A:fp32 wait=s5>=16\n"}}},
      {"a third core hears of it from the second alone",
       kRace,
       "core2.sync[0]",
       "core0.sync[0]",
       {{0, "sync:\n dma_copy S dst=b:fp32 src=a:fp32 notify=core1 update=s5+=1\n"},
        {1, "sync:\n dma_copy shape=1x16 dst=f:fp32 src=e:fp32 notify=core2 {wait=s5>=16} update=s5+=1\n"},
        {2, "sync:\n dma_copy S dst=c:fp32 src=b:fp32 wait=s5>=16\n"}}},
      {"two cores write one tensor",
       kRace,
       "core0.sync[0]",
       "core3.sync[0]",
       {{0, "sync:\n dma_copy S dst=b:fp32 src=a:fp32 notify=core3 update=s5+=1\n"},
        {3, "sync:\n dma_copy S dst=b{|+0x40000}:fp32 src=c:fp32\n"}},
       true},
      {"columns of one tensor",
       kRace,
       "core0.sync[0]",
       "core3.sync[0]",
       {{0, "sync:\n dma_copy shape=128x512 dst=b:fp32:(4096,0,0,1) src=a:fp32\n"},
        {3, "sync:\n dma_copy shape=128x512 dst=b+0x{7fc|800}:fp32:(4096,0,0,1) src=c:fp32\n"}},
       true},
  });
}

TEST_CASE("planted races: semaphores", "[check]") {
  check({
      {"a reset while somebody counts",
       kSemaphore,
       "core0.sync[1] sem_set",
       "core0.sync[0] dma_copy",
       {{0,
         "sync:\n dma_copy S dst=T0 src=a:fp32 update=s0+=1\n sem_set update=s0=0 {wait=s1>=1}\n"
         "vector:\n tensor_copy S dst=T1 src=T0 wait=s0>=16 update=s1+=1\n"}}},
      {"a reset while another queue still waits",
       kSemaphore,
       "core0.sync[2] sem_set",
       "core0.vector[0]",
       {{0,
         "sync:\n dma_copy S dst=T0 src=a:fp32 update=s0+=1\n sem_wait wait=s0>=16\n"
         " sem_set update=s0=0 {wait=s1>=1}\n"
         "vector:\n tensor_copy S dst=T1 src=T0 wait=s0>=16 update=s1+=1\n"}}},
      {"two engines count on one semaphore",
       kRace,
       "core0.scalar[0]",
       "core0.gpsimd[0]",
       {{0,
         "gpsimd:\n memset S dst=T0 value=1 update=s0+=1\n"
         "vector:\n memset S dst=T1 value=1 update=s0+=1\n"
         "scalar:\n activation S dst=T2 src=T0 func=exp scale=1 wait=s0>={1|2}\n"}}},
      {"a later transfer could satisfy an earlier wait",
       kSemaphore,
       "core0.vector[0]",
       "core0.sync[2]",
       {{0,
         "sync:\n dma_copy S dst=T0 src=a:fp32 update=s0+=1\n sem_wait wait=s2>=1\n"
         " dma_copy S dst=T3 src=a:fp32 ring=1 update=s{0|1}+=1\n"
         "gpsimd:\n memset shape=128x8192 dst=sbuf[0, 0x8000]:fp32 value=0 update=s2+=1\n"
         "vector:\n tensor_copy S dst=T1 src=T0 wait=s0>=16\n"}}},
      {"a loop of loads that does not wait for its reader",
       kRace,
       "core0.sync[1] dma_copy",
       "core0.vector[2]",
       {{0,
         "sync:\n reg_set d=r1 imm=0\nload:\n dma_copy S dst=T0 src=a:fp32 src_reg=r2 update=s0+=1 "
         "{wait=s0>=r3|wait=s1>=r1}\n reg_alu d=r1 a=r1 op=add imm=1\n reg_alu d=r2 a=r2 op=add imm=64\n"
         " reg_alu d=r3 a=r3 op=add imm=16\n branch a=r1 compare=lt imm=5 target=load\n"
         "vector:\n reg_set d=r2 imm=16\n reg_set d=r3 imm=0\n"
         "use: tensor_copy S dst=T1 src=T0 wait=s0>=r2 update=s1+=1\n reg_alu d=r2 a=r2 op=add imm=16\n"
         " reg_alu d=r3 a=r3 op=add imm=1\n branch a=r3 compare=lt imm=5 target=use\n"}}},
      {"a credit is taken before it is given",
       kRace,
       "core0.vector[",
       "core0.sync[1]",
       {{0,
         "sync:\n dma_copy S dst=T0 src=a:fp32 update=s0+=1\n"
         " dma_copy S dst=T0 src=b:fp32 update=s0+=1 wait=s{0>=16|1==1}\n"
         "vector:\n tensor_copy S dst=T1 src=T0 wait=s0>=16\n sem_set update=s1+=1\n"
         " tensor_copy S dst=T2 src=T0 wait=s0>=32\n"}}},
  });
}

TEST_CASE("planted races: legal protocols raise no alarm", "[check]") {
  const std::pair<const char*, const char*> legal[] = {
      {"one semaphore, reset by its only waiter before the next doorbell",
       "sync:\n dma_copy S dst=T0 src=a:fp32 update=s0+=1\n sem_wait wait=s0>=16\n sem_set update=s0=0\n"
       " dma_copy S dst=b:fp32 src=T0 update=s0+=1\n sem_wait wait=s0>=16\n sem_set update=s0=0\n"
       " dma_copy S dst=T0 src=b:fp32 update=s0+=1\n sem_wait wait=s0>=16\n sem_set update=s1+=1\n"
       "vector:\n tensor_copy S dst=T1 src=T0 wait=s1>=1\n"},
      {"a flag that goes up and down",
       "sync:\n dma_copy S dst=T0 src=a:fp32 update=s0+=1\n sem_wait wait=s0>=16\n sem_set update=s1=1\n"
       " sem_wait wait=s1==0\n dma_copy S dst=T0 src=b:fp32 update=s2+=1\n sem_wait wait=s2>=16\n"
       " sem_set update=s1=1\n"
       "vector:\n tensor_copy S dst=T1 src=T0 wait=s1>=1 update=s1=0\n nop update=s4+=1\n"
       " sem_wait wait=s4>=1\n tensor_copy S dst=T1 src=T0 wait=s1>=1\n"},
      {"a reader that takes back what it has counted",
       "sync:\n dma_copy S dst=T0 src=a:fp32 update=s0+=1\n dma_copy S dst=T0 src=b:fp32 update=s0+=1 "
       "wait=s1>=1\n"
       "vector:\n sem_wait wait=s0>=16\n sem_set update=s0-=16\n tensor_copy S dst=T1 src=T0 update=s1+=1\n"
       " tensor_copy S dst=T2 src=T0 wait=s0>=16\n"},
      {"many transfers on one semaphore, awaited together",
       "sync:\n dma_copy S dst=T0 src=a:fp32 update=s0+=1\n dma_copy S dst=T1 src=a:fp32 update=s0+=1\n"
       " dma_copy S dst=T2 src=a:fp32 ring=2 update=s0+=1\n"
       "vector:\n tensor_tensor S dst=T3 src0=T0 src1=T1 op=add wait=s0>=48\n"},
      {"an earlier transfer of the ring is complete with a later one",
       "sync:\n dma_copy S dst=T0 src=a:fp32\n dma_copy S dst=T1 src=a:fp32 update=s0+=1\n"
       "vector:\n tensor_tensor S dst=T3 src0=T0 src1=T1 op=add wait=s0>=16\n"},
      {"knowledge passed on by an engine",
       "sync:\n dma_copy S dst=T0 src=a:fp32 update=s0+=1\n"
       "vector:\n sem_set wait=s0>=16 update=s1+=1\n"
       "scalar:\n activation S dst=T1 src=T0 func=exp scale=1 wait=s1>=1\n"},
      {"a share of a transfer shows that its doorbell has rung",
       "vector:\n memset S dst=T0 value=1 update=s0+=1\n"
       "sync:\n dma_copy S dst=a:fp32 src=T0 wait=s0>=1 update=s1+=1\n"
       "gpsimd:\n tensor_copy S dst=T1 src=T0 wait=s1>=1\n"},
  };
  for (const auto& [name, text] : legal) {
    INFO(name);
    for (const bool run_ahead : {true, false})
      CHECK(joined(checked_run({{0, text}}, {{true, true}, model::Mode::kFunctional, run_ahead})) == "");
  }
}

TEST_CASE("planted: reads of memory that nothing has written", "[check]") {
  const char* const kUnwritten = "E-CHK-002";
  check({
      {"a tile of SBUF",
       kUnwritten,
       "core0.vector[0] tensor_copy",
       "sbuf partitions 0..127, bytes 0x0..0x7ff",
       {{0,
         "gpsimd:\n memset S dst={T3|T0} value=1 update=s0+=1\n"
         "vector:\n tensor_copy S dst=T1 src=T0 wait=s0>=1\n"}}},
      {"the last column",
       kUnwritten,
       "core0.vector[0]",
       "nothing has written sbuf partitions 0..0, bytes 0x7fc..0x7ff",
       {{0,
         "gpsimd:\n memset shape=128x{511|512} dst=T0 value=1 update=s0+=1\n"
         "vector:\n tensor_copy S dst=T1 src=T0 wait=s0>=1\n"}}},
      {"the upper partitions",
       kUnwritten,
       "core0.vector[0]",
       "nothing has written sbuf partitions 64..64, bytes 0x0",
       {{0,
         "gpsimd:\n memset shape={64|128}x512 dst=T0 value=1 update=s0+=1\n"
         "vector:\n tensor_copy S dst=T1 src=T0 wait=s0>=1\n"}}},
      {"every second column",
       kUnwritten,
       "core0.vector[0]",
       "bytes 0x4..0x7",
       {{0,
         "gpsimd:\n memset shape=128x256 dst=sbuf[0, 0x0]:fp32:(0,0,0,2) value=1 update=s0+=1\n"
         "vector:\n tensor_copy shape=128x256 dst=T1 src=sbuf[0, {0x4|0x0}]:fp32:(0,0,0,2) wait=s0>=1\n"}}},
      {"what a transfer did not bring",
       kUnwritten,
       "core0.sync[1] dma_copy on ring 0",
       "hbm chip 0 stack 0",
       {{0,
         "sync:\n dma_copy shape=64x512 dst=T0 src=a:fp32 update=s0+=1\n"
         " dma_copy shape=64x512 dst=b:fp32 src={h+0x1000000|a+0x20000}:fp32 wait=s0>=16\n"}}},
      {"an accumulation onto what no matmul wrote",
       "E-CHK-004",
       "core0.tensor[3] matmul",
       "psum partitions 0..127",
       {{0,
         "sync:\n dma_copy shape=128x128 dst=W src=a:bf16 update=s0+=1\n"
         " dma_copy S dst=M src=b:bf16 ring=1 update=s1+=1\n"
         "tensor:\n sem_wait wait=s1>=16\n load_weights shape=128x128 src=W wait=s0>=16\n"
         " matmul S columns=128 dst={P1|P0} src=M\n matmul S columns=128 dst=P0 src=M accumulate\n"}}},
      {"an accumulation onto a copy",
       "E-CHK-004",
       "core0.tensor[2] matmul",
       "no matmul wrote psum",
       {{0,
         "sync:\n dma_copy shape=128x128 dst=W src=a:bf16 update=s0+=1\n"
         " dma_copy S dst=M src=b:bf16 ring=1 update=s1+=1\n"
         "vector:\n memset S dst=P0 value=0 update=s2+=1\n sem_wait wait=s2>=1\n"
         "tensor:\n sem_wait wait=s1>=16\n load_weights shape=128x128 src=W wait=s0>=16\n"
         " matmul S columns=128 dst=P0 src=M wait=s2>=1 {accumulate|}\n"}}},
  });
  // HBM that contains no input.
  CheckedRun how;
  how.inputs = "b";
  const auto found = checked_run({{0, "sync:\n dma_copy S dst=T0 src=a:fp32\n"}}, how);
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], Catch::Contains("hbm chip 0 stack 0, bytes 0x0..0x3ffff"));
}

TEST_CASE("planted: each pair is reported once, and the first twenty in full", "[check]") {
  std::string text = "sync:\n";
  for (int n = 0; n < 30; ++n) text += " dma_copy S dst=T0 src=a:fp32 ring=" + std::to_string(n % 16) + "\n";
  const auto found = checked_run({{0, text}});
  CHECK(found.size() == model::check::Findings::kInFull);
  auto sorted = found;
  std::sort(sorted.begin(), sorted.end());
  CHECK(std::unique(sorted.begin(), sorted.end()) == sorted.end());
}

TEST_CASE("planted races: updates on read and accumulation groups", "[check]") {
  check({
      {"an update on read does not stand for what is written",
       kRace,
       "core0.scalar[0]",
       "core0.vector[1]",
       {{0,
         "vector:\n memset S dst=T0 value=1\n tensor_copy S dst=T1 src=T0 update=s0+=1{@read|}\n"
         "scalar:\n activation S dst=T2 src=T1 func=exp scale=1 wait=s0>=1\n"}}},
      {"a source is overwritten before it is read, where an update on read would do",
       kRace,
       "core0.gpsimd[0]",
       "core0.vector[0]",
       {{0,
         "sync:\n dma_copy S dst=T0 src=a:fp32 update=s1+=1\n"
         "vector:\n tensor_copy S dst=T1 src=T0 wait=s1>=16 update=s0+=1@read\n"
         "gpsimd:\n memset S dst=T0 value=1 {wait=s0>=1}\n"}}},
  });
}

TEST_CASE("planted races: credits for data that have been read", "[check]") {
  check({
      {"a slot on another chip is filled again before its reader has read it",
       kRace,
       "chip00.core0.cc0[1]",
       "chip01.core0.cc0[0]",
       {{0,
         "cc0:\n dma_copy S dst=A:fp32 src=a:fp32 notify=core0 peer=8 update=s5+=1\n"
         " dma_copy S dst=A:fp32 src=b:fp32 notify=core0 peer=8 {wait=s6>=16} update=s5+=1\n"},
        {8,
         "cc0:\n dma_copy S dst=B:fp32 src=A:fp32 notify=core8 wait=s5>=16 update=s0+=1 read_update=s6+=1 "
         "read_peer=-8\n"
         " dma_copy S dst=C:fp32 src=A:fp32 wait=s5>=32 update=s0+=1\n"}}},
      {"fifteen credits of sixteen",
       kRace,
       "chip00.core0.cc0[1]",
       "chip00.core1.cc0[0]",
       {{0,
         "cc0:\n dma_copy S dst=c:fp32 src=a:fp32 notify=core0 peer=1 update=s5+=1\n"
         " dma_copy S dst=c:fp32 src=b:fp32 notify=core0 peer=1 wait=s6>={15|16} update=s5+=1\n"},
        {1,
         "cc0:\n dma_copy S dst=d:fp32 src=c:fp32 notify=core0 wait=s5>=16 read_update=s6+=1\n"
         " sem_wait wait=s5>=32\n"}}},
      {"a credit tells of the reading, not of what is written",
       kRace,
       "core0.cc0[1]",
       "core1.cc0[0]",
       {{0,
         "cc0:\n dma_copy S dst=b:fp32 src=a:fp32 notify=core1 update=s5+=1\n"
         " dma_copy S dst=d:fp32 src=c:fp32 wait=s{6|7}>=16 update=s0+=1\n"},
        {1,
         "cc0:\n dma_copy S dst=c:fp32 src=b:fp32 notify=core0 wait=s5>=16 update=s7+=1 "
         "read_update=s6+=1\n"}}},
      {"one of the sources of a fold is filled again too early",
       kRace,
       "core1.sync[0]",
       "core0.cc0[0]",
       {{0,
         ".descriptor shape=128x512 dst=c:fp32 src=a:fp32\n.descriptor shape=128x512 dst=c:fp32 src=b:fp32\n"
         "cc0:\n dma_compute descriptor=0 sources=2 op=max notify=core0 read_update=s1+=1 read_peer=1\n"},
        {1, "sync:\n dma_copy S dst=b:fp32 src=d:fp32 {wait=s1>=16} update=s0+=1\n"}}},
  });
}
