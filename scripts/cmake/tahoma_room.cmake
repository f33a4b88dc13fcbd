# A module is one folder with one library target. It sees the libraries that it names and nothing else.
#   tahoma_room(isa LIBS fmt::fmt ... [EXCLUDE FILE ...])   compiles every .cpp in the folder and below it
add_library(tahoma_flags INTERFACE)
target_compile_options(tahoma_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow=local -Wconversion -Wno-sign-conversion
  # gcc 12 warns of overlapping copies inside std::string's operator+ (its bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # Results must not depend on the compiler's liberty to fuse or reorder floating point.
  -ffp-contract=off)
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

function(tahoma_room name)
  cmake_parse_arguments(ROOM "" "" "LIBS;EXCLUDE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  foreach(path IN LISTS ROOM_EXCLUDE)
    list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${path})
  endforeach()
  add_library(tahoma_${name} STATIC ${sources})
  add_library(tahoma::${name} ALIAS tahoma_${name})
  target_include_directories(tahoma_${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>)
  target_link_libraries(tahoma_${name} PUBLIC ${ROOM_LIBS} PRIVATE $<BUILD_INTERFACE:tahoma_flags>)
endfunction()
