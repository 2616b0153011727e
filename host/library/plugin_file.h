// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/unique_fd.h"
#include "host/library/manifest.h"

namespace drover {

// A plugin file, opened once and copied into sealed memory: all checks, the probe and the load use
// this descriptor, so what was checked is what runs, whatever happens to the file or its name
// meanwhile or later.
struct PluginFile {
  UniqueFd fd;
  std::string path;
  std::string sha256;  // 64 hex digits, lower case
  Manifest manifest;
};

// Opens PATH and checks, in this order: owner and mode of the file and of each directory above it
// (root's or the agent's, writable by nobody else; a sticky directory such as /tmp may be), the
// sha256 PIN unless it is empty, the manifest, the ABI version, the exported symbols. Nothing of
// the file runs. Reads the whole file: not for the control thread.
Result<PluginFile> OpenPluginFile(const std::string& path, const std::string& pin);

// A file of a plugin directory, with its manifest or the reason why it cannot be used.
struct FoundPlugin {
  std::string path;
  Result<Manifest> manifest;
};
// All *.so files of the directories, sorted by path within each. Nothing of them runs.
std::vector<FoundPlugin> FindPlugins(const std::vector<std::string>& directories);

// The file for driver NAME: NAME.so in the first directory that has it, else the first file whose
// manifest has that name.
Result<std::string> FindPluginFile(const std::vector<std::string>& directories,
                                   const std::string& name);

Result<std::string> Sha256OfFile(int fd);

}  // namespace drover
