// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/config/agent_config.h"
#include "host/config/config_document.h"
#include "host/config/config_finding.h"
#include "host/config/config_reader.h"

namespace drover {

// A configuration, and everything that is to be said about it. CONFIG is usable only if there are
// no mistakes.
struct LoadedConfig {
  AgentConfig config;
  ConfigDocument document;  // the keys of all files, merged
  ConfigFindings mistakes;
  ConfigFindings warnings;
};

// Reads the files and directories PATHS and merges them in this order. Blocks for disks, and for
// HCL up to some seconds.
LoadedConfig LoadConfig(const std::vector<std::string>& paths, const AddressSource& addresses);

// Reads the file PATH alone. The error names all mistakes. For tests.
Result<AgentConfig> ReadAgentConfig(const std::string& path);

// Parses the text of a configuration file. BASE is the directory at which relative paths start.
// For tests.
Result<AgentConfig> ParseAgentConfig(const std::string& text, const std::string& base);

}  // namespace drover
