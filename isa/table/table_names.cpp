// SPDX-License-Identifier: Apache-2.0
#include "isa/table/table_names.h"

namespace tahoma::isa {
namespace {

template <class Enum>
std::string_view look_up(Enum value, const std::array<std::string_view, kEnumeratorCount<Enum>>& names) {
  return is_enumerator(value) ? names[static_cast<std::size_t>(value)] : "?";
}

}  // namespace

std::string_view name_of(Queue queue) {
  return look_up(queue, {"tensor", "vector", "scalar", "gpsimd", "sync", "cc0", "cc1"});
}

std::string_view name_of(Space space) { return look_up(space, {"sbuf", "psum", "hbm"}); }

std::string_view name_of(AluOp op) {
  return look_up(
      op,
      {"add",         "subtract",    "mult",         "divide",     "max",         "min",     "bypass",
       "power",       "is_equal",    "is_not_equal", "is_ge",      "is_gt",       "is_le",   "is_lt",
       "logical_and", "logical_or",  "logical_xor",  "rsqrt",      "reciprocal",  "abs",     "bitwise_and",
       "bitwise_or",  "bitwise_xor", "bitwise_not",  "shift_left", "shift_right", "abs_max", "abs_min"});
}

std::string_view name_of(CompareOp op) { return look_up(op, {"eq", "ne", "lt", "le", "gt", "ge"}); }

std::string_view name_of(MatmulMode mode) {
  return look_up(
      mode, {"dense", "double_row", "sparse_4_16", "sparse_4_12", "sparse_4_8", "sparse_2_8", "sparse_2_4",
             "sparse_1_4", "sparse_1_2", "onezero_stationary", "onezero_moving", "mx"});
}

std::string_view name_of(ReduceCommand command) {
  return look_up(command, {"reset_reduce", "reduce", "load_reduce", "reset", "idle"});
}

std::string_view name_of(Indirection indirect) { return look_up(indirect, {"none", "gather", "scatter"}); }

std::string_view name_of(Dge dge) { return look_up(dge, {"none", "hw", "sw"}); }

std::string_view name_of(ActFn function) {
  return look_up(function, {"copy",
                            "square",
                            "relu",
                            "abs",
                            "sign",
                            "exp",
                            "reciprocal",
                            "sqrt",
                            "sigmoid",
                            "prelu",
                            "gelu",
                            "gelu_dx",
                            "gelu_apprx_tanh",
                            "gelu_apprx_sigmoid",
                            "gelu_apprx_sigmoid_dx",
                            "silu",
                            "silu_dx",
                            "tanh",
                            "softplus",
                            "mish",
                            "erf",
                            "erf_dx",
                            "log",
                            "sin",
                            "arctan",
                            "rsqrt"});
}

}  // namespace tahoma::isa
