// SPDX-License-Identifier: Apache-2.0
// The functions of nki.isa that issue an instruction, from AWS's API reference (Neuron SDK 2.26 to 2.32,
// nki/api/nki/isa).
#pragma once

#include <string_view>

namespace tahoma::tests {

inline constexpr std::string_view kNkiFunctions[] = {
    // transfers and synchronisation
    "dma_copy", "dma_compute", "dma_transpose", "sendrecv", "core_barrier",
    // tensor engine
    "nc_matmul", "nc_transpose", "nc_matmul_mx",
    // element by element
    "tensor_copy", "tensor_copy_dynamic_src", "tensor_copy_dynamic_dst", "tensor_copy_predicated", "memset",
    "tensor_tensor", "tensor_scalar", "scalar_tensor_tensor", "reciprocal", "activation", "activate2",
    "exponential", "quantize_mx",
    // reductions, scans and selections
    "activation_reduce", "tensor_reduce", "tensor_partition_reduce", "tensor_scalar_reduce",
    "tensor_scalar_cumulative", "tensor_tensor_scan", "select_reduce", "range_select", "affine_select",
    "bn_stats", "bn_aggr",
    // searches, gathers and movement between partitions
    "max8", "nc_find_index8", "nc_match_replace8", "nc_n_gather", "local_gather", "nc_stream_shuffle",
    "nonzero_with_count", "sequence_bounds", "topk", "iota",
    // random numbers
    "dropout", "rng", "rand2", "set_rng_seed", "rand_set_state", "rand_get_state",
    // registers
    "register_load", "register_store", "register_move"};

}  // namespace tahoma::tests
