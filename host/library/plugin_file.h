// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/unique_fd.h"
#include "host/library/manifest.h"

namespace drover {

// A plugin file that was opened once and copied into sealed memory. All checks, the probe and the
// load use the copy. So the code that runs is the code that was checked, even if the file or its
// name changes later.
struct PluginFile {
  UniqueFd fd;
  std::string path;
  std::string sha256;  // 64 lower case hex digits
  Manifest manifest;
};

// Opens PATH and makes these checks in this order:
// - The file and each directory above it belong to root or the agent, and no other user can write
//   them. A sticky directory such as /tmp may be writable.
// - The sha256 is PIN, unless PIN is empty.
// - The manifest is valid, this host has the ABI version, and only the entry function is exported.
// No code of the file runs. Reads the whole file, so it is not for the control thread.
Result<PluginFile> OpenPluginFile(const std::string& path, const std::string& pin);

// A file in a plugin directory, with its manifest or the reason why the file cannot be used.
struct FoundPlugin {
  std::string path;
  Result<Manifest> manifest;
};
// Returns all *.so files of the directories, sorted by path within each directory. No code of the
// files runs.
std::vector<FoundPlugin> FindPlugins(const std::vector<std::string>& directories);

// Returns the file for driver NAME. This is NAME.so in the first directory that has it, otherwise
// the first file whose manifest has that name.
Result<std::string> FindPluginFile(const std::vector<std::string>& directories,
                                   const std::string& name);

Result<std::string> Sha256OfFile(int fd);

}  // namespace drover
