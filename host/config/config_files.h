// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/result.h"

namespace drover {

struct ConfigFile {
  std::string path;  // absolute
  std::string text;
};

// Returns the absolute path of PATH if it is no directory. Of a directory, returns the files *.hcl
// and *.json in it in alphabetic order, without directories and the files of editors: .NAME and
// NAME~.
Result<std::vector<std::string>> ListConfigFiles(const std::string& path);

// Reads a file of at most 4 MiB that only root and the agent's user can change. An empty file is an
// error: it may be one that somebody is just writing, and an agent must not lose its token by it.
Result<ConfigFile> ReadConfigFile(const std::string& path);

}  // namespace drover
