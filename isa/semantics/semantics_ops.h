// SPDX-License-Identifier: Apache-2.0
// The functions that implement the opcodes: isa/semantics/semantics.h defines what they compute,
// isa/semantics/semantics.cpp lists them.
#pragma once

#include "isa/semantics/semantics.h"

namespace tahoma::isa {

using Semantics = void (*)(const Instruction&, const CoreView&);

// Returns the array operand that a matmul or transpose uses; throws E-ISA-401 if it is not loaded.
LoadedWeights& weights_for(const Instruction& i, const CoreView& core, const char* mnemonic);

void do_load_weights(const Instruction& i, const CoreView& core);
void do_matmul(const Instruction& i, const CoreView& core);
void do_transpose(const Instruction& i, const CoreView& core);
void do_tensor_copy(const Instruction& i, const CoreView& core);
void do_tensor_tensor(const Instruction& i, const CoreView& core);
void do_tensor_scalar(const Instruction& i, const CoreView& core);
void do_tensor_reduce(const Instruction& i, const CoreView& core);
void do_activation(const Instruction& i, const CoreView& core);
void do_activation_reduce(const Instruction& i, const CoreView& core);
void do_reciprocal(const Instruction& i, const CoreView& core);
void do_memset(const Instruction& i, const CoreView& core);
void do_iota(const Instruction& i, const CoreView& core);
void do_affine_select(const Instruction& i, const CoreView& core);
void do_tensor_copy_predicated(const Instruction& i, const CoreView& core);
void do_tensor_scalar_reduce(const Instruction& i, const CoreView& core);
void do_tensor_scalar_cumulative(const Instruction& i, const CoreView& core);
void do_scalar_tensor_tensor(const Instruction& i, const CoreView& core);
void do_tensor_tensor_scan(const Instruction& i, const CoreView& core);
void do_select_reduce(const Instruction& i, const CoreView& core);
void do_range_select(const Instruction& i, const CoreView& core);
void do_max8(const Instruction& i, const CoreView& core);
void do_find_index8(const Instruction& i, const CoreView& core);
void do_match_replace8(const Instruction& i, const CoreView& core);
void do_bn_stats(const Instruction& i, const CoreView& core);
void do_bn_aggr(const Instruction& i, const CoreView& core);
void do_vector_transpose(const Instruction& i, const CoreView& core);
void do_stream_shuffle(const Instruction& i, const CoreView& core);
void do_dropout(const Instruction& i, const CoreView& core);
void do_rng(const Instruction& i, const CoreView& core);
void do_rand_seed(const Instruction& i, const CoreView& core);
void do_rand_set_state(const Instruction& i, const CoreView& core);
void do_rand_get_state(const Instruction& i, const CoreView& core);
void do_tensor_partition_reduce(const Instruction& i, const CoreView& core);
void do_local_gather(const Instruction& i, const CoreView& core);
void do_n_gather(const Instruction& i, const CoreView& core);
void do_sequence_bounds(const Instruction& i, const CoreView& core);
void do_nonzero_with_count(const Instruction& i, const CoreView& core);
void do_topk(const Instruction& i, const CoreView& core);

}  // namespace tahoma::isa
