// SPDX-License-Identifier: Apache-2.0
// The workload `nki`: a kernel written in NKI (Python), traced by the package in frontend/python.
//
//   kernel: FILE.py:FUNCTION   the kernel; the file's folder is on Python's path
//   args: "x=x.npy; y=randn(128, 512, bfloat16); eps=1e-6"
//                              by name: a .npy file, an expression of the reference below, or a Python
//                              literal
//   grid: 2                    physical cores of a logical core, 1 or 2; 0: none given
//   reference: FILE.py:FUNCTION
//                              the golden definition: gets the same arguments, returns the expected outputs
//   rtol, atol                 an output passes where |got - want| <= atol + rtol * max |want|; without them
//                              the tolerance follows from the output's dtype and the longest sum of a matmul
//   allocation, tensor_copy, order, descriptors, load_queue
//                              policies of lowering (frontend/nki/lower/policies.h)
//   bundle: FOLDER             instead of all of these: what the package has traced already
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_nki();

}  // namespace tahoma::workloads
