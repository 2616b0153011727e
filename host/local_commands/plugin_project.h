// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/result.h"

namespace drover {

// A file of a plugin's project. Its path begins at the directory of the project.
struct ProjectFile {
  std::string path;
  std::string text;
};

// Returns the files of sdk/templates, which the build puts into this program
// (cmake/DroverTemplates.cmake). A path begins with the folder of a language, or with "common/".
std::vector<ProjectFile> PluginTemplates();

// Returns the files of a new driver NAME in LANGUAGE: "c", "cpp" or "rust". Refuses a name that no
// driver may have, or that its tools or other drivers have.
Result<std::vector<ProjectFile>> MakePluginProject(const std::string& name,
                                                   const std::string& language);

// Makes DIRECTORY with FILES. It appears whole or not at all. Returns Code::kFailedPrecondition if
// it exists and is no empty directory.
Status WritePluginProject(const std::string& directory, const std::vector<ProjectFile>& files);

}  // namespace drover
