# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

# The flags of every target of the host; the sanitizers reach the targets that link it.
add_library(drover_flags INTERFACE)
target_compile_options(drover_flags INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
target_compile_definitions(drover_flags INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
target_include_directories(drover_flags INTERFACE ${PROJECT_SOURCE_DIR})
if(DROVER_SANITIZE)
  target_compile_options(drover_flags INTERFACE -fsanitize=${DROVER_SANITIZE}
                                                -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(drover_flags INTERFACE -fsanitize=${DROVER_SANITIZE})
endif()

# drover_component(NAME SOURCES a.cc ... TESTS a_test.cc ... DEPS base ... PRIVATE_DEPS ...
#                  TEST_DEPS ...)
#
# One folder of the host: library drover_NAME and, of its unit tests, NAME_test. A dependency that
# is the name of a component means its library; DEPS are PUBLIC, and that is what keeps the
# direction of the dependencies: a folder that is not listed cannot be linked.
function(drover_component name)
  cmake_parse_arguments(ARG "" "" "SOURCES;TESTS;DEPS;PRIVATE_DEPS;TEST_DEPS" ${ARGN})
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
  add_library(drover_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(drover_${name} PUBLIC drover_flags ${DEPS} PRIVATE ${PRIVATE_DEPS})
  if(ARG_TESTS AND BUILD_TESTING)
    add_executable(${name}_test ${ARG_TESTS})
    target_link_libraries(${name}_test PRIVATE drover_${name} ${PRIVATE_DEPS} ${TEST_DEPS}
                                               GTest::gtest_main GTest::gmock)
    gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST
                         PROPERTIES TIMEOUT 60 LABELS fast)
  endif()
endfunction()
