# SPDX-License-Identifier: Apache-2.0
"""Some of the public node tests: one of each family. None may be wrong."""

import copy
import tempfile
import warnings

import pytest

from graph_run import PROGRAM
from node_cases import Outcome, collect, run_case

NAMES = """test_add test_and_bcast3v1d test_averagepool_2d_pads_count_include_pad test_basic_conv_with_padding test_clip
test_concat_2d_axis_1 test_depthtospace_crd_mode_example test_conv_with_autopad_same test_elu test_expand_dim_changed test_flatten_axis2 test_gather_0
test_gemm_all_attributes test_globalaveragepool test_instancenorm_epsilon test_layer_normalization_2d_axis1
test_log_softmax_axis_0 test_matmul_3d test_maxpool_2d_ceil test_pow test_reduce_log_sum_exp_default_axes_keepdims_random
test_reduce_max_do_not_keepdims_random test_resize_upsample_scales_nearest test_round test_selu test_slice_neg_steps test_softmax_axis_1 test_split_equal_parts_2d
test_argmax_keepdims_example_select_last_index test_basic_convinteger test_convinteger_with_padding test_cumsum_2d_axis_0 test_dequantizelinear_axis
test_dynamicquantizelinear test_einsum_batch_matmul test_gather_elements_1 test_gathernd_example_float32 test_gru_with_initial_bias test_hardmax_axis_1
test_lrn test_lstm_with_initial_bias test_mod_mixed_sign_int32 test_mvn test_onehot_with_axis test_qlinearconv test_quantizelinear_axis test_reflect_pad
test_resize_downsample_scales_cubic_align_corners test_resize_upsample_scales_linear test_scatternd test_simple_rnn_defaults test_top_k
test_tile test_transpose_all_permutations_4 test_where_example""".split()


def cases():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {case.name: case for case in collect() if case.name in NAMES}


CASES = cases()


@pytest.mark.parametrize("name", sorted(CASES))
def test_node(name):
    with tempfile.TemporaryDirectory() as folder:
        run_case(PROGRAM, CASES[name], folder)


def test_a_wrong_result_is_seen():
    case = CASES["test_add"]
    wrong = copy.copy(case)
    wrong.data_sets = [(inputs, [outputs[0] + 1]) for inputs, outputs in case.data_sets]
    with tempfile.TemporaryDirectory() as folder, pytest.raises(Outcome) as outcome:
        run_case(PROGRAM, wrong, folder)
    assert outcome.value.kind == "wrong"
