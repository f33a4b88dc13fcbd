// SPDX-License-Identifier: Apache-2.0
// The Python module _tahoma_types: bfloat16, the fp8 types and E2M1 as element types of NumPy, for hosts
// without ml_dtypes. The names and the behaviour are those of ml_dtypes.
#include "frontend/python/types/universal_functions.h"

namespace tahoma::python {

namespace {

template <int N>
PyObject* new_scalar(PyTypeObject*, PyObject* args, PyObject*) {
  PyObject* given = nullptr;
  if (PyArg_ParseTuple(args, "|O", &given) == 0) return nullptr;
  Bits<N> bits = 0;
  if (given != nullptr && ArrayFunctions<N>::set(given, &bits, nullptr) != 0) return nullptr;
  return ArrayFunctions<N>::scalar(load<N>(&bits));
}
template <int N>
PyObject* as_float(PyObject* self) {
  return PyFloat_FromDouble(ArrayFunctions<N>::value_of(self));
}
template <int N>
PyObject* as_int(PyObject* self) {
  return PyLong_FromDouble(ArrayFunctions<N>::value_of(self));
}
template <int N>
PyObject* text(PyObject* self) {
  PyObject* const number = as_float<N>(self);
  if (number == nullptr) return nullptr;
  PyObject* const made = PyObject_Str(number);
  Py_DECREF(number);
  return made;
}
template <int N>
Py_hash_t hash(PyObject* self) {
  PyObject* const number = as_float<N>(self);
  const Py_hash_t made = number == nullptr ? -1 : PyObject_Hash(number);
  Py_XDECREF(number);
  return made;
}
template <int N>
PyObject* compare(PyObject* a, PyObject* b, int operation) {
  if (PyArray_Check(b)) Py_RETURN_NOTIMPLEMENTED;
  PyObject* const other = PyNumber_Float(b);
  if (other == nullptr) {
    PyErr_Clear();
    Py_RETURN_NOTIMPLEMENTED;
  }
  PyObject* const number = as_float<N>(a);
  PyObject* const made = number == nullptr ? nullptr : PyObject_RichCompare(number, other, operation);
  Py_XDECREF(number);
  Py_DECREF(other);
  return made;
}

// The class of scalars, a subclass of numpy.generic.
template <int N>
PyTypeObject* scalar_class() {
  static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(&new_scalar<N>)},
                                {Py_tp_repr, reinterpret_cast<void*>(&text<N>)},
                                {Py_tp_str, reinterpret_cast<void*>(&text<N>)},
                                {Py_tp_hash, reinterpret_cast<void*>(&hash<N>)},
                                {Py_tp_richcompare, reinterpret_cast<void*>(&compare<N>)},
                                {Py_nb_float, reinterpret_cast<void*>(&as_float<N>)},
                                {Py_nb_int, reinterpret_cast<void*>(&as_int<N>)},
                                {0, nullptr}};
  static PyType_Spec spec = {kHostTypes[N].name, static_cast<int>(sizeof(ScalarObject<N>)), 0,
                             Py_TPFLAGS_DEFAULT, slots};
  PyObject* const bases = PyTuple_Pack(1, &PyGenericArrType_Type);
  PyObject* const made = PyType_FromSpecWithBases(&spec, bases);
  Py_XDECREF(bases);
  return reinterpret_cast<PyTypeObject*>(made);
}

// Registers the type with NumPy, whose version 1 keeps the prototype and whose version 2 copies it. Returns
// the descriptor.
template <int N>
PyArray_Descr* descriptor() {
  using F = ArrayFunctions<N>;
  static PyArray_ArrFuncs functions;
  PyArray_InitArrFuncs(&functions);
  functions.getitem = &F::get;
  functions.setitem = &F::set;
  functions.copyswap = &F::copyswap;
  functions.copyswapn = &F::copyswapn;
  functions.compare = &F::compare;
  functions.nonzero = &F::nonzero;
  functions.fill = &F::fill;
  functions.dotfunc = &F::dot;
  functions.argmax = &F::template arg_extreme<true>;
  functions.argmin = &F::template arg_extreme<false>;
  static PyArray_DescrProto prototype;
  Py_SET_REFCNT(reinterpret_cast<PyObject*>(&prototype), 1);
  Py_SET_TYPE(reinterpret_cast<PyObject*>(&prototype), &PyArrayDescr_Type);
  Py_INCREF(F::scalar_type);
  prototype.typeobj = F::scalar_type;
  prototype.kind = 'V';  // as ml_dtypes: NumPy must not take it for a float of its own
  prototype.type = static_cast<char>("EFGHJW"[N]);
  prototype.byteorder = '=';
  prototype.flags = NPY_NEEDS_PYAPI | NPY_USE_SETITEM;
  prototype.elsize = sizeof(Bits<N>);
  prototype.alignment = alignof(Bits<N>);
  prototype.f = &functions;
  prototype.hash = -1;
  F::type_number = PyArray_RegisterDataType(&prototype);
  return F::type_number < 0 ? nullptr : PyArray_DescrFromType(F::type_number);
}

