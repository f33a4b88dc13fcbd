// SPDX-License-Identifier: Apache-2.0
// NumPy requires these of an element type: reading and writing one, copies, comparison, dot product; and
// casts from and to its own types.
#pragma once

#include "frontend/python/types/host_float.h"
#include "frontend/python/types/numpy_api.h"

namespace tahoma::python {

template <int N>
struct ScalarObject {
  // clang-format off
  PyObject_HEAD
  Bits<N> bits;
  // clang-format on
};

template <int N>
struct ArrayFunctions {
  static inline PyTypeObject* scalar_type = nullptr;
  static inline int type_number = NPY_NOTYPE;

  static PyObject* scalar(float value) {
    PyObject* const made = scalar_type->tp_alloc(scalar_type, 0);
    if (made != nullptr) store<N>(&reinterpret_cast<ScalarObject<N>*>(made)->bits, value);
    return made;
  }
  static float value_of(PyObject* scalar) {
    return load<N>(&reinterpret_cast<ScalarObject<N>*>(scalar)->bits);
  }

  static PyObject* get(void* data, void*) { return scalar(load<N>(data)); }
  static int set(PyObject* item, void* data, void*) {
    if (PyObject_TypeCheck(item, scalar_type)) {
      std::memcpy(data, &reinterpret_cast<ScalarObject<N>*>(item)->bits, sizeof(Bits<N>));
      return 0;
    }
    PyObject* const number = PyNumber_Float(item);
    if (number == nullptr) return -1;
    store<N>(data, static_cast<float>(PyFloat_AS_DOUBLE(number)));
    Py_DECREF(number);
    return 0;
  }
  static void swap_bytes(char* at) {
    if constexpr (sizeof(Bits<N>) == 2) std::swap(at[0], at[1]);
  }
  static void copyswapn(void* to, npy_intp to_step, void* from, npy_intp from_step, npy_intp count, int swap,
                        void*) {
    auto* d = static_cast<char*>(to);
    const auto* s = static_cast<const char*>(from);
    for (npy_intp n = 0; n < count; ++n, d += to_step, s += from_step) {
      if (from != nullptr) std::memcpy(d, s, sizeof(Bits<N>));
      if (swap != 0) swap_bytes(d);
    }
  }
  static void copyswap(void* to, void* from, int swap, void* array) {
    copyswapn(to, 0, from, 0, 1, swap, array);
  }
  // NaN sorts last.
  static int compare(const void* a, const void* b, void*) {
    const float x = load<N>(a), y = load<N>(b);
    if (x < y) return -1;
    if (x > y) return 1;
    return static_cast<int>(x != x) - static_cast<int>(y != y);
  }
  static npy_bool nonzero(void* data, void*) { return static_cast<npy_bool>(load<N>(data) != 0.0F); }
  static int fill(void* data, npy_intp count, void*) {
    auto* const at = static_cast<Bits<N>*>(data);
    const float first = load<N>(at), step = load<N>(at + 1) - first;
    for (npy_intp n = 2; n < count; ++n) store<N>(at + n, first + static_cast<float>(n) * step);
    return 0;
  }
  static void dot(void* a, npy_intp a_step, void* b, npy_intp b_step, void* out, npy_intp count, void*) {
    const auto* x = static_cast<const char*>(a);
    const auto* y = static_cast<const char*>(b);
    float sum = 0;
    for (npy_intp n = 0; n < count; ++n, x += a_step, y += b_step) sum += load<N>(x) * load<N>(y);
    store<N>(out, sum);
  }
  template <bool kLargest>
  static int arg_extreme(void* data, npy_intp count, npy_intp* best, void*) {
    const auto* const at = static_cast<const Bits<N>*>(data);
    *best = 0;
    for (npy_intp n = 1; n < count; ++n) {
      const float here = load<N>(at + n), there = load<N>(at + *best);
      if (kLargest ? here > there : here < there) *best = n;
    }
    return 0;
  }

  template <class Other>
  static void cast_to(void* from, void* to, npy_intp count, void*, void*) {
    const auto* const s = static_cast<const Bits<N>*>(from);
    auto* const d = static_cast<Other*>(to);
    for (npy_intp n = 0; n < count; ++n) {
      if constexpr (std::is_same_v<Other, npy_bool>)
        d[n] = static_cast<npy_bool>(load<N>(s + n) != 0.0F);
      else
        d[n] = static_cast<Other>(load<N>(s + n));
    }
  }
  template <class Other>
  static void cast_from(void* from, void* to, npy_intp count, void*, void*) {
    const auto* const s = static_cast<const Other*>(from);
    auto* const d = static_cast<Bits<N>*>(to);
    for (npy_intp n = 0; n < count; ++n) store<N>(d + n, static_cast<float>(s[n]));
  }
  static void cast_to_half(void* from, void* to, npy_intp count, void*, void*) {
    for (npy_intp n = 0; n < count; ++n)
      static_cast<std::uint16_t*>(to)[n] =
          isa::fp16_from_fp32(load<N>(static_cast<const Bits<N>*>(from) + n));
  }
  static void cast_from_half(void* from, void* to, npy_intp count, void*, void*) {
    for (npy_intp n = 0; n < count; ++n)
      store<N>(static_cast<Bits<N>*>(to) + n,
               isa::fp32_from_fp16(static_cast<const std::uint16_t*>(from)[n]));
  }
  template <int M>
  static void cast_to_host(void* from, void* to, npy_intp count, void*, void*) {
    for (npy_intp n = 0; n < count; ++n)
      store<M>(static_cast<Bits<M>*>(to) + n, load<N>(static_cast<const Bits<N>*>(from) + n));
  }
};

}  // namespace tahoma::python
