# Writes the ctest entries of one Catch2 program: each case is a separate test, labelled with its folder, or `slow` or
# `long` if it has that tag. Run after each link:
#   cmake -DPROGRAM=... -DCATCH2=2|3 -DLABEL=... -DTIMEOUT=... -DSLOW_TIMEOUT=... -DOUTPUT=... -P discover.cmake
# Catch2's own module is not used: CMake interprets the ';' and '[' of a case's name as list syntax, and cases vanish.
cmake_minimum_required(VERSION 3.22)

# append_tests(TAGS LABEL TIMEOUT)   adds to `script` the cases that the test specification TAGS selects
function(append_tests tags label timeout)
  set(list --list-test-names-only)
  if(CATCH2 GREATER_EQUAL 3)
    set(list --list-tests --verbosity quiet)
  endif()
  execute_process(COMMAND ${PROGRAM} ${tags} ${list} OUTPUT_VARIABLE names RESULT_VARIABLE status)
  if(NOT status MATCHES "^[0-9]+$")  # of Catch2 2, the number of cases
    message(FATAL_ERROR "${PROGRAM} ${list}: ${status}")
  endif()
  string(REPLACE "[" "${open}" names "${names}")
  string(REPLACE "]" "${close}" names "${names}")
  string(REPLACE ";" "${semicolon}" names "${names}")
  string(REGEX MATCHALL "[^\n]+" names "${names}")
  foreach(name IN LISTS names)
    string(REGEX REPLACE "^[-~*]|[,${open}${close}\\\\]" "\\\\\\0" pattern "${name}")
    foreach(text name pattern)
      string(REPLACE "${open}" "[" ${text} "${${text}}")
      string(REPLACE "${close}" "]" ${text} "${${text}}")
      string(REPLACE "${semicolon}" ";" ${text} "${${text}}")
    endforeach()
    string(APPEND script "add_test([==[${name}]==] [==[${PROGRAM}]==] [==[${pattern}]==])\n"
      "set_tests_properties([==[${name}]==] PROPERTIES LABELS ${label} TIMEOUT ${timeout})\n")
  endforeach()
  set(script "${script}" PARENT_SCOPE)
endfunction()

# Substitutes for characters that break CMake's lists.
string(ASCII 1 open)
string(ASCII 2 close)
string(ASCII 3 semicolon)
set(script)
append_tests("~[slow]~[long]" ${LABEL} ${TIMEOUT})
append_tests("[long]" long ${TIMEOUT})
append_tests("[slow]" slow ${SLOW_TIMEOUT})
if(NOT script)
  message(FATAL_ERROR "${PROGRAM} has no test cases")
endif()
file(WRITE ${OUTPUT} "${script}")
