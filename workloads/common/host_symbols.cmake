<<<<<<< HEAD:workloads/common/host_symbols.cmake
# Run after linking tahoma_host_products: its *_v3.cpp are compiled for AVX2, so no function that they define may be shared with
# the rest of the program, or the linker could keep its copy for code that runs on any host. Shared means weak (templates,
# inline functions) and outside the namespace that they give to Eigen.
#   cmake -DNM=nm -DARCHIVE=libtahoma_host_products.a -P host_symbols.cmake
=======
# Run after linking tahoma_golden_kernels: golden_v3.cpp is compiled for AVX2, so no function that it defines may be shared with
# the rest of the program, or the linker could keep its copy for code that runs on any host. Shared functions are weak (templates,
# inline functions) and outside golden_v3.cpp's namespace for Eigen.
#   cmake -DNM=nm -DARCHIVE=libtahoma_golden_kernels.a -P golden_symbols.cmake
>>>>>>> prose:workloads/common/golden_symbols.cmake
execute_process(COMMAND ${NM} --defined-only ${ARCHIVE} OUTPUT_VARIABLE listing RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${NM} cannot read ${ARCHIVE}")
endif()
string(REPLACE "\n" ";" lines "${listing}")
set(inside FALSE)
set(seen 0)
foreach(line IN LISTS lines)
  if(line MATCHES "^([^ ]*)\\.o(bj)?:$")
    set(inside FALSE)
    if(line MATCHES "_v3\\.cpp\\.o")
      set(inside TRUE)
    endif()
  elseif(inside AND line MATCHES " [WVu] ([^ ]+)$")
    set(symbol ${CMAKE_MATCH_1})
    math(EXPR seen "${seen} + 1")
    if(NOT symbol MATCHES "EigenHostV3|^DW\\.ref\\.")
      message(FATAL_ERROR "a *_v3.cpp defines '${symbol}' for AVX2, and the linker may share it")
    endif()
  endif()
endforeach()
if(seen EQUAL 0)
  message(FATAL_ERROR "no symbol of a *_v3.cpp found in ${ARCHIVE}: this check has gone blind")
endif()
