// SPDX-License-Identifier: Apache-2.0
// Checks that a machine can run a case of the transformer.
//
// UserError E-MDL-001 (sizes that do not divide each other), E-MDL-002 (more ranks than the machine has),
// E-MDL-003 (an invalid placement), E-MDL-010 (rows of a decoding step that ranks cannot hand over in equal
// runs), E-MDL-020 (experts that cannot be sharded over the ranks), E-MDL-021 (more experts of a token than
// there are), E-MDL-025 (logits without a vocabulary, or whose rows ranks cannot gather equally) and
// E-MDL-026 (activations in fp8 that the array cannot multiply by the weights).
#pragma once

#include "workloads/transformer/partition/transformer_params.h"

namespace tahoma::workloads {

void check_case(const TransformerParams& params, const model::MachineParams& machine);

}  // namespace tahoma::workloads
