# SystemVerilog as C++ libraries, by Verilator. Its runtime is compiled once for all blocks, and our warnings are off
# for the code that it generates.
#   tahoma_verilate(TARGET PREFIX TOP SOURCES a.sv ... [PARAMETERS ROWS=4 ...] [DEFINES NAME ...] [INCLUDES FOLDER ...]
#                   [COVERAGE])
# makes the static library TARGET with the class PREFIX (header PREFIX.h). Waves (FST) are always possible, assertions are
# on. The class is clocked by calls: a separate SystemC module would need two activations of the kernel in each cycle.
find_package(verilator REQUIRED)
find_package(ZLIB REQUIRED)  # FST

add_library(tahoma_verilated STATIC
  ${VERILATOR_ROOT}/include/verilated.cpp ${VERILATOR_ROOT}/include/verilated_threads.cpp
  ${VERILATOR_ROOT}/include/verilated_fst_c.cpp ${VERILATOR_ROOT}/include/verilated_cov.cpp
  ${CMAKE_SOURCE_DIR}/model/rtl/verilog_stop.cpp)
target_include_directories(tahoma_verilated SYSTEM PUBLIC ${VERILATOR_ROOT}/include ${VERILATOR_ROOT}/include/vltstd)
# VL_TIME_CONTEXT: each model has its own time, so that no program needs to define Verilator's sc_time_stamp().
target_compile_definitions(tahoma_verilated PUBLIC VL_TIME_CONTEXT PRIVATE VM_TRACE=1 VM_TRACE_FST=1 VM_COVERAGE=1
                           VL_USER_STOP)  # model/rtl/verilog_stop.cpp: not abort()
set_property(GLOBAL APPEND PROPERTY tahoma_parts tahoma_verilated)
target_compile_options(tahoma_verilated PRIVATE ${tahoma_prefix_maps})
target_link_libraries(tahoma_verilated PUBLIC ZLIB::ZLIB Threads::Threads PRIVATE tahoma::base)

function(tahoma_verilate target prefix top)
  cmake_parse_arguments(RTL "COVERAGE" "" "SOURCES;PARAMETERS;DEFINES;INCLUDES" ${ARGN})
  set(files ${RTL_SOURCES})
  list(TRANSFORM files PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(TRANSFORM RTL_PARAMETERS PREPEND -G)
  list(TRANSFORM RTL_DEFINES PREPEND +define+)
  list(TRANSFORM RTL_INCLUDES PREPEND -I)
  set(options TRACE_FST)
  if(RTL_COVERAGE)
    list(APPEND options COVERAGE)
  endif()
  add_library(${target} STATIC)
  # Keeps loops, and calls for wide words: the size of the code hardly grows with the array's.
  # Verilator runs in this folder. The code that it writes contains the names of the files as it was given them.
  verilate(${target} ${options} PREFIX ${prefix} TOP_MODULE ${top} SOURCES ${RTL_SOURCES}
           VERILATOR_ARGS -Wall --assert -O3 -fno-expand --unroll-count 4 ${RTL_PARAMETERS} ${RTL_DEFINES} ${RTL_INCLUDES})
  set_property(GLOBAL APPEND PROPERTY tahoma_verilated ${target})
  set_property(GLOBAL PROPERTY tahoma_lint_${target}
    --lint-only -Wall --assert --top ${top} ${RTL_PARAMETERS} ${RTL_DEFINES} ${RTL_INCLUDES} ${files})
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "/verilated[a-z_]*\\.cpp$")
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
  # Many small files include the same headers: as one file they compile three times as fast.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  # Coverage multiplies the code, and its blocks run only in tests.
  target_compile_options(${target} PRIVATE $<IF:$<BOOL:${RTL_COVERAGE}>,-O0,-O2>)
  target_compile_options(${target} PRIVATE ${tahoma_prefix_maps})
  # Users of the block get the class without the warnings of its code.
  get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(${target} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${folders}")
  target_link_libraries(${target} PUBLIC tahoma_verilated)
endfunction()
