# A module is one folder with one library target. It can only use the libraries that it names.
#   tahoma_room(isa LIBS fmt::fmt ... [EXCLUDE FILE ...])   compiles every .cpp in the folder and below it
add_library(tahoma_flags INTERFACE)
target_compile_options(tahoma_flags INTERFACE
  -Wall -Wextra -Wpedantic $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local> -Wconversion -Wno-sign-conversion
  # gcc 12 warns of overlapping copies inside std::string's operator+ (its bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # Results must not depend on how the compiler fuses or reorders floating-point operations.
  -ffp-contract=off)
# Read-only relocations, and every function resolved at the start. The compilers' defaults of Debian make a stack that cannot be
# executed and a program that can be loaded anywhere.
target_link_options(tahoma_flags INTERFACE -Wl,-z,relro,-z,now)
if(TAHOMA_REPRODUCIBLE)
  set(tahoma_prefix_maps -ffile-prefix-map=${CMAKE_BINARY_DIR}/= -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
  target_compile_options(tahoma_flags INTERFACE ${tahoma_prefix_maps})
endif()
if(TAHOMA_WERROR)
  target_compile_options(tahoma_flags INTERFACE -Werror)
endif()
if(TAHOMA_SANITIZE)
  target_compile_options(tahoma_flags INTERFACE
    -fsanitize=${TAHOMA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    # gcc 12 warns of members of an empty std::optional once sanitizers have rewritten the code.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(tahoma_flags INTERFACE -fsanitize=${TAHOMA_SANITIZE})
endif()

# Most of the time to compile a file goes to its headers. With TAHOMA_UNITY every folder's sources are compiled as one file, and
# so are these trees of small folders, which share expensive headers (SystemC, JSON, Eigen), and the groups of folders below.
# tests/dist/unity_names.py keeps local functions unique within such a file.
set(tahoma_unity_trees isa/semantics model/base model/engine model/link model/memory model/rtl model/system cli studies/cluster
  runtime/collective studies/model frontend/nki studies/serving studies/sweep studies/validation workloads/attention
  workloads/gemm workloads/training workloads/transformer)
# GROUP: FOLDER..., all of them in the folder that contains the group. The last file to be compiled should not be a long one,
# because the other cores would wait: transformer is two.
set(tahoma_unity_groups
  "runtime/programs: builder config golden"
  "runtime/runs: mpi run workload"
  "report/results: cost energy files lines links memory path reference regions store summary tables text timeline"
  "report/records: checkpoint execution_trace"
  "report/runs: page run simulation"
  "studies/parts: batch cards chakra"
  "workloads/kernels: convolution decode embedding mlp moe norm optimizer quantise reduction rms_norm rope transpose vector_add"
  "workloads/parts: collective common"
  "workloads/transformer/parts: experts layer vocabulary")
# Compiled file by file all the same: Highway's kernels, which include themselves once per target, and tests with many local names
# in common. So are Verilator's classes, which must not see SystemC.
set(tahoma_compiled_alone isa/simd tests/fuzz tests/rtl tests/system/kernel tests/unit)

function(tahoma_unity target)
  if(NOT TAHOMA_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC treats files that a unity file includes as headers, in which an anonymous namespace would be a mistake.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/.*\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "/verilated_|^${CMAKE_BINARY_DIR}/")
  foreach(tree IN LISTS tahoma_compiled_alone)
    list(FILTER sources EXCLUDE REGEX "^${CMAKE_SOURCE_DIR}/${tree}/")
  endforeach()
  foreach(source IN LISTS TAHOMA_ALONE)
    list(REMOVE_ITEM sources ${CMAKE_SOURCE_DIR}/${source})
  endforeach()
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
    set(unit "${folder}")
    foreach(tree IN LISTS tahoma_unity_trees)
      string(REGEX REPLACE "^${tree}/.*" "${tree}" unit "${unit}")
    endforeach()
    foreach(group IN LISTS tahoma_unity_groups)
      string(REGEX MATCH "^(.*)/([a-z]+): (.*)$" matched "${group}")
      string(REPLACE " " "|" members "${CMAKE_MATCH_3}")
      if(folder MATCHES "^${CMAKE_MATCH_1}/(${members})$")
        string(REGEX REPLACE ": .*" "" unit "${group}")
      endif()
    endforeach()
    string(MAKE_C_IDENTIFIER "${unit}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

function(tahoma_room name)
  cmake_parse_arguments(ROOM "" "" "LIBS;EXCLUDE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  foreach(path IN LISTS ROOM_EXCLUDE)
    if(path MATCHES "/$")
      list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${path}")
    else()
      list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${path})
    endif()
  endforeach()
  add_library(tahoma_${name} STATIC ${sources})
  add_library(tahoma::${name} ALIAS tahoma_${name})
  target_include_directories(tahoma_${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>
                             $<BUILD_INTERFACE:${tahoma_modules_include}>)
  target_link_libraries(tahoma_${name} PUBLIC ${ROOM_LIBS} PRIVATE $<BUILD_INTERFACE:tahoma_flags>)
  tahoma_unity(tahoma_${name})
  set_property(GLOBAL APPEND PROPERTY tahoma_parts tahoma_${name})  # of the installed library
endfunction()

# A room above the model. It takes 3 % of the time of a simulation; -O3 takes half again as long to compile. The headers that most
# of its files include are read once, for all rooms.
function(tahoma_outer_room name)
  tahoma_room(${name} ${ARGN})
  target_compile_options(tahoma_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(NOT TAHOMA_UNITY)
    return()
  endif()
  if(name STREQUAL "runtime")
    target_precompile_headers(tahoma_runtime PRIVATE <fmt/format.h> <nlohmann/json.hpp> <algorithm> <filesystem> <functional> <map>
                              <memory> <optional> <set> <span> <string> <unordered_map> <variant> <vector>)
  else()
    target_precompile_headers(tahoma_${name} REUSE_FROM tahoma_runtime)
  endif()
endfunction()
