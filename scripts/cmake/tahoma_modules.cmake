# Modules of the program: what the first command of the README does not need. A program without one builds it when it is first used
# (cli/missing_module.h); tests, the package and a plain `cmake --build` have all.
set(tahoma_all_modules kernels nki rtl studies)
set(TAHOMA_MODULES all CACHE STRING "Modules of the program: a list of kernels, nki, rtl and studies, or all; see scripts/modules")
if(TAHOMA_MODULES STREQUAL "all" OR TAHOMA_TESTS OR TAHOMA_FUZZ)
  set(TAHOMA_MODULES ${tahoma_all_modules})
endif()
foreach(module IN LISTS TAHOMA_MODULES)
  if(NOT module IN_LIST tahoma_all_modules)
    list(JOIN tahoma_all_modules ", " known)
    message(FATAL_ERROR "TAHOMA_MODULES: unknown module '${module}': expected ${known}")
  endif()
endforeach()

list(SORT TAHOMA_MODULES)
string(COMPARE EQUAL "${TAHOMA_MODULES}" "${tahoma_all_modules}" tahoma_has_all_modules)

# built_modules.h: TAHOMA_MODULE_PART(module, function) refers to the function only where its module is built (model/base/module.h).
set(lines "#pragma once\n#include \"model/base/module.h\"\n#define TAHOMA_MODULE_PART(module, function) ::tahoma::base::Part(#module, TAHOMA_MODULE_PART_##module(function))\n")
foreach(module IN LISTS tahoma_all_modules)
  if(module IN_LIST TAHOMA_MODULES)
    string(APPEND lines "#define TAHOMA_MODULE_PART_${module}(function) (function)\n")
  else()
    string(APPEND lines "#define TAHOMA_MODULE_PART_${module}(function) static_cast<decltype(&(function))>(nullptr)\n")
  endif()
endforeach()
set(tahoma_modules_include ${CMAKE_BINARY_DIR}/modules)
file(CONFIGURE OUTPUT ${tahoma_modules_include}/built_modules.h CONTENT "${lines}" @ONLY)
