// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/policies.h"

namespace tahoma::runtime::nki {

namespace {

constexpr base::Named<Allocation> kAllocations[] = {{Allocation::kRotating, "rotating"},
                                                    {Allocation::kFirstFit, "first_fit"}};
constexpr base::Named<CopyEngine> kCopyEngines[] = {
    {CopyEngine::kBalanced, "balanced"}, {CopyEngine::kVector, "vector"}, {CopyEngine::kScalar, "scalar"}};
constexpr base::Named<Compiler> kCompilers[] = {{Compiler::kNeuron, "neuron"}, {Compiler::kPlain, "plain"}};
constexpr base::Named<DescriptorSource> kSources[] = {{DescriptorSource::kHardware, "hardware"},
                                                      {DescriptorSource::kHost, "host"}};
constexpr base::Named<LoadQueue> kLoadQueues[] = {{LoadQueue::kSync, "sync"},
                                                  {LoadQueue::kBalanced, "balanced"}};

template <class E, std::size_t N>
base::ChoiceRef choice(E& value, const base::Named<E> (&names)[N]) {
  return base::ChoiceRef(value, base::Choice<E>(names));
}

constexpr Policy kPolicies[] = {
    {"allocation", "addresses of tensors on chip that the kernel does not place",
     [](LoweringOptions& o) { return choice(o.allocation, kAllocations); }},
    {"tensor_copy", "engine of copies from and to PSUM",
     [](LoweringOptions& o) { return choice(o.choices.copies, kCopyEngines); }},
    {"compiler",
     "whether instructions are reordered, tensor_scalar balanced, dead memsets dropped and tensors spilled",
     [](LoweringOptions& o) { return choice(o.choices.compiler, kCompilers); }},
    {"descriptors", "source of the descriptors of a dma_copy whose dge_mode is unknown",
     [](LoweringOptions& o) { return choice(o.choices.descriptors, kSources); }},
    {"load_queue", "queue of loads whose engine the kernel leaves open",
     [](LoweringOptions& o) { return choice(o.choices.loads, kLoadQueues); }},
};

}  // namespace

std::span<const Policy> policies() { return kPolicies; }

}  // namespace tahoma::runtime::nki
