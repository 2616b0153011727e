# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

# drover_embed_templates(OUTPUT DIRECTORY [PLACE=DIRECTORY ...]): writes the C++ source OUTPUT, which contains
# the files below DIRECTORY, and those of each other directory below its PLACE. It defines PluginTemplates()
# of host/local_commands/plugin_project.h. So a program needs no files beside it. A new or changed file
# configures the build again.
function(drover_embed_templates output directory)
  set(source "// Made by cmake/DroverTemplates.cmake.\n")
  string(APPEND source "#include \"host/local_commands/plugin_project.h\"\n\n")
  string(APPEND source "namespace drover {\n\nstd::vector<ProjectFile> PluginTemplates() {\n  return {\n")
  foreach(part IN ITEMS "=${directory}" ${ARGN})
    string(REGEX MATCH "^([^=]*)=(.*)$" whole "${part}")
    set(place "${CMAKE_MATCH_1}")
    set(from "${CMAKE_MATCH_2}")
    file(GLOB_RECURSE files RELATIVE "${from}" CONFIGURE_DEPENDS "${from}/*")
    list(FILTER files EXCLUDE REGEX "(^|/)(target|tests|__pycache__)/")
    list(SORT files)
    foreach(file IN LISTS files)
      file(READ "${from}/${file}" text)
      if(text MATCHES "\\)drover_text\"")
        message(FATAL_ERROR "${from}/${file} contains the end of a literal: )drover_text\"")
      endif()
      string(APPEND source "      {R\"drover_text(${place}${file})drover_text\",\n"
                           "       R\"drover_text(${text})drover_text\"},\n")
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${from}/${file}")
    endforeach()
  endforeach()
  string(APPEND source "  };\n}\n\n}  // namespace drover\n")
  # Written only when it changes: a configuration rebuilds nothing.
  set(before "")
  if(EXISTS "${output}")
    file(READ "${output}" before)
  endif()
  if(NOT before STREQUAL source)
    file(WRITE "${output}" "${source}")
  endif()
endfunction()
