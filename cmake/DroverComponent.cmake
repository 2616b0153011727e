# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

# The flags of every target of the host; the sanitizers reach the targets that link it.
add_library(drover_flags INTERFACE)
target_compile_options(drover_flags INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
target_compile_definitions(drover_flags INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
target_compile_definitions(drover_flags INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE)
target_include_directories(drover_flags INTERFACE ${PROJECT_SOURCE_DIR})
if(DROVER_SANITIZE)
  target_compile_options(drover_flags INTERFACE -fsanitize=${DROVER_SANITIZE}
                                                -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(drover_flags INTERFACE -fsanitize=${DROVER_SANITIZE})
endif()

# The heavy headers, compiled once for the components and once for their tests: a third of the cold
# build. Sources include what they use all the same.
set(drover_heavy_headers <algorithm> <chrono> <filesystem> <fstream> <functional> <map> <memory>
    <mutex> <optional> <set> <string> <string_view> <thread> <variant> <vector>
    <boost/asio/awaitable.hpp> <boost/asio/co_spawn.hpp> <boost/asio/io_context.hpp>
    <boost/asio/post.hpp> <boost/asio/posix/stream_descriptor.hpp> <boost/asio/steady_timer.hpp>
    <boost/asio/use_awaitable.hpp> <nlohmann/json.hpp>)
# Without it a header's time is part of the compiled file, and ccache never finds it again.
add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
# Tests are compiled without optimisation, what they test with that of the preset.
add_library(drover_test_flags INTERFACE)
target_compile_options(drover_test_flags INTERFACE $<$<CONFIG:Release>:-O0>)
target_link_libraries(drover_test_flags INTERFACE drover_flags)

# drover_precompile(TARGET LIBRARY-OF-FLAGS HEADERS...): an owner of precompiled headers.
function(drover_precompile name flags)
  # Written only when it changes: a configuration rebuilds nothing.
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${name}.cc CONTENT "int main() { return 0; }\n")
  if(flags STREQUAL drover_flags)
    add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cc)
  else()  # of the kind of its users: an executable's code is compiled with other flags
    add_executable(${name} EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/${name}.cc)
    target_link_libraries(${name} PRIVATE drover_base)  # asio's compiled part
  endif()
  target_link_libraries(${name} PRIVATE ${flags} GTest::gtest Boost::headers nlohmann_json::nlohmann_json
                                        Threads::Threads)
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()
drover_precompile(drover_headers drover_flags ${drover_heavy_headers})
if(BUILD_TESTING)
  drover_precompile(drover_test_headers drover_test_flags
                    ${drover_heavy_headers} <gtest/gtest.h> <gmock/gmock.h>)
endif()

# Most of what a source costs are the templates of libraries, so sources are compiled several at a time:
# by eights that saved two fifths of a build from nothing. The preset dev compiles each by itself, for the
# daily change of one.
function(drover_together target)
  if(DROVER_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 32)
  endif()
endfunction()

# The seconds after which a unit test hangs: sanitizers make it ten times as slow.
set(drover_test_limit 60)
if(DROVER_SANITIZE)
  set(drover_test_limit 300)
endif()

# drover_unit_tests(NAME PROCESS_EACH): the tests of NAME_test. A sanitized program takes longer to start
# than most tests do, so four processes share its tests, unless each needs a process of its own.
function(drover_unit_tests name process_each)
  if(NOT DROVER_UNIT_TESTS)
    set_target_properties(${name}_test PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  if(NOT DROVER_SANITIZE OR process_each)
    gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST
                         PROPERTIES TIMEOUT ${drover_test_limit} LABELS fast)
    return()
  endif()
  foreach(part RANGE 3)
    add_test(NAME ${name}.part${part} COMMAND ${name}_test --gtest_brief=1)
    set_tests_properties(${name}.part${part} PROPERTIES LABELS fast TIMEOUT ${drover_test_limit}
                         ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${part}")
  endforeach()
endfunction()

# drover_component(NAME SOURCES a.cc ... TESTS a_test.cc ... DEPS base ... PRIVATE_DEPS ...
#                  TEST_DEPS ... ALONE b.cc ... PROCESS_EACH)
#
# One folder of the host: library drover_NAME and, of its unit tests, NAME_test. A dependency that
# is the name of a component means its library; DEPS are PUBLIC, and that is what keeps the
# direction of the dependencies: a folder that is not listed cannot be linked. ALONE are sources and
# tests with names in common with others of the folder: they are never compiled together with them.
# Without SOURCES the folder has headers only. PROCESS_EACH: what a test loads or limits stays in its process, so each test needs one of its own.
function(drover_component name)
  cmake_parse_arguments(ARG "PROCESS_EACH" "" "SOURCES;TESTS;DEPS;PRIVATE_DEPS;TEST_DEPS;ALONE" ${ARGN})
  foreach(list DEPS PRIVATE_DEPS TEST_DEPS)
    set(${list})
    foreach(dep IN LISTS ARG_${list})
      if(TARGET ${dep} OR dep MATCHES "::")
        list(APPEND ${list} ${dep})
      else()
        list(APPEND ${list} drover_${dep})
      endif()
    endforeach()
  endforeach()
  if(ARG_ALONE)
    set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  if(NOT ARG_SOURCES)
    add_library(drover_${name} INTERFACE)
    target_link_libraries(drover_${name} INTERFACE drover_flags ${DEPS})
    return()
  endif()
  add_library(drover_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(drover_${name} PUBLIC drover_flags ${DEPS} PRIVATE ${PRIVATE_DEPS})
  target_precompile_headers(drover_${name} REUSE_FROM drover_headers)
  drover_together(drover_${name})
  if(ARG_TESTS AND BUILD_TESTING)
    add_executable(${name}_test ${ARG_TESTS})
    target_link_libraries(${name}_test PRIVATE drover_${name} ${PRIVATE_DEPS} ${TEST_DEPS}
                                               drover_test_flags GTest::gtest_main
                                               GTest::gmock)
    target_precompile_headers(${name}_test REUSE_FROM drover_test_headers)
    drover_together(${name}_test)
    drover_unit_tests(${name} ${ARG_PROCESS_EACH})
  endif()
endfunction()
