// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "host/base/result.h"
#include "host/base/time.h"

namespace drover {

// A call of one plugin.
struct CniCall {
  std::string command;  // ADD, DEL or CHECK
  std::string plugin;   // the name of its program
  std::string network;  // the name of its network, for messages
  nlohmann::json config;
  std::string container;          // the id of the allocation
  std::string network_namespace;  // a path; empty if it is gone, for DEL only
  std::string interface_name;
  std::string args;     // "KEY=VALUE;KEY=VALUE"
  std::string path;     // the directories of plugins, with ":" between them
  int descriptor = -1;  // see ProgramRun
  int stop = -1;        // see ProgramRun; if it can be read already, no plugin is called
  Duration limit = 30s;
};

// Returns the path of the plugin NAME, which is in one of the directories of PATH. Only root and
// the agent's user may be able to change it. Blocks.
Result<std::string> FindCniPlugin(const std::string& name, const std::string& path);

// Calls the plugin, and returns its result: of ADD an object, else null. The time and the size of
// the result are limited. An error names the plugin, its network, and what it has said. Blocks.
// [any thread]
Result<nlohmann::json> CallCniPlugin(const CniCall& call);

}  // namespace drover
