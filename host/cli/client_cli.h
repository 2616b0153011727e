// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace drover {

struct ClientOptions;

// Adds the options that tell how to reach an agent, which are left in CLIENT; returns them.
std::vector<CLI::Option*> AddConnectionOptions(CLI::App* command, ClientOptions* client);

// Adds the commands that ask an agent: job, alloc, node, eval and system. The one that is chosen
// runs while the command line is read, and leaves its exit code in CODE. What is returned keeps
// their options until then.
std::shared_ptr<void> AddClientCommands(CLI::App* app, int* code);

}  // namespace drover
