# `cmake --install` and `cpack`: the program, its machines and cases, and the files for a kernel outside this repository:
# headers, one static library and a CMake package. tests/install builds such a kernel against an installed copy. A wheel
# (scripts/wheel) contains the component `program`, which is the default; the files for kernels are the component `development`.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(NOT tahoma_has_all_modules)
  install(CODE "message(FATAL_ERROR \"This build does not have all modules. Add them first: scripts/modules all\")")
  return()
endif()
install(TARGETS tahoma RUNTIME)
install(DIRECTORY model/configs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tahoma/configs FILES_MATCHING PATTERN *.yaml)
install(DIRECTORY report/cost/prices/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tahoma/prices FILES_MATCHING PATTERN *.yaml)
install(DIRECTORY studies/cards/cards/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tahoma/cards FILES_MATCHING PATTERN *.yaml)
install(DIRECTORY workloads/models DESTINATION ${CMAKE_INSTALL_DATADIR}/tahoma/workloads FILES_MATCHING PATTERN *.json)
install(DIRECTORY workloads/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tahoma/workloads FILES_MATCHING
        PATTERN *.yaml PATTERN *.csv PATTERN *.tasm PATTERN goldens EXCLUDE)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The library contains the objects of all rooms; the list of shipped kinds is that of the user's program.
get_property(parts GLOBAL PROPERTY tahoma_parts)
list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
add_library(tahoma_product STATIC ${objects})
set_target_properties(tahoma_product PROPERTIES OUTPUT_NAME tahoma EXPORT_NAME tahoma LINKER_LANGUAGE CXX)
find_package(SQLite3 REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
find_package(Protobuf REQUIRED)
target_compile_features(tahoma_product INTERFACE cxx_std_20)
target_compile_options(tahoma_product INTERFACE -ffp-contract=off)
target_include_directories(tahoma_product INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tahoma>)
target_link_libraries(tahoma_product INTERFACE fmt::fmt yaml-cpp Eigen3::Eigen hwy::hwy SQLite::SQLite3 OpenSSL::Crypto ZLIB::ZLIB
                      Threads::Threads protobuf::libprotobuf-lite nlohmann_json::nlohmann_json systemc muparser jemalloc)
install(TARGETS tahoma_product EXPORT tahoma ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)

# Headers that a kernel includes, directly or through others: all except the components of the model.
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/tahoma)
install(DIRECTORY isa runtime report workloads frontend studies cli DESTINATION ${headers} COMPONENT development FILES_MATCHING PATTERN *.h)
install(DIRECTORY model/base model/check model/system DESTINATION ${headers}/model COMPONENT development FILES_MATCHING PATTERN *.h)
install(DIRECTORY model DESTINATION ${headers} COMPONENT development FILES_MATCHING PATTERN *_params.h)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tahoma)
install(EXPORT tahoma NAMESPACE tahoma:: FILE tahomaTargets.cmake DESTINATION ${package} COMPONENT development)
configure_package_config_file(scripts/cmake/tahomaConfig.cmake.in ${CMAKE_BINARY_DIR}/tahomaConfig.cmake
                              INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tahomaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tahomaConfig.cmake ${CMAKE_BINARY_DIR}/tahomaConfigVersion.cmake cli/main.cpp
              runtime/host/host_allocator.cpp DESTINATION ${package} COMPONENT development)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The Tahoma authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
find_program(TAHOMA_SHLIBDEPS dpkg-shlibdeps)  # Debian's dpkg-dev
if(TAHOMA_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
# Needed to build a kernel against the package, in addition to the libraries of the program itself.
string(JOIN ", " CPACK_DEBIAN_PACKAGE_SUGGESTS g++ cmake libfmt-dev libyaml-cpp-dev libeigen3-dev libhwy-dev libsqlite3-dev libssl-dev
       zlib1g-dev libprotobuf-dev nlohmann-json3-dev libsystemc-dev libmuparser-dev libjemalloc-dev)
include(CPack)
