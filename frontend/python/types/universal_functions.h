// SPDX-License-Identifier: Apache-2.0
// NumPy's universal functions on low-precision types: computed in fp32, rounded once.
#pragma once

#include <cmath>
#include <cstdlib>

#include "frontend/python/types/array_functions.h"

namespace tahoma::python {

inline float maximum(float a, float b) { return a != a || a > b ? a : b; }
inline float minimum(float a, float b) { return a != a || a < b ? a : b; }

template <int N, auto kFunction>
void unary_loop(char** args, const npy_intp* sizes, const npy_intp* steps, void*) {
  for (npy_intp n = 0; n < *sizes; ++n)
    store<N>(args[1] + n * steps[1], kFunction(load<N>(args[0] + n * steps[0])));
}
template <int N, auto kFunction>
void binary_loop(char** args, const npy_intp* sizes, const npy_intp* steps, void*) {
  for (npy_intp n = 0; n < *sizes; ++n)
    store<N>(args[2] + n * steps[2],
             kFunction(load<N>(args[0] + n * steps[0]), load<N>(args[1] + n * steps[1])));
}
template <int N, auto kFunction>
void predicate_loop(char** args, const npy_intp* sizes, const npy_intp* steps, void*) {
  for (npy_intp n = 0; n < *sizes; ++n)
    *reinterpret_cast<npy_bool*>(args[1] + n * steps[1]) =
        static_cast<npy_bool>(kFunction(load<N>(args[0] + n * steps[0])));
}
template <int N, auto kFunction>
void relation_loop(char** args, const npy_intp* sizes, const npy_intp* steps, void*) {
  for (npy_intp n = 0; n < *sizes; ++n)
    *reinterpret_cast<npy_bool*>(args[2] + n * steps[2]) =
        static_cast<npy_bool>(kFunction(load<N>(args[0] + n * steps[0]), load<N>(args[1] + n * steps[1])));
}

// Registers all functions for type number N. False with a Python error set if NumPy refuses one.
template <int N>
bool add_universal_functions(PyObject* numpy) {
  const int own = ArrayFunctions<N>::type_number;
  const auto add = [&](const char* name, PyUFuncGenericFunction loop, int inputs, int result) {
    PyObject* const function = PyObject_GetAttrString(numpy, name);
    if (function == nullptr) return false;
    int types[3] = {own, inputs == 2 ? own : result, result};
    const bool done = PyUFunc_RegisterLoopForType(reinterpret_cast<PyUFuncObject*>(function), own, loop,
                                                  types, nullptr) == 0;
    Py_DECREF(function);
    return done;
  };
  const auto unary = [&](const char* name, PyUFuncGenericFunction loop) { return add(name, loop, 1, own); };
  const auto binary = [&](const char* name, PyUFuncGenericFunction loop) { return add(name, loop, 2, own); };
  const auto predicate = [&](const char* name, PyUFuncGenericFunction loop) {
    return add(name, loop, 1, NPY_BOOL);
  };
  const auto relation = [&](const char* name, PyUFuncGenericFunction loop) {
    return add(name, loop, 2, NPY_BOOL);
  };
  return unary("negative", &unary_loop<N, [](float a) { return -a; }>) &&
         unary("positive", &unary_loop<N, [](float a) { return a; }>) &&
         unary("absolute", &unary_loop<N, [](float a) { return std::fabs(a); }>) &&
         unary("fabs", &unary_loop<N, [](float a) { return std::fabs(a); }>) &&
         unary("sqrt", &unary_loop<N, [](float a) { return std::sqrt(a); }>) &&
         unary("square", &unary_loop<N, [](float a) { return a * a; }>) &&
         unary("reciprocal", &unary_loop<N, [](float a) { return 1.0F / a; }>) &&
         unary("exp", &unary_loop<N, [](float a) { return std::exp(a); }>) &&
         unary("log", &unary_loop<N, [](float a) { return std::log(a); }>) &&
         unary("sin", &unary_loop<N, [](float a) { return std::sin(a); }>) &&
         unary("cos", &unary_loop<N, [](float a) { return std::cos(a); }>) &&
         unary("tanh", &unary_loop<N, [](float a) { return std::tanh(a); }>) &&
         unary("floor", &unary_loop<N, [](float a) { return std::floor(a); }>) &&
         unary("ceil", &unary_loop<N, [](float a) { return std::ceil(a); }>) &&
         unary("rint", &unary_loop<N, [](float a) { return std::rint(a); }>) &&
         unary("sign", &unary_loop<N, [](float a) { return (a > 0)   ? 1.0F
                                                           : (a < 0) ? -1.0F
                                                                     : a; }>) &&
         binary("add", &binary_loop<N, [](float a, float b) { return a + b; }>) &&
         binary("subtract", &binary_loop<N, [](float a, float b) { return a - b; }>) &&
         binary("multiply", &binary_loop<N, [](float a, float b) { return a * b; }>) &&
         binary("true_divide", &binary_loop<N, [](float a, float b) { return a / b; }>) &&
         binary("power", &binary_loop<N, [](float a, float b) { return std::pow(a, b); }>) &&
         binary("maximum", &binary_loop<N, &maximum>) && binary("minimum", &binary_loop<N, &minimum>) &&
         binary("fmax", &binary_loop<N, [](float a, float b) { return std::fmax(a, b); }>) &&
         binary("fmin", &binary_loop<N, [](float a, float b) { return std::fmin(a, b); }>) &&
         predicate("isnan", &predicate_loop<N, [](float a) { return std::isnan(a); }>) &&
         predicate("isinf", &predicate_loop<N, [](float a) { return std::isinf(a); }>) &&
         predicate("isfinite", &predicate_loop<N, [](float a) { return std::isfinite(a); }>) &&
         predicate("signbit", &predicate_loop<N, [](float a) { return std::signbit(a); }>) &&
         relation("equal", &relation_loop<N, [](float a, float b) { return a == b; }>) &&
         relation("not_equal", &relation_loop<N, [](float a, float b) { return a != b; }>) &&
         relation("less", &relation_loop<N, [](float a, float b) { return a < b; }>) &&
         relation("less_equal", &relation_loop<N, [](float a, float b) { return a <= b; }>) &&
         relation("greater", &relation_loop<N, [](float a, float b) { return (a > b); }>) &&
         relation("greater_equal", &relation_loop<N, [](float a, float b) { return (a >= b); }>);
}

}  // namespace tahoma::python
