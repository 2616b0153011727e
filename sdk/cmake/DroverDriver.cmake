# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

# drover_add_driver(NAME SOURCES a.cc ... [INSTALL])
#
# A task driver: the module NAME.so, which exports the one symbol of the ABI and nothing else.
#   - hidden visibility, a version script, no archive's symbols;
#   - no STB_GNU_UNIQUE of GCC, which would share inline variables between plugins;
#   - undefined symbols are an error of the build, not of the load; except under a sanitizer, whose
#     runtime the host brings.
# With INSTALL it is installed into DroverSDK_PLUGINDIR (or lib/drover/plugins), component plugins.
function(drover_add_driver name)
  cmake_parse_arguments(ARG "INSTALL" "" "SOURCES" ${ARGN})
  if(NOT ARG_SOURCES)
    message(FATAL_ERROR "drover_add_driver(${name}): SOURCES is missing")
  endif()
  set(version_script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/drover_driver.map")
  add_library(${name} MODULE ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE Drover::sdk)
  if(CMAKE_CXX_COMPILER_LOADED)
    target_compile_features(${name} PRIVATE cxx_std_17)
  endif()
  set_target_properties(${name} PROPERTIES
    PREFIX "" SUFFIX ".so"
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON
    LINK_DEPENDS "${version_script}")
  target_compile_options(${name} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  target_link_options(${name} PRIVATE
    "LINKER:--version-script=${version_script}" LINKER:--exclude-libs,ALL)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
  if(NOT "${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${config}} ${DROVER_SANITIZE}"
     MATCHES "-fsanitize|address|thread|undefined|memory")
    target_link_options(${name} PRIVATE LINKER:-z,defs)
  endif()
  if(ARG_INSTALL)
    if(DroverSDK_PLUGINDIR)
      set(directory "${DroverSDK_PLUGINDIR}")
    else()
      set(directory "${CMAKE_INSTALL_LIBDIR}/drover/plugins")
    endif()
    install(TARGETS ${name} LIBRARY DESTINATION "${directory}" COMPONENT plugins)
  endif()
endfunction()
