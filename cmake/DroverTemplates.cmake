# Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

# drover_embed_templates(OUTPUT DIRECTORY): writes the C++ source OUTPUT, which contains the files below
# DIRECTORY and defines PluginTemplates() of host/local_commands/plugin_project.h. So a program needs no
# files beside it. A new or changed file below DIRECTORY configures the build again.
function(drover_embed_templates output directory)
  file(GLOB_RECURSE files RELATIVE "${directory}" CONFIGURE_DEPENDS "${directory}/*")
  list(SORT files)
  set(source "// Made by cmake/DroverTemplates.cmake.\n")
  string(APPEND source "#include \"host/local_commands/plugin_project.h\"\n\n")
  string(APPEND source "namespace drover {\n\nstd::vector<ProjectFile> PluginTemplates() {\n  return {\n")
  foreach(file IN LISTS files)
    file(READ "${directory}/${file}" text)
    if(text MATCHES "\\)drover_text\"")
      message(FATAL_ERROR "${directory}/${file} contains the end of a literal: )drover_text\"")
    endif()
    string(APPEND source "      {R\"drover_text(${file})drover_text\",\n"
                         "       R\"drover_text(${text})drover_text\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${directory}/${file}")
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