template <int N, class Other>
bool add_casts(PyArray_Descr* own, int other) {
  PyArray_Descr* const theirs = PyArray_DescrFromType(other);
  const bool done = PyArray_RegisterCastFunc(own, other, &ArrayFunctions<N>::template cast_to<Other>) == 0 &&
                    PyArray_RegisterCastFunc(theirs, ArrayFunctions<N>::type_number,
                                             &ArrayFunctions<N>::template cast_from<Other>) == 0;
  Py_DECREF(theirs);
  return done;
}

// Every value of `other` is one of ours: mixed expressions may become ours.
template <int N>
bool can_cast_from(int other) {
  PyArray_Descr* const theirs = PyArray_DescrFromType(other);
  const bool done = PyArray_RegisterCanCast(theirs, ArrayFunctions<N>::type_number, NPY_NOSCALAR) == 0;
  Py_DECREF(theirs);
  return done;
}

template <int N>
bool add_all_casts(PyArray_Descr* own) {
  using F = ArrayFunctions<N>;
  PyArray_Descr* const half = PyArray_DescrFromType(NPY_HALF);
  const bool halves = PyArray_RegisterCastFunc(own, NPY_HALF, &F::cast_to_half) == 0 &&
                      PyArray_RegisterCastFunc(half, F::type_number, &F::cast_from_half) == 0;
  Py_DECREF(half);
  return halves && add_casts<N, npy_bool>(own, NPY_BOOL) && add_casts<N, npy_byte>(own, NPY_BYTE) &&
         add_casts<N, npy_ubyte>(own, NPY_UBYTE) && add_casts<N, npy_short>(own, NPY_SHORT) &&
         add_casts<N, npy_ushort>(own, NPY_USHORT) && add_casts<N, npy_int>(own, NPY_INT) &&
         add_casts<N, npy_uint>(own, NPY_UINT) && add_casts<N, npy_long>(own, NPY_LONG) &&
         add_casts<N, npy_ulong>(own, NPY_ULONG) && add_casts<N, npy_longlong>(own, NPY_LONGLONG) &&
         add_casts<N, npy_ulonglong>(own, NPY_ULONGLONG) && add_casts<N, npy_float>(own, NPY_FLOAT) &&
         add_casts<N, npy_double>(own, NPY_DOUBLE) && add_casts<N, npy_longdouble>(own, NPY_LONGDOUBLE) &&
         PyArray_RegisterCanCast(own, NPY_FLOAT, NPY_NOSCALAR) == 0 &&
         PyArray_RegisterCanCast(own, NPY_DOUBLE, NPY_NOSCALAR) == 0 && can_cast_from<N>(NPY_BOOL) &&
         (N != 0 || (can_cast_from<N>(NPY_BYTE) && can_cast_from<N>(NPY_UBYTE)));
}

template <int N>
bool add_type(PyObject* module, PyObject* numpy) {
  using F = ArrayFunctions<N>;
  F::scalar_type = scalar_class<N>();
  if (F::scalar_type == nullptr) return false;
  PyArray_Descr* const own = descriptor<N>();
  if (own == nullptr) return false;
  PyObject* const type = reinterpret_cast<PyObject*>(F::scalar_type);
  if (PyObject_SetAttrString(type, "dtype", reinterpret_cast<PyObject*>(own)) != 0) return false;
  PyObject* const name = PyUnicode_FromString("ml_dtypes");
  const bool named = PyObject_SetAttrString(type, "__module__", name) == 0;
  Py_DECREF(name);
  Py_INCREF(type);
  return named && add_all_casts<N>(own) && add_universal_functions<N>(numpy) &&
         PyModule_AddObject(module, kHostTypes[N].name, type) == 0;
}

template <int N, int M>
bool add_cast_between() {
  if constexpr (N == M) return true;
  PyArray_Descr* const from = PyArray_DescrFromType(ArrayFunctions<N>::type_number);
  return PyArray_RegisterCastFunc(from, ArrayFunctions<M>::type_number,
                                  &ArrayFunctions<N>::template cast_to_host<M>) == 0;
}
template <int N, int... M>
bool add_casts_between(std::integer_sequence<int, M...>) {
  return (add_cast_between<N, M>() && ...);
}
template <int... N>
bool add_all(PyObject* module, PyObject* numpy, std::integer_sequence<int, N...> all) {
  return (add_type<N>(module, numpy) && ...) && (add_casts_between<N>(all) && ...);
}

PyModuleDef kModule = {PyModuleDef_HEAD_INIT,
                       "_tahoma_types",
                       "bfloat16, fp8 and E2M1 as element types of NumPy",
                       -1,
                       nullptr,
                       nullptr,
                       nullptr,
                       nullptr,
                       nullptr};

}  // namespace

}  // namespace tahoma::python

PyMODINIT_FUNC PyInit__tahoma_types() {  // NOLINT(bugprone-reserved-identifier): Python's name for it
  import_array();
  import_umath();
  PyObject* const numpy = PyImport_ImportModule("numpy");
  if (numpy == nullptr) return nullptr;
  PyObject* const module = PyModule_Create(&tahoma::python::kModule);
  constexpr auto kAll =
      std::make_integer_sequence<int, static_cast<int>(tahoma::python::kHostTypes.size())>();
  if (module != nullptr && !tahoma::python::add_all(module, numpy, kAll)) {
    Py_DECREF(numpy);
    return nullptr;
  }
  Py_DECREF(numpy);
  return module;
}
