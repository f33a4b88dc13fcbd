// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics_ops.h"

namespace tahoma::isa {

void do_max8(const Instruction&, const CoreView&) {}
void do_find_index8(const Instruction&, const CoreView&) {}
void do_match_replace8(const Instruction&, const CoreView&) {}
void do_bn_stats(const Instruction&, const CoreView&) {}
void do_bn_aggr(const Instruction&, const CoreView&) {}
void do_vector_transpose(const Instruction&, const CoreView&) {}
void do_stream_shuffle(const Instruction&, const CoreView&) {}
void do_dropout(const Instruction&, const CoreView&) {}
void do_rng(const Instruction&, const CoreView&) {}
void do_rand_seed(const Instruction&, const CoreView&) {}
void do_rand_set_state(const Instruction&, const CoreView&) {}
void do_rand_get_state(const Instruction&, const CoreView&) {}
void do_tensor_partition_reduce(const Instruction&, const CoreView&) {}
void do_local_gather(const Instruction&, const CoreView&) {}
void do_n_gather(const Instruction&, const CoreView&) {}
void do_sequence_bounds(const Instruction&, const CoreView&) {}
void do_nonzero_with_count(const Instruction&, const CoreView&) {}
void do_topk(const Instruction&, const CoreView&) {}

}  // namespace tahoma::isa
