// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"

namespace drover {

// One plugin of a network, and its configuration.
struct CniPlugin {
  std::string type;  // the name of its program
  nlohmann::json config;

  // The name of the program that it calls for addresses; empty if it calls none.
  std::string AddressPlugin() const;
  // Returns whether it takes the runtime configuration NAME, such as "portMappings".
  bool Has(const char* name) const;
};

// A network as the Container Network Interface describes it: plugins that run one after the other.
struct Conflist {
  std::string name;
  std::string version;  // of the interface
  std::vector<CniPlugin> plugins;
  std::string text;  // as it was read
};

// Returns whether TEXT can be the name of a plugin or of a network: at most 128 letters, digits,
// "_", "-" and ".", the first of which is no ".".
bool IsCniName(const std::string& text);

// The versions of the interface that are spoken, oldest first.
const std::vector<std::string>& CniVersions();
// Returns whether VERSION is one of them, and not older than FROM, which is one of them, too.
bool IsCniVersion(std::string_view version, std::string_view from = "0.3.0");

// Reads a list of plugins, or the configuration of a single one. [any thread]
Result<Conflist> ParseConflist(const std::string& text);

// Returns NETWORK with only its first COUNT plugins, of which there is at least one.
Conflist FirstPlugins(Conflist network, std::size_t count);

// Finds the network NAME in the files *.conflist, *.conf and *.json of DIRECTORY. Files that cannot
// be used are skipped, but the error names them if NAME is not found. Only root and the agent's
// user may be able to change the directory. Blocks. [any thread]
Result<Conflist> FindConflist(const std::string& directory, const std::string& name);

// Returns the names of the networks in DIRECTORY, sorted. Adds to PROBLEMS what cannot be used.
// Blocks. [any thread]
std::vector<std::string> ListConflists(const std::string& directory,
                                       std::vector<std::string>* problems);

}  // namespace drover
