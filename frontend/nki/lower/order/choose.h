// SPDX-License-Identifier: Apache-2.0
// The queue of every instruction of which the kernel leaves the engine open, and of every transfer. The
// shipped compiler's choices are not published in full; these follow what its documentation says (AWS NKI,
// engine selection of nki.isa), and the rest is a policy of ours. The same trace gives the same choices.
//
//   tensor_copy        PSUM on either side: vector or scalar, whichever has less to do so far; else vector;
//                      on NeuronCore-v2 the scalar engine copies floats by an activation
//   memset             vector; GpSimd if the tile is in SBUF and the vector engine has more to do
//   tensor_tensor      vector; GpSimd if all operands are 32-bit integers in SBUF, or the operation is power
//   tensor_scalar      vector; GpSimd if the operation is rsqrt or power; Compiler::kNeuron: scalar if that
//                      has less to do and the operations (a product, a sum, or both in this order)
//   sendrecv           GpSimd through its own DMA, else sync
//   transfers          HBM to SBUF and HBM to HBM: sync, or with `balanced` loads sync or scalar, whichever
//                      has started fewer transfers so far. From SBUF to HBM: the queue of the engine that
//                      produced the data if that is scalar or GpSimd, else GpSimd, so that a store that waits
//                      does not delay later loads. Row numbers: GpSimd
//   everything else    the first engine that has the instruction
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/nki/record/trace.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::runtime::nki {

enum class CopyEngine : std::uint8_t { kBalanced, kVector, kScalar };  // of tensor_copy from or to PSUM
// Source of the descriptors of a dma_copy with fixed addresses whose dge_mode is unknown: the hardware
// generator of queues sync and scalar, which takes some 600 ns for each, or the host before the run. The
// documents leave this to the compiler. Public kernels ask for `none` by name where they want it.
enum class DescriptorSource : std::uint8_t { kHardware, kHost };
// Queue of a transfer that does not start from SBUF or PSUM. The scalar queue has a descriptor generator of
// its own, but a load there waits until the activations before it have been issued.
enum class LoadQueue : std::uint8_t { kSync, kBalanced };

// kNeuron is what measured kernels show of the shipped compiler (workloads/nki/SILICON_TIMES.md): ready
// instructions pass others that wait, tensor_scalar runs on two engines, and a memset of PSUM that matmuls
// overwrite is dropped. kPlain runs what the kernel says, in its order.
enum class Compiler : std::uint8_t { kNeuron, kPlain };

struct Choices {
  Compiler compiler = Compiler::kNeuron;
  CopyEngine copies = CopyEngine::kBalanced;
  DescriptorSource descriptors = DescriptorSource::kHardware;
  LoadQueue loads = LoadQueue::kSync;
};

// Returns the queues by entry.
std::vector<isa::Queue> choose_queues(const Trace& trace, const model::MachineParams& machine,
                                      const Choices& choices);
// The source of the descriptors of a transfer that this queue starts: what the kernel asks for, else the
// policy.
isa::Dge dge_of(const TransferWork& work, isa::Queue queue, isa::CoreVersion core, DescriptorSource policy);

}  // namespace tahoma::runtime::nki
