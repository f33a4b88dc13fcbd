// SPDX-License-Identifier: Apache-2.0
// NumPy's C interface, once for the whole module.
#pragma once

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL tahoma_array_api
#define PY_UFUNC_UNIQUE_SYMBOL tahoma_ufunc_api
#include <Python.h>
#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

#if NPY_ABI_VERSION < 0x02000000
using PyArray_DescrProto = PyArray_Descr;  // NumPy 1 has one type for a descriptor and what describes it
#endif
