// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/semantics.h"

#include "isa/semantics/semantics_ops.h"

namespace tahoma::isa {
namespace {

constexpr std::array<Semantics, kOpcodeCount> table() {
  std::array<Semantics, kOpcodeCount> t{};
  const auto set = [&t](Opcode op, Semantics function) { t[static_cast<std::size_t>(op)] = function; };
  set(Opcode::kLoadWeights, do_load_weights);
  set(Opcode::kMatmul, do_matmul);
  set(Opcode::kTranspose, do_transpose);
  set(Opcode::kTensorCopy, do_tensor_copy);
  set(Opcode::kTensorCopyDynamic, do_tensor_copy);
  set(Opcode::kTensorTensor, do_tensor_tensor);
  set(Opcode::kTensorScalar, do_tensor_scalar);
  set(Opcode::kTensorReduce, do_tensor_reduce);
  set(Opcode::kActivation, do_activation);
  set(Opcode::kActivationReduce, do_activation_reduce);
  set(Opcode::kReciprocal, do_reciprocal);
  set(Opcode::kMemset, do_memset);
  set(Opcode::kIota, do_iota);
  set(Opcode::kAffineSelect, do_affine_select);
  set(Opcode::kTensorCopyPredicated, do_tensor_copy_predicated);
  set(Opcode::kTensorScalarReduce, do_tensor_scalar_reduce);
  set(Opcode::kTensorScalarCumulative, do_tensor_scalar_cumulative);
  set(Opcode::kScalarTensorTensor, do_scalar_tensor_tensor);
  set(Opcode::kTensorTensorScan, do_tensor_tensor_scan);
  set(Opcode::kSelectReduce, do_select_reduce);
  set(Opcode::kRangeSelect, do_range_select);
  set(Opcode::kMax8, do_max8);
  set(Opcode::kFindIndex8, do_find_index8);
  set(Opcode::kMatchReplace8, do_match_replace8);
  set(Opcode::kBnStats, do_bn_stats);
  set(Opcode::kBnAggr, do_bn_aggr);
  set(Opcode::kVectorTranspose, do_vector_transpose);
  set(Opcode::kStreamShuffle, do_stream_shuffle);
  set(Opcode::kDropout, do_dropout);
  set(Opcode::kRng, do_rng);
  set(Opcode::kRandSeed, do_rand_seed);
  set(Opcode::kRandSetState, do_rand_set_state);
  set(Opcode::kRandGetState, do_rand_get_state);
  set(Opcode::kTensorPartitionReduce, do_tensor_partition_reduce);
  set(Opcode::kLocalGather, do_local_gather);
  set(Opcode::kNGather, do_n_gather);
  set(Opcode::kSequenceBounds, do_sequence_bounds);
  set(Opcode::kNonzeroWithCount, do_nonzero_with_count);
  set(Opcode::kTopk, do_topk);
  return t;
}

constexpr auto kSemantics = table();

}  // namespace

void execute(const Instruction& instruction, const CoreView& core) {
  const Semantics function = kSemantics[static_cast<std::size_t>(instruction.op)];
  if (function != nullptr) function(instruction, core);
}

}  // namespace tahoma::isa
